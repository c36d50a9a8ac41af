// Writes a sample page: page_sample FILE [calm|hostile|large|empty].
#include <fstream>
#include <string>

#include "report/page.h"
#include "report/sample_findings.h"

namespace {

sonder::study::Findings findings(const std::string& kind) {
  if (kind == "hostile") return sonder::report::hostile_findings();
  if (kind == "large") return sonder::report::sample_findings(4000);
  if (kind == "empty") return {};
  return sonder::report::sample_findings();
}

}  // namespace

int main(int n, char** words) {
  if (n < 2) return 2;
  std::ofstream(words[1], std::ios::binary) << sonder::report::page(findings(n > 2 ? words[2] : "calm"));
}
