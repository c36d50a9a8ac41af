#include "report/summary.h"

#include <algorithm>

#include "report/detail/columns.h"
#include "report/detail/numbers.h"
#include "report/words.h"

namespace sonder::report {
namespace {

using study::Findings;
using Rows = std::vector<std::vector<std::string>>;

std::string marked(const Word& w, const std::string& label) {
  return std::string(sign(w.tone)) + " " + label;
}

std::string coordinates(const Findings& f, std::size_t width) {
  Rows rows = {{"facet", "detected", "controlled", "perceived"}};
  for (const study::Verdict& v : f.verdicts)
    rows.push_back({v.facet, marked(word(v.detect), v.detect), marked(word(v.control), control_label(v)),
                    marked(word(v.perceive), v.perceive)});
  return f.verdicts.empty() ? "" : detail::aligned(rows, width) + "\n";
}

std::string why_not(const study::Certificate& c) {
  for (const study::Gate& gate : c.gates)
    if (gate.taken && !gate.passed) return gate.failure;
  return "";
}

std::string instruments(const Findings& f, std::size_t width) {
  std::string passed, failed;
  for (const study::Certificate& c : f.certificates) {
    if (c.control_only) continue;
    std::string& list = c.certified ? passed : failed;
    if (!list.empty()) list += ", ";
    list += c.instrument + " (" + c.facet + ")";
    if (!c.certified && !why_not(c).empty()) list += " " + why_not(c);
  }
  std::string out;
  if (!passed.empty()) out += detail::wrap("Certified: " + passed + ".", width, 2, 2);
  if (passed.empty() && !failed.empty()) out += detail::wrap("No instrument was certified.", width, 2, 2);
  if (!failed.empty()) out += detail::wrap("Not certified, proves nothing: " + failed + ".", width, 2, 2);
  return out.empty() ? out : out + "\n";
}

// What one certified instrument saw on its own facet: the confirmatory dose, the same less placebos, the
// prompt.
void add_effects(const Findings& f, const study::Certificate& c, Rows& rows) {
  const auto add = [&](const std::string& kind) {
    for (const study::Effect& e : f.effects)
      if (e.instrument == c.instrument && e.facet == c.facet && e.direction == c.facet && e.kind == kind &&
          (e.chosen || kind != "steer"))
        rows.push_back({e.arm, c.instrument, detail::with_signed_interval(e.theta, 2)});
  };
  add("steer");
  for (const study::PlaceboContrast& p : f.placebos)
    if (p.instrument == c.instrument && p.facet == c.facet)
      rows.push_back({"the same less placebos", c.instrument, detail::with_signed_interval(p.contrast, 2)});
  add("prompt");
}

std::string effects(const Findings& f, std::size_t width) {
  Rows rows = {{"arm", "instrument", "shift"}};
  for (const study::Certificate& c : f.certificates)
    if (c.certified && !c.control_only) add_effects(f, c, rows);
  if (rows.size() == 1) return "";
  return detail::wrap(
             "Shifts as shares of the natural gap (1 is a fully empathic reply), with 95 % intervals:", width,
             2) +
         detail::aligned(rows, width) + "\n";
}

}  // namespace

std::string text_summary(const Findings& findings, int width, const std::string& page) {
  const auto columns = static_cast<std::size_t>(std::max(width, 40));
  // Sentences longer than this are hard to read, however wide the terminal.
  const std::size_t reading = std::min<std::size_t>(columns, 88);
  std::string out = "\n" + detail::wrap(findings.sentence, reading, 2) + "\n";
  out += coordinates(findings, columns) + instruments(findings, reading) + effects(findings, columns);
  out += detail::wrap("Scores are not empathy; what this does and does not show is on the page.", reading, 2);
  if (!page.empty()) out += "  " + page + "\n";
  return out;
}

}  // namespace sonder::report
