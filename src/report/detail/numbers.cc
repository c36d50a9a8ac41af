#include "report/detail/numbers.h"

#include <cstdio>

namespace sonder::report::detail {
namespace {

std::string interval(const study::Figure& f, int decimals, std::string (*write)(double, int)) {
  if (!f.missing.empty()) return "missing: " + f.missing;
  return write(f.value, decimals) + "\u00a0[" + write(f.lo95, decimals) + ",\u00a0" +
         write(f.hi95, decimals) + "]";
}

}  // namespace

std::string number(double value, int decimals) {
  char digits[400];
  std::snprintf(digits, sizeof digits, "%.*f", decimals, value);
  std::string text(digits);
  if (text[0] != '-') return text;
  const bool zero = text.find_first_of("123456789") == std::string::npos;
  return (zero ? "" : "−") + text.substr(1);
}

std::string signed_number(double value, int decimals) {
  const std::string text = number(value, decimals);
  const bool negative = text.starts_with("−");
  return negative || text.find_first_of("123456789") == std::string::npos ? text : "+" + text;
}

std::string with_interval(const study::Figure& f, int decimals) { return interval(f, decimals, number); }
std::string with_signed_interval(const study::Figure& f, int decimals) {
  return interval(f, decimals, signed_number);
}

}  // namespace sonder::report::detail
