#include "study/length.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "stats/mean.h"
#include "study/figures.h"

namespace sonder::study {
namespace {

bool excludes_zero(const Figure& f) { return f.missing.empty() && (f.lo95 > 0 || f.hi95 < 0); }

// A typical short base reply: a quarter of them are no longer.
int short_length(const Played& played) {
  std::vector<double> lengths;
  for (const auto& scenario : played.cells[0])
    for (const Cell& cell : scenario)
      if (cell) lengths.push_back(count_words(cell->text));
  return lengths.empty() ? 1 : std::max(1, static_cast<int>(stats::quantile7(lengths, 0.25)));
}

std::vector<std::vector<Cell>> cut(const std::vector<std::vector<Cell>>& cells, int n_words) {
  std::vector<std::vector<Cell>> out = cells;
  for (auto& scenario : out)
    for (Cell& cell : scenario)
      if (cell) {
        model::Reply reply = *cell;
        reply.text = cut_at_sentence(reply.text, n_words);
        cell = reply;
      }
  return out;
}

// Scores of texts made from the bank, cut alike.
std::vector<Score> cut_bank(Lab& lab, const Spent& spent, const Played& played, int n_words, bool emp) {
  std::vector<instrument::BlindReply> texts;
  for (const auto* s : played.scenarios) {
    const std::string& text = emp ? s->facets.at(spent.who->asked.facet).emp : s->neu;
    texts.push_back(instrument::blind_text(s->message, cut_at_sentence(text, n_words)));
  }
  return score(lab, spent.who->asked, texts);
}

// The claim is that the shift survives: what is missing is filled against it, as in the whole replies.
Figure truncated(Lab& lab, const Played& played, const Spent& spent, std::size_t steer, int n_words) {
  const auto scores = [&](std::size_t arm) {
    return score_arm(lab, spent.who->asked, played.scenarios, cut(played.cells[arm], n_words));
  };
  const std::vector<double> gap = minus(filled(cut_bank(lab, spent, played, n_words, true), spent.high),
                                        filled(cut_bank(lab, spent, played, n_words, false), spent.low));
  const std::vector<double> shift = minus(filled(scores(steer), spent.low), filled(scores(0), spent.high));
  return figure_of(stats::fieller(shift, gap).theta);
}

// By scenario, means over repeats. What is missing adds nothing to either, so it does not bend the slope.
struct Lengthened {
  std::vector<double> gain;   // score of padded base minus base
  std::vector<double> words;  // added
};

Lengthened lengthen(Lab& lab, const Played& played, const Spent& spent) {
  std::vector<instrument::BlindReply> texts;
  std::vector<std::size_t> of;
  std::vector<double> words;
  for (std::size_t s = 0; s < played.scenarios.size(); ++s)
    for (const Cell& cell : played.cells[0][s]) {
      if (!cell) continue;
      const std::string text = padded(lab, *played.scenarios[s], cell->text);
      texts.push_back(instrument::blind_text(played.scenarios[s]->message, cell->text));
      texts.push_back(instrument::blind_text(played.scenarios[s]->message, text));
      words.push_back(count_words(text) - count_words(cell->text));
      of.push_back(s);
    }
  const std::vector<Score> scores = score(lab, spent.who->asked, texts);
  Lengthened out{std::vector<double>(played.scenarios.size()), std::vector<double>(played.scenarios.size())};
  for (std::size_t i = 0; i < of.size(); ++i) {
    const Score& before = scores[2 * i];
    const Score& after = scores[2 * i + 1];
    if (!before || !after) continue;
    const auto n = static_cast<double>(played.cells[0][of[i]].size());
    out.gain[of[i]] += (*after - *before) / n;
    out.words[of[i]] += words[i] / n;
  }
  return out;
}

double ratio_of_means(const std::vector<double>& a, const std::vector<double>& b,
                      std::span<const std::size_t> rows) {
  double up = 0;
  double down = 0;
  for (const std::size_t i : rows) up += a[i], down += b[i];
  return down == 0 ? 0 : up / down;
}

}  // namespace

std::vector<Score> words_over_base(const Played& played, std::size_t arm) {
  std::vector<Score> out;
  for (std::size_t s = 0; s < played.scenarios.size(); ++s) {
    double sum = 0;
    int n = 0;
    for (std::size_t r = 0; r < played.cells[arm][s].size(); ++r) {
      const Cell& a = played.cells[arm][s][r];
      const Cell& b = played.cells[0][s][r];
      if (a && b) sum += count_words(a->text) - count_words(b->text), ++n;
    }
    out.push_back(n > 0 ? Score(sum / n) : Score(Missing{"no reply to compare"}));
  }
  return out;
}

std::string cut_at_sentence(const std::string& text, int n_words) {
  std::size_t end = 0;
  std::size_t sentence = 0;
  int words = 0;
  bool inside = false;
  for (std::size_t i = 0; i <= text.size(); ++i) {
    const bool space =
        i == text.size() || text[i] == ' ' || text[i] == '\n' || text[i] == '\t' || text[i] == '\r';
    if (!space) {
      inside = true;
      continue;
    }
    if (!inside) continue;
    inside = false;
    if (++words > n_words) break;
    end = i;
    if (const char last = text[i - 1]; last == '.' || last == '!' || last == '?') sentence = i;
  }
  return text.substr(0, words > n_words && sentence > 0 ? sentence : end);
}

std::string padded(const Lab& lab, const store::Scenario& scenario, const std::string& reply) {
  require(!lab.bank.padding.empty(), "the bank has padding sentences, which the PAD arm needs");
  Stream random(Seed(lab.plan.seed).child("padding").child(scenario.id));
  return reply + " " + lab.bank.padding[random.below(lab.bank.padding.size())];
}

LengthCheck check_length(Lab& lab, const Played& played, const Spent& spent, std::size_t steer) {
  LengthCheck out;
  out.facet = spent.who->asked.facet;
  out.instrument = spent.who->asked.name();
  out.raw = figure_of(stats::fieller(spent.shift[steer], spent.gap).theta);
  const int n_words = short_length(played);
  out.truncated = truncated(lab, played, spent, steer, n_words);

  const Lengthened longer = lengthen(lab, played, spent);
  const std::vector<double> more = filled(words_over_base(played, steer), 0);
  if (mean_of(longer.words) > 0) {
    std::vector<std::size_t> all(more.size());
    std::iota(all.begin(), all.end(), 0);
    out.slope = ratio_of_means(longer.gain, longer.words, all);
    const auto theta = [&](std::span<const std::size_t> rows) {
      const double slope = ratio_of_means(longer.gain, longer.words, rows);
      std::vector<double> left(more.size());
      for (const std::size_t i : rows) left[i] = spent.shift[steer][i] - slope * more[i];
      return ratio_of_means(left, spent.gap, rows);
    };
    out.adjusted =
        figure_of(stats::bca(more.size(), theta, Seed(lab.plan.seed).child("length").child(out.instrument)));
  } else {
    out.adjusted.missing = "no base reply could be scored with its padding";
  }
  out.fires = excludes_zero(out.raw) && out.truncated.missing.empty() && !excludes_zero(out.truncated) &&
              std::abs(out.truncated.value) < 0.5 * std::abs(out.raw.value);
  out.detail = fmt::format("first {} words, whole sentences; steered replies are {:+.1f} words longer",
                           n_words, mean_of(more));
  return out;
}

}  // namespace sonder::study
