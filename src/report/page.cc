#include "report/page.h"

#include <nlohmann/json.hpp>
#include <unordered_map>

#include "report/detail/embedded.h"
#include "report/detail/encode.h"
#include "report/detail/front.h"

namespace sonder::report {
namespace {

using Json = nlohmann::ordered_json;
using study::Findings;

// Numbers texts in the order of their first use, so that a reply names its arm by a small number.
class Numbered {
 public:
  std::size_t operator()(const std::string& text) {
    const auto [place, is_new] = index_.try_emplace(text, index_.size());
    if (is_new) texts_.push_back(text);
    return place->second;
  }
  const std::vector<std::string>& texts() const { return texts_; }

 private:
  std::unordered_map<std::string, std::size_t> index_;
  std::vector<std::string> texts_;
};

Json reply_row(const study::ShownReply& reply, Numbered& arms, Numbered& stops, Numbered& keys) {
  Json row = {arms(reply.arm), reply.repeat, stops(reply.stopped), reply.text};
  for (const auto& [key, score] : reply.scores) {
    const std::size_t column = 4 + keys(key);
    while (row.size() <= column) row.push_back(nullptr);
    row[column] = score;
  }
  return row;
}

// { arms, stops, keys, scenarios: [{ id, …, replies: [[arm, repeat, stop, text, score of keys[0], …]] }] }
std::string replies_json(const Findings& f) {
  Numbered arms, stops, keys, ids;
  Json scenarios = Json::array();
  for (const study::ShownScenario& s : f.scenarios) {
    if (ids(s.id) < scenarios.size()) continue;
    Json emp = Json::object();
    for (const auto& [facet, text] : s.emp) emp[facet] = text;
    scenarios.push_back(
        {{"id", s.id}, {"split", s.split}, {"area", s.area}, {"message", s.message}, {"neu", s.neu}});
    scenarios.back()["emp"] = std::move(emp);
    scenarios.back()["replies"] = Json::array();
  }
  for (const study::ShownReply& reply : f.replies) {
    const std::size_t i = ids(reply.scenario);
    if (i == scenarios.size())
      scenarios.push_back({{"id", reply.scenario}, {"emp", Json::object()}, {"replies", Json::array()}});
    scenarios[i]["replies"].push_back(reply_row(reply, arms, stops, keys));
  }
  const Json all = {{"arms", arms.texts()},
                    {"stops", stops.texts()},
                    {"keys", keys.texts()},
                    {"scenarios", std::move(scenarios)}};
  return all.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::string findings_json(const Findings& findings) {
  Findings head = findings;
  head.replies.clear();
  head.scenarios.clear();
  return study::as_json(head);
}

std::string script() {
  std::string all = "(() => {\n\"use strict\";\n";
  for (const std::string_view part :
       {embedded::page_parts_js, embedded::page_charts_js, embedded::page_sweep_js, embedded::page_tables_js,
        embedded::page_replies_js, embedded::page_js})
    all += part;
  return all + "})();\n";
}

}  // namespace

std::string page(const Findings& findings) {
  const std::string program = script();
  const std::string policy =
      "default-src 'none'; base-uri 'none'; form-action 'none'; img-src data:; "
      "style-src 'unsafe-inline'; script-src " +
      detail::csp_hash(embedded::d3_js) + " " + detail::csp_hash(embedded::plot_js) + " " +
      detail::csp_hash(program);
  return detail::fill(embedded::page_html,
                      {{"policy", policy},
                       {"style", embedded::page_css},
                       {"name", detail::escape_html(findings.name)},
                       {"started", detail::escape_html(findings.provenance.started)},
                       {"model", detail::escape_html(findings.provenance.model_name)},
                       {"version", detail::escape_html(findings.provenance.sonder_version)},
                       {"sentence", detail::escape_html(findings.sentence)},
                       {"verdicts", detail::verdict_cards(findings)},
                       {"shown", detail::list_items(detail::shown(findings))},
                       {"not_shown", detail::list_items(detail::not_shown(findings))},
                       {"glossary", detail::glossary(findings)},
                       {"findings", detail::escape_json(findings_json(findings))},
                       {"replies", detail::base64(detail::deflate(replies_json(findings)))},
                       {"d3", embedded::d3_js},
                       {"plot", embedded::plot_js},
                       {"script", program}});
}

}  // namespace sonder::report
