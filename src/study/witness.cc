#include "study/witness.h"

#include <nlohmann/json.hpp>

namespace sonder::study {
namespace {

using nlohmann::json;
using Scenarios = std::vector<const store::Scenario*>;

constexpr std::size_t kBatch = 64;  // scores a transaction, and a call of the instrument

Score score_of(const std::string& body) {
  const json j = json::parse(body);
  if (j.contains("missing")) return Missing{j["missing"].get<std::string>()};
  return j["score"].get<double>();
}

std::string body_of(const Score& score) {
  return score ? json{{"score", *score}}.dump() : json{{"missing", score.reason()}}.dump();
}

// The two anchors of each scenario: the cheapest look at an instrument.
BankScores score_anchors(Lab& lab, const Asked& asked, const Scenarios& scenarios) {
  std::vector<instrument::BlindReply> texts;
  for (const auto* s : scenarios)
    for (const std::string* text : {&s->neu, &s->facets.at(asked.facet).emp})
      texts.push_back(instrument::blind_text(s->message, *text));
  const std::vector<Score> scores = score(lab, asked, texts);
  BankScores out;
  for (std::size_t i = 0; i < scores.size(); i += 2) {
    out.neu.push_back(scores[i]);
    out.emp.push_back(scores[i + 1]);
  }
  return out;
}

// All the others, a message's texts side by side so that a judge reads the message once.
void score_rest(Lab& lab, const Asked& asked, const Scenarios& scenarios, BankScores& out) {
  constexpr std::size_t kKinds = 7;
  std::vector<instrument::BlindReply> texts;
  for (const auto* s : scenarios) {
    const store::FacetTexts& f = s->facets.at(asked.facet);
    for (const std::string* text : {&s->rephrase_of_neu, &s->rephrase_of_emp.at(asked.facet), &s->pad,
                                    &f.ladder.at(0), &f.ladder.at(1), &f.ladder.at(2), &f.ladder.at(3)})
      texts.push_back(instrument::blind_text(s->message, *text));
  }
  const std::vector<Score> scores = score(lab, asked, texts);
  out.ladder.resize(4);
  for (std::size_t i = 0; i < scenarios.size(); ++i) {
    const Score* row = &scores[i * kKinds];
    out.rephrase_neu.push_back(row[0]);
    out.rephrase_emp.push_back(row[1]);
    out.pad.push_back(row[2]);
    for (std::size_t l = 0; l < 4; ++l) out.ladder[l].push_back(row[3 + l]);
  }
}

instrument::CertificateLimits limits_of(const Lab& lab, const instrument::Instrument& meter) {
  const store::GatePlan& g = lab.plan.gates;
  return {lab.plan.verdict.delta,
          g.anchor_g,
          g.anchor_concordance,
          g.within_p,
          g.within_concordance,
          g.headroom,
          meter.lowest(),
          meter.highest(),
          meter.step()};
}

Certificate as_certificate(const Asked& asked, const instrument::CertificateResult& result) {
  const instrument::Instrument& meter = *asked.bench->instrument;
  Certificate c;
  c.instrument = meter.name();
  c.family = meter.family();
  c.facet = asked.facet;
  c.control_only = meter.control_only();
  c.certified = result.certified && !meter.control_only();
  for (const auto& g : result.gates)
    c.gates.push_back({g.code, g.name, g.passed, g.taken, g.detail, g.failure});
  for (const auto& p : result.ladder) c.ladder.push_back({p.level, p.mean, p.se});
  c.natural_gap = result.natural_gap;
  c.unit = meter.unit();
  c.n_scenarios = result.n_scenarios;
  c.missing_share = result.missing_share;
  return c;
}

}  // namespace

std::vector<Score> score(Lab& lab, const Asked& asked, const std::vector<instrument::BlindReply>& replies) {
  instrument::Instrument& meter = *asked.bench->instrument;
  std::vector<Score> scores(replies.size(), Score(Missing{"not scored"}));
  std::vector<std::size_t> open;
  std::vector<std::string> keys(replies.size());
  for (std::size_t i = 0; i < replies.size(); ++i) {
    keys[i] = key_of({meter.fingerprint(), asked.facet, replies[i].message(), replies[i].words()});
    if (const auto body = lab.ledger.find(lab.run, "score", keys[i]))
      scores[i] = score_of(*body);
    else
      open.push_back(i);
  }
  const OnProgress progress = lab.counted("texts");
  for (std::size_t from = 0; from < open.size(); from += kBatch) {
    const std::size_t to = std::min(open.size(), from + kBatch);
    std::vector<instrument::BlindReply> batch;
    for (std::size_t k = from; k < to; ++k) batch.push_back(replies[open[k]]);
    const std::vector<Score> fresh = meter.score(asked.facet, batch, {}, lab.cancel);
    std::vector<store::Entry> entries;
    for (std::size_t k = from; k < to; ++k) {
      scores[open[k]] = fresh[k - from];
      entries.push_back({"score", keys[open[k]], body_of(fresh[k - from])});
    }
    lab.ledger.append(lab.run, entries);
    if (progress) progress({"", "", static_cast<std::int64_t>(to), static_cast<std::int64_t>(open.size())});
    lab.cancel.check();
  }
  return scores;
}

std::vector<Score> score_arm(Lab& lab, const Asked& asked, const Scenarios& scenarios,
                             const std::vector<std::vector<Cell>>& cells) {
  std::vector<instrument::BlindReply> texts;
  std::vector<std::size_t> scenario_of;
  std::vector<std::string> gone(scenarios.size());
  for (std::size_t s = 0; s < scenarios.size(); ++s)
    for (const Cell& cell : cells[s]) {
      if (!cell) {
        gone[s] = cell.reason();
      } else {
        texts.push_back(instrument::blind(scenarios[s]->message, *cell));
        scenario_of.push_back(s);
      }
    }
  const std::vector<Score> scores = score(lab, asked, texts);
  std::vector<double> sum(scenarios.size());
  std::vector<int> n(scenarios.size());
  for (std::size_t i = 0; i < scores.size(); ++i) {
    if (!scores[i])
      gone[scenario_of[i]] = scores[i].reason();
    else
      sum[scenario_of[i]] += *scores[i], ++n[scenario_of[i]];
  }
  std::vector<Score> means;
  for (std::size_t s = 0; s < scenarios.size(); ++s)
    means.push_back(gone[s].empty() && n[s] > 0 ? Score(sum[s] / n[s])
                                                : Score(Missing{gone[s].empty() ? "no reply" : gone[s]}));
  return means;
}

std::vector<Examined> examine(Lab& lab, const Scenarios& scenarios,
                              const std::vector<std::vector<Cell>>& base,
                              const std::map<std::string, std::vector<std::vector<Cell>>>& prompted) {
  std::vector<Examined> examined;
  for (Bench& bench : lab.bench)
    for (const std::string& facet : lab.plan.facets) {
      const Asked asked{&bench, facet};
      // A costly instrument may be certified on fewer scenarios; if it passes, it is spent on all of them.
      Scenarios some = scenarios;
      if (bench.plan.scenarios > 0 && some.size() > static_cast<std::size_t>(bench.plan.scenarios))
        some.resize(static_cast<std::size_t>(bench.plan.scenarios));
      Examined e{asked, score_anchors(lab, asked, some), {}};
      const instrument::CertificateLimits limits = limits_of(lab, *bench.instrument);
      instrument::CertificateScores scores{e.bank.neu, e.bank.emp, {}, {}, {}, {}, {}, {}};
      instrument::CertificateResult result = instrument::certify_anchor(scores, limits);
      if (result.gates.front().passed || bench.plan.when == "always") {
        score_rest(lab, asked, some, e.bank);
        const auto first = [&](const std::vector<std::vector<Cell>>& cells) {
          return score_arm(lab, asked, some,
                           {cells.begin(), cells.begin() + static_cast<std::ptrdiff_t>(some.size())});
        };
        scores.ladder = e.bank.ladder;
        scores.rephrase_neu = e.bank.rephrase_neu;
        scores.rephrase_emp = e.bank.rephrase_emp;
        scores.pad = e.bank.pad;
        scores.base = first(base);
        if (prompted.contains(facet)) scores.prompted = first(prompted.at(facet));
        result = instrument::certify(scores, limits);
      }
      e.certificate = as_certificate(asked, result);
      if (e.certificate.certified && some.size() < scenarios.size())
        e.bank = score_anchors(lab, asked, scenarios);  // all that spending needs
      examined.push_back(std::move(e));
    }
  return examined;
}

}  // namespace sonder::study
