#include "study/play.h"

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
          continue;
        }
        wanted.push_back(std::move(request));
        places.push_back({a, s, r});
        keys.push_back(std::move(key));
      }
    }

  std::vector<store::Entry> finished;
  const OnProgress progress = lab.counted("replies");
  const auto total = static_cast<std::int64_t>(wanted.size());
  std::int64_t done = 0;
  const auto flush = [&] {
    lab.ledger.append(lab.run, finished);
    finished.clear();
  };
  const auto keep = [&](std::size_t i, const Cell& reply) {
    cells[places[i].arm][places[i].scenario][places[i].repeat] = reply;
    finished.push_back({"reply", keys[i], body_of(reply)});
    if (finished.size() >= kBatch) flush();
    ++done;
    if (progress) progress({"", "", done, total});
    if (lab.cancel.asked()) flush();
  };
  lab.subject.reply(wanted, keep, lab.cancel);
  flush();
  return cells;
}

}  // namespace sonder::study
