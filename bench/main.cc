// The table of speed figures: both sides of every ratio are measured in this one run, in turns.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <functional>
#include <nlohmann/json.hpp>
#include <numeric>

#include "base/seed.h"
#include "bench.h"
#include "instrument/instrument.h"
#include "model/catalogue.h"
#include "model/model.h"

namespace {

using nlohmann::ordered_json;
using namespace sonder;  // NOLINT(google-build-using-namespace): a program, not a library

// a and b in turns, so that a slow minute of the machine meets both. The median of the pairs' ratios a / b.
struct Paired {
  double ratio, low, high, a, b;
};
Paired in_turns(const std::function<void()>& a, const std::function<void()>& b, int times) {
  std::vector<double> ratios;
  std::vector<double> as;
  std::vector<double> bs;
  a();  // warm
  for (int i = 0; i < times; ++i) {
    as.push_back(seconds(a));
    bs.push_back(seconds(b));
    ratios.push_back(as.back() / bs.back());
  }
  return {median(ratios), *std::min_element(ratios.begin(), ratios.end()),
          *std::max_element(ratios.begin(), ratios.end()), median(as), median(bs)};
}

std::vector<float> unit_vector(int n, Seed seed) {
  Stream random(seed);
  std::vector<float> v(static_cast<std::size_t>(n));
  for (float& x : v) x = static_cast<float>(random.normal());
  const float norm = std::sqrt(std::inner_product(v.begin(), v.end(), v.begin(), 0.0F));
  for (float& x : v) x /= norm;
  return v;
}

const char* const kMessages[] = {
    "My bread does not rise, though I follow the recipe to the gram. What could be the reason?",
    "Explain how a tide table is made, and why two harbours near each other can differ by an hour.",
    "I have to move a piano down one flight of stairs. Which way round should it go?",
    "What is the difference between a hedge and a windbreak, and when is each of them worth planting?"};

std::vector<model::Token> prompt(const model::Model& m, const std::string& message) {
  const std::vector<model::Message> turns = {{"user", message}};
  return m.tokenise(m.render(turns, model::Template::chat));
}

// 64 sequences, all from one prompt each of four, 16 hooks that differ.
std::vector<model::Request> requests(const model::Model& m, bool steered) {
  std::vector<model::Request> out;
  for (std::uint64_t i = 0; i < 64; ++i) {
    model::Request r;
    r.prompt = prompt(m, kMessages[i / 16]);
    r.seed = Seed(9).child(i);
    r.n_max = 32;
    r.sampler.temperature = 1.0;
    if (steered)
      r.hook = {{{model::Site{16}, model::EditKind::push, unit_vector(m.card().n_embd, Seed(3).child(i % 16)),
                  5.0F}},
                model::Span::reply};
    out.push_back(std::move(r));
  }
  return out;
}

void decode(std::vector<Row>& rows, const Cancel& cancel) {
  const auto m = model::Model::load(model::resolve("smollm2-135m"), {.n_threads = 0, .n_slots = 64});
  const auto run = [&](bool steered) {
    std::size_t tokens = 0;
    m->reply(
        requests(*m, steered),
        [&](std::size_t, const Measured<model::Reply>& reply) { tokens += reply ? reply->tokens.size() : 0; },
        cancel);
    return tokens;
  };
  std::size_t n_steered = 0;
  std::size_t n_plain = 0;
  const Paired p = in_turns([&] { n_plain = run(false); }, [&] { n_steered = run(true); }, 5);
  const double plain = static_cast<double>(n_plain) / p.a;
  const double steered = static_cast<double>(n_steered) / p.b;
  const double scale =
      static_cast<double>(n_steered) / static_cast<double>(n_plain);  // tokens differ a little
  rows.push_back({"steered / unsteered decode, 64 sequences, 16 configurations", p.ratio * scale, "x", 0.97,
                  "higher",
                  fmt::format("{:.0f} / {:.0f} tok/s, pairs {:.3f} to {:.3f}", steered, plain, p.low * scale,
                              p.high * scale)});

  std::vector<model::Passage> passages;
  for (int i = 0; i < 8; ++i) {
    model::Passage passage;
    for (int k = 0; k < 8; ++k) {
      const auto tokens = m->tokenise_plain(kMessages[(i + k) % 4]);
      passage.tokens.insert(passage.tokens.end(), tokens.begin(), tokens.end());
    }
    passage.tokens[0] = static_cast<model::Token>(100 + i);  // no two begin alike
    passage.n_prompt = static_cast<int>(passage.tokens.size());
    passages.push_back(std::move(passage));
  }
  std::vector<int> layers(static_cast<std::size_t>(m->card().n_layers));
  std::iota(layers.begin(), layers.end(), 0);
  const auto nothing = [](std::size_t, const model::Reading&) {};
  model::Want all;
  all.layers = layers;
  const Paired c = in_turns([&] { m->read(passages, {}, all, nothing, cancel); },
                            [&] { m->read(passages, {}, {}, nothing, cancel); }, 11);
  std::size_t n_read = 0;
  for (const auto& passage : passages) n_read += passage.tokens.size();
  const double prefill = static_cast<double>(n_read) / c.b;
  rows.push_back({"capture of all layers / plain prefill, time", c.ratio, "x", 1.05, "lower",
                  fmt::format("{:.0f} tok/s plain, pairs {:.3f} to {:.3f}", prefill, c.low, c.high)});
  rows.push_back({"batched steered decode / prefill rate", steered / prefill, "x", 0.6, "higher", ""});
}

void prefill(std::vector<Row>& rows, const Cancel& cancel) {
  const auto m = model::Model::load(model::resolve("smollm2-135m"), {.n_threads = 0, .n_slots = 60});
  const int n_arms = 15;
  const int n_repeats = 2;
  std::vector<model::Request> all;
  std::int64_t unique = 0;
  for (const char* message : kMessages) {
    const auto tokens = prompt(*m, message);
    unique += static_cast<std::int64_t>(tokens.size()) - 1;
    for (std::uint64_t a = 0; a < n_arms; ++a)
      for (std::uint64_t r = 0; r < n_repeats; ++r)
        all.push_back({tokens,
                       {{{model::Site{16}, model::EditKind::push,
                          unit_vector(m->card().n_embd, Seed(3).child(a)), 5.0F}},
                        model::Span::reply},
                       {},
                       Seed(1).child(a).child(r),
                       2,
                       {}});
  }
  const std::int64_t before = m->counts().prefilled;
  m->reply(
      all, [](std::size_t, const Measured<model::Reply>&) {}, cancel);
  const std::int64_t read = m->counts().prefilled - before;
  const std::int64_t wanted = unique + static_cast<std::int64_t>(all.size());
  rows.push_back({"prompt tokens read / (unique ones + one per arm and repeat)",
                  static_cast<double>(read) / static_cast<double>(wanted), "x", 1.0, "lower",
                  fmt::format("{} read for {} cells", read, all.size())});
}

void lexicon(std::vector<Row>& rows, const Cancel& cancel) {
  const auto meter = instrument::lexicon();
  std::vector<instrument::BlindReply> texts;
  for (int i = 0; i < 20000; ++i)
    texts.push_back(
        instrument::blind_text("",
                               "That sounds like a long week, and I am glad you told me about the part with "
                               "your brother. It makes sense that "
                               "you would want some quiet now, even if the others do not see it that way."));
  const double t = seconds([&] { (void)meter->score("affective", texts, {}, cancel); });
  rows.push_back({"lexical meter, texts of 37 words, one core", static_cast<double>(texts.size()) / t,
                  "texts/s", 200000, "higher", "the goal belongs to a later issue"});
}

}  // namespace

int main(int argc, char** argv) {
  std::vector<std::string> words(argv + 1, argv + argc);
  const bool ledger_only = !words.empty() && words[0] == "--ledger";
  const bool stats_only = !words.empty() && words[0] == "--stats";  // needs no model
  if (stats_only || ledger_only) words.erase(words.begin());
  const std::string json_path = words.size() == 2 && words[0] == "--json" ? words[1] : "";
  if (!words.empty() && json_path.empty()) {
    fmt::print(stderr, "usage: sonder_bench [--ledger | --stats] [--json FILE]\n");
    return 2;
  }
  std::vector<Row> rows;
  const Cancel cancel;
  if (!stats_only)
    for (Row& row : ledger()) rows.push_back(std::move(row));
  if (!stats_only && !ledger_only) {
    decode(rows, cancel);
    prefill(rows, cancel);
    lexicon(rows, cancel);
  }
  if (!ledger_only)
    for (Row& row : statistics()) rows.push_back(std::move(row));
  ordered_json list = ordered_json::array();
  fmt::print("{:<62}{:>10}  {:<8}{:>10}\n", "figure", "value", "unit", "goal");
  for (const Row& r : rows) {
    fmt::print("{:<62}{:>10.3f}  {:<8}{:>2}{:>8}  {:<5}{}\n", r.name, r.value, r.unit,
               r.better == "higher" ? "≥" : "≤", r.goal, r.ok() ? "met" : "MISS", r.remark);
    list.push_back({{"name", r.name},
                    {"value", r.value},
                    {"unit", r.unit},
                    {"goal", r.goal},
                    {"better", r.better},
                    {"remark", r.remark},
                    {"ok", r.ok()}});
  }
  if (!json_path.empty()) std::ofstream(json_path) << list.dump(2) << "\n";
  return 0;
}
