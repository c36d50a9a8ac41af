// Writes a sample page: sample FILE [calm|hostile|large].
#include <fstream>
#include <string>

#include "report/page.h"
#include "report/sample_findings.h"

int main(int n, char** words) {
  using namespace sonder::report;  // NOLINT(google-build-using-namespace)
  if (n < 2) return 2;
  const std::string kind = n > 2 ? words[2] : "calm";
  std::ofstream(words[1], std::ios::binary) << page(kind == "hostile" ? hostile_findings()
                                                    : kind == "large" ? sample_findings(4000)
                                                                      : sample_findings());
}
