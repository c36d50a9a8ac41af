#include "report/detail/front.h"

#include <algorithm>
#include <set>
#include <span>

#include "report/detail/encode.h"
#include "report/detail/numbers.h"
#include "report/words.h"

namespace sonder::report::detail {
namespace {

using study::Findings;

std::string capital(std::string text) {
  if (!text.empty() && text[0] >= 'a' && text[0] <= 'z') text[0] = static_cast<char>(text[0] - 'a' + 'A');
  return text;
}

bool settled(const Word& w) { return w.tone != Tone::open && w.tone != Tone::bad; }

std::string join(const std::vector<std::string>& parts, std::string_view between) {
  std::string out;
  for (const std::string& part : parts) out += (out.empty() ? std::string() : std::string(between)) + part;
  return out;
}

// The coordinates of all facets that are settled, or all that are not, as sentences.
std::vector<std::string> coordinates(const Findings& f, bool want_settled) {
  std::vector<std::string> out;
  for (const study::Verdict& v : f.verdicts)
    for (const std::string& code : {v.detect, v.control, v.perceive}) {
      const Word w = word(code);
      if (settled(w) != want_settled || w.meaning.empty()) continue;
      if (code == "UNTESTED") continue;  // said once for all facets
      out.push_back(capital(v.facet) + ": " + std::string(w.meaning));
    }
  return out;
}

// "lexicon (affective), judge (cognitive)"
std::vector<std::string> instruments(const Findings& f, bool certified) {
  std::vector<std::string> out;
  for (const study::Certificate& c : f.certificates)
    if (!c.control_only && c.certified == certified) out.push_back(c.instrument + " (" + c.facet + ")");
  return out;
}

std::string coordinate(std::string_view question, std::string_view label, const Word& w,
                       const std::string& detail) {
  std::string out = "<div><dt>" + escape_html(question) + "</dt><dd><span class=\"badge " +
                    std::string(to_text(w.tone)) + "\" data-code=\"" + escape_html(w.code) +
                    "\" data-tone=\"" + std::string(to_text(w.tone)) + "\"><span aria-hidden=\"true\">" +
                    std::string(sign(w.tone)) + "</span> " + escape_html(label) + "</span>";
  if (!w.plain.empty()) out += " <span class=\"plain\">" + escape_html(w.plain) + "</span>";
  if (!detail.empty()) out += " <span class=\"detail\">" + escape_html(detail) + "</span>";
  return out + "</dd></div>\n";
}

// The facet stands above it already.
std::string headline_of(const study::Verdict& v) {
  const std::string prefix = v.facet + ": ";
  return capital(v.headline.starts_with(prefix) ? v.headline.substr(prefix.size()) : v.headline);
}

std::string detection_detail(const Findings& f, const std::string& facet) {
  for (const study::Detection& d : f.detections)
    if (d.facet == facet)
      return "within-scenario concordance " + with_interval(d.concordance, 2) + ", best read at layer " +
             std::to_string(d.layer) + ", pushed at " + std::to_string(d.steer_layer);
  return "";
}

std::string reasons_in_words(const study::Verdict& v) {
  std::vector<std::string> parts;
  for (const std::string& reason : v.reasons) {
    const Word w = word(reason);
    parts.push_back(w.plain.empty() ? reason : reason + ": " + std::string(w.plain));
  }
  return join(parts, "; ");
}

std::string term_list(std::span<const Word> words) {
  std::string out = "<dl class=\"terms\">\n";
  for (const Word& w : words)
    out += "<div><dt>" + escape_html(w.code) + "</dt><dd>" + escape_html(w.meaning) + "</dd></div>\n";
  return out + "</dl>\n";
}

// The words this page uses come first to mind; the others of the same coordinate are listed too, since a
// verdict is understood by what it could have been.
std::string term_group(std::string_view title, std::span<const Word> words) {
  return "<h3>" + escape_html(title) + "</h3>\n" + term_list(words);
}

}  // namespace

std::vector<std::string> shown(const Findings& f) {
  std::vector<std::string> out = coordinates(f, true);
  const auto passed = instruments(f, true);
  if (!passed.empty())
    out.push_back("These instruments passed their certificate: " + join(passed, ", ") + ".");
  return out;
}

std::vector<std::string> not_shown(const Findings& f) {
  std::vector<std::string> out = {
      "A score is not empathy. Instruments count and compare words; a shift in their scores is a change in "
      "the text."};
  const bool untested = std::any_of(f.verdicts.begin(), f.verdicts.end(),
                                    [](const study::Verdict& v) { return v.perceive == "UNTESTED"; });
  if (untested)
    out.push_back(
        "No people were asked. Whether anybody would notice a difference, or be helped by it, is unknown.");
  for (std::string& sentence : coordinates(f, false)) out.push_back(std::move(sentence));
  const auto failed = instruments(f, false);
  if (!failed.empty())
    out.push_back("These instruments failed their certificate: " + join(failed, ", ") +
                  ". What they do or do not show proves nothing either way.");
  std::set<int> sizes;
  for (const study::PlaceboContrast& p : f.placebos) sizes.insert(p.n);
  for (const int n : sizes)
    out.push_back("With " + std::to_string(n) + " placebo directions the placebo p cannot fall below 1/(" +
                  std::to_string(n) + "+1) = " + number(1.0 / (n + 1), 3) +
                  ", however strong the effect. Read the contrast and its interval.");
  out.push_back(
      "That a facet can be read inside the model does not mean that it can be steered, and neither means "
      "that it is what moves the words.");
  out.push_back("It holds for one model (" + f.provenance.model_name + "), the " +
                std::to_string(f.scenarios.size()) +
                " scenarios shown here (bank: " + f.provenance.bank_name +
                "), and one way of pushing. Other models, people and languages may differ.");
  return out;
}

std::string verdict_cards(const Findings& f) {
  std::string out;
  for (const study::Verdict& v : f.verdicts) {
    const std::string gloss(facet_gloss(v.facet));
    out += "<article class=\"facet\"><h2>" + escape_html(capital(v.facet));
    if (!gloss.empty()) out += " <small>" + escape_html(gloss) + "</small>";
    out +=
        "</h2>\n<p class=\"headline\">" + escape_html(headline_of(v)) + "</p>\n<dl class=\"coordinates\">\n";
    out += coordinate("Detected?", v.detect, word(v.detect), detection_detail(f, v.facet));
    out += coordinate("Controlled?", control_label(v), word(v.control), reasons_in_words(v));
    out += coordinate("Perceived?", v.perceive, word(v.perceive), "");
    if (!v.ablation.empty()) {
      const Word w = ablation_word(v.ablation);
      out += coordinate("Necessary?", w.code, w, w.tone == Tone::part ? v.ablation : "");
    }
    out += "</dl></article>\n";
  }
  return out;
}

std::string list_items(const std::vector<std::string>& sentences) {
  std::string out;
  for (const std::string& sentence : sentences) out += "<li>" + escape_html(sentence) + "</li>\n";
  return out;
}

std::string glossary(const Findings&) {
  return term_group("Detected?", detection_words()) + term_group("Controlled?", control_words()) +
         term_group("Perceived?", perception_words()) + term_group("Why not", reason_words()) +
         term_group("Other words", terms());
}

}  // namespace sonder::report::detail
