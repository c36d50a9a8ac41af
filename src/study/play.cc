#include "study/play.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <sstream>

namespace sonder::study {
namespace {

using nlohmann::json;

constexpr std::size_t kBatch = 32;  // finished cells a transaction

model::Stopped stopped_of(const std::string& text) {
  if (text == "end_of_turn") return model::Stopped::end_of_turn;
  return text == "stop_text" ? model::Stopped::stop_text : model::Stopped::limit;
}

std::string body_of(const Cell& cell) {
  if (!cell) return json{{"missing", cell.reason()}}.dump();
  return json{{"text", cell->text}, {"tokens", cell->tokens}, {"stopped", to_text(cell->stopped)}}.dump();
}

Cell cell_of(const std::string& body) {
  const json j = json::parse(body);
  if (j.contains("missing")) return Missing{j["missing"].get<std::string>()};
  return model::Reply{j["text"].get<std::string>(), j["tokens"].get<std::vector<model::Token>>(),
                      stopped_of(j["stopped"].get<std::string>())};
}

std::string key_of_request(const Lab& lab, const model::Request& r) {
  const json j = {{"prompt", r.prompt},
                  {"t", r.sampler.temperature},
                  {"top_p", r.sampler.top_p},
                  {"min_p", r.sampler.min_p},
                  {"seed", r.seed.value()},
                  {"n", r.n_max},
                  {"stop", r.stop}};
  return key_of({lab.subject.card().sha256, j.dump(), model::hash_of(r.hook)});
}

constexpr double kMostNotFinite = 0.01;  // of the replies asked for together

// A model that cannot be computed now and then leaves holes; one that cannot be computed often is broken, or
// pushed too hard, and more of its replies would say nothing.
class Holes {
 public:
  Holes(const std::vector<Arm>& arms, std::size_t n_replies)
      : arms_(arms), n_replies_(n_replies), n_(arms.size()) {}
  void count(std::size_t arm) { ++n_[arm], ++n_all_; }
  void check() const {
    if (static_cast<double>(n_all_) <= kMostNotFinite * static_cast<double>(n_replies_)) return;
    const auto most = std::max_element(n_.begin(), n_.end());
    const Arm& worst = arms_[static_cast<std::size_t>(most - n_.begin())];
    throw Error(ErrorKind::engine, std::to_string(n_all_) + " of " + std::to_string(n_replies_) +
                                       " replies could not be computed, " + std::to_string(*most) +
                                       " of them in the arm '" + worst.name + "': " + model::kNotFinite +
                                       ". More than 1 % stops the run; check the model's file" +
                                       (worst.hook.empty() ? "" : ", or take smaller doses"));
  }

 private:
  const std::vector<Arm>& arms_;
  std::size_t n_replies_;
  std::vector<std::size_t> n_;  // [arms]
  std::size_t n_all_ = 0;
};

struct Place {
  std::size_t arm, scenario, repeat;
};

}  // namespace

std::string to_text(model::Stopped stopped) {
  if (stopped == model::Stopped::end_of_turn) return "end_of_turn";
  return stopped == model::Stopped::stop_text ? "stop_text" : "limit";
}

int count_words(const std::string& text) {
  std::istringstream stream(text);
  std::string word;
  int n = 0;
  while (stream >> word) ++n;
  return n;
}

Replies play(Lab& lab, const std::vector<Arm>& arms, const std::vector<const store::Scenario*>& scenarios) {
  const auto repeats = static_cast<std::size_t>(lab.plan.generate.repeats);
  const std::vector<std::vector<Cell>> empty(scenarios.size(),
                                             std::vector<Cell>(repeats, Cell(Missing{"not played"})));
  Replies cells(arms.size(), empty);
  std::vector<model::Request> wanted;
  std::vector<Place> places;
  std::vector<std::string> keys;
  Holes holes(arms, arms.size() * scenarios.size() * repeats);
  const Seed root = Seed(lab.plan.seed).child("sampling");
  const store::GeneratePlan& g = lab.plan.generate;

  for (std::size_t s = 0; s < scenarios.size(); ++s)
    for (std::size_t a = 0; a < arms.size(); ++a) {
      const auto prompt = prompt_of(lab, scenarios[s]->message, arms[a].system);
      for (std::size_t r = 0; r < repeats; ++r) {
        model::Request request{prompt,
                               arms[a].hook,
                               {g.temperature, g.top_p, g.min_p},
                               root.child(scenarios[s]->id).child(r),
                               g.n_tokens,
                               {}};
        if (lab.plan.form == "plain") request.stop = {"\nUser:", "\n\n"};
        std::string key = key_of_request(lab, request);
        if (const auto body = lab.ledger.find(lab.run, "reply", key)) {
          cells[a][s][r] = cell_of(*body);
          if (!cells[a][s][r]) holes.count(a);
          continue;
        }
        wanted.push_back(std::move(request));
        places.push_back({a, s, r});
        keys.push_back(std::move(key));
      }
    }

  holes.check();

  std::vector<store::Entry> finished;
  const OnProgress progress = lab.counted("replies");
  const auto total = static_cast<std::int64_t>(wanted.size());
  std::int64_t done = 0;
  const auto flush = [&] {
    lab.subject.require_unchanged();
    lab.ledger.append(lab.run, finished);
    finished.clear();
  };
  const auto keep = [&](std::size_t i, const Cell& reply) {
    cells[places[i].arm][places[i].scenario][places[i].repeat] = reply;
    finished.push_back({"reply", keys[i], body_of(reply)});
    if (!reply) holes.count(places[i].arm);
    if (finished.size() >= kBatch || !reply) flush();
    holes.check();
    ++done;
    if (progress) progress({"", "", done, total});
    if (lab.cancel.asked()) flush();
  };
  lab.subject.reply(wanted, keep, lab.cancel);
  flush();
  return cells;
}

}  // namespace sonder::study
