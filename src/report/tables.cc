#include "report/tables.h"

#include <charconv>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <vector>

#include "report/detail/front.h"
#include "report/detail/numbers.h"
#include "report/words.h"

namespace sonder::report {
namespace {

using study::Findings;
using Json = nlohmann::ordered_json;

std::vector<std::string> score_keys(const Findings& f) {
  std::set<std::string> keys;
  for (const study::ShownReply& r : f.replies)
    for (const auto& [key, score] : r.scores) keys.insert(key);
  return {keys.begin(), keys.end()};
}

std::map<std::string, const study::ShownScenario*> by_id(const Findings& f) {
  std::map<std::string, const study::ShownScenario*> out;
  for (const study::ShownScenario& s : f.scenarios) out[s.id] = &s;
  return out;
}

std::string csv_cell(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string out = "\"";
  for (const char c : text) out += c == '"' ? std::string("\"\"") : std::string(1, c);
  return out + "\"";
}

std::string shortest(double value) {
  char digits[40];
  const auto end = std::to_chars(digits, digits + sizeof digits, value).ptr;
  return {digits, end};
}

std::string md_cell(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == '|') out += '\\';
    out += c == '\n' ? ' ' : c;
  }
  return out;
}

std::string md_row(const std::vector<std::string>& cells) {
  std::string out = "|";
  for (const std::string& cell : cells) out += " " + md_cell(cell) + " |";
  return out + "\n";
}

std::string md_table(const std::vector<std::string>& head,
                     const std::vector<std::vector<std::string>>& rows) {
  std::string out = md_row(head) + "|";
  for (std::size_t i = 0; i < head.size(); ++i) out += " --- |";
  out += "\n";
  for (const auto& row : rows) out += md_row(row);
  return out + "\n";
}

std::string verdicts(const Findings& f) {
  std::vector<std::vector<std::string>> rows;
  for (const study::Verdict& v : f.verdicts) {
    std::string why;
    for (const std::string& reason : v.reasons) why += (why.empty() ? "" : ", ") + reason;
    rows.push_back({v.facet, v.detect, control_label(v), why, v.perceive, v.ablation});
  }
  return md_table({"facet", "detected", "controlled", "because of", "perceived", "necessary"}, rows);
}

std::string instruments(const Findings& f) {
  std::vector<std::vector<std::string>> rows;
  for (const study::Certificate& c : f.certificates) {
    std::string failed;
    for (const study::Gate& g : c.gates)
      if (g.taken && !g.passed) failed += (failed.empty() ? "" : ", ") + g.code + " " + g.failure;
    rows.push_back({c.instrument, c.family, c.facet,
                    c.control_only ? "control only"
                    : c.certified  ? "yes"
                                   : "no",
                    failed});
  }
  return md_table({"instrument", "family", "facet", "certified", "failed gates"}, rows);
}

std::string shifts(const Findings& f) {
  std::vector<std::vector<std::string>> rows;
  for (const study::Effect& e : f.effects)
    if (e.facet == e.direction && (e.kind == "steer" || e.kind == "prompt" || e.kind == "ablate"))
      rows.push_back({e.arm + (e.chosen ? " (confirmatory)" : ""), e.instrument, e.facet,
                      detail::with_signed_interval(e.theta, 2), e.local.empty() ? "not certified" : e.local});
  return rows.empty() ? "None was measured.\n\n"
                      : md_table({"arm", "instrument", "facet", "share of the natural gap", "reads"}, rows);
}

std::string side_effects(const Findings& f) {
  std::vector<std::vector<std::string>> rows;
  for (const study::SideEffects& s : f.side_effects)
    rows.push_back({s.arm, detail::number(s.kl, 3), detail::with_interval(s.fluency, 2),
                    detail::number(s.broken, 2), s.admissible ? "yes" : "no: " + s.why_not});
  return rows.empty() ? "None was measured.\n\n"
                      : md_table({"arm", "KL, nats", "perplexity ratio", "broken", "admissible"}, rows);
}

std::string sentences(const std::vector<std::string>& list) {
  std::string out;
  for (const std::string& sentence : list) out += "- " + md_cell(sentence) + "\n";
  return out + "\n";
}

}  // namespace

std::string cells_csv(const Findings& f) {
  const auto keys = score_keys(f);
  const auto scenarios = by_id(f);
  std::string out = "scenario,split,area,arm,repeat,stopped";
  for (const std::string& key : keys) out += "," + csv_cell(key);
  out += ",text\n";
  for (const study::ShownReply& r : f.replies) {
    const auto at = scenarios.find(r.scenario);
    const study::ShownScenario* s = at == scenarios.end() ? nullptr : at->second;
    out += csv_cell(r.scenario) + "," + (s ? csv_cell(s->split) + "," + csv_cell(s->area) : ",") + "," +
           csv_cell(r.arm) + "," + std::to_string(r.repeat) + "," + r.stopped;
    for (const std::string& key : keys) {
      const auto score = r.scores.find(key);
      out += "," + (score == r.scores.end() ? std::string() : shortest(score->second));
    }
    out += "," + csv_cell(r.text) + "\n";
  }
  return out;
}

std::string cells_jsonl(const Findings& f) {
  const auto keys = score_keys(f);
  const auto scenarios = by_id(f);
  std::string out;
  for (const study::ShownReply& r : f.replies) {
    Json row = {{"scenario", r.scenario}};
    if (const auto s = scenarios.find(r.scenario); s != scenarios.end()) {
      row["split"] = s->second->split;
      row["area"] = s->second->area;
    }
    row["arm"] = r.arm;
    row["repeat"] = r.repeat;
    row["stopped"] = r.stopped;
    row["scores"] = Json::object();
    for (const std::string& key : keys) {
      const auto score = r.scores.find(key);
      row["scores"][key] = score == r.scores.end() ? Json(nullptr) : Json(score->second);
    }
    row["text"] = r.text;
    out += row.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
  }
  return out;
}

std::string markdown(const Findings& f) {
  const study::Provenance& p = f.provenance;
  return "# " + md_cell(f.name) + "\n\n**" + md_cell(f.sentence) + "**\n\n" + verdicts(f) +
         "## It shows\n\n" + sentences(detail::shown(f)) + "## It does not show\n\n" +
         sentences(detail::not_shown(f)) + "## Instruments\n\n" + instruments(f) + "## Shifts\n\n" +
         shifts(f) + "## Side effects\n\n" + side_effects(f) + "## Where it comes from\n\n" +
         md_table(
             {"", ""},
             {{"model", p.model_name + ", " + p.model_format + ", sha256 " + p.model_sha256.substr(0, 12)},
              {"bank", p.bank_name + ", sha256 " + p.bank_sha256.substr(0, 12)},
              {"plan", "sha256 " + p.plan_hash.substr(0, 12) + ", smallest shift worth claiming " +
                           detail::number(f.delta, 2) + ", controls from " + detail::number(f.tau, 2)},
              {"program", "Sonder " + p.sonder_version + ", llama.cpp " + p.llama_version},
              {"started", p.started}});
}

}  // namespace sonder::report
