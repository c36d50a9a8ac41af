#include "report/detail/stack.h"

#include <array>

#include "report/detail/encode.h"
#include "report/detail/numbers.h"

namespace sonder::report::detail {
namespace {

// Fill and the colour of a number on it. What says nothing is pale, so that the eye goes to what is said.
struct Paint {
  const char* fill;
  const char* ink;
};
constexpr std::array<Paint, 7> kPaint = {{{"var(--line)", "var(--ink)"},
                                          {"var(--muted)", "var(--paper)"},
                                          {"var(--c5)", "var(--paper)"},
                                          {"var(--c4)", "var(--paper)"},
                                          {"var(--c1)", "var(--paper)"},
                                          {"var(--c3)", "var(--paper)"},
                                          {"var(--c2)", "var(--paper)"}}};

constexpr double kLeft = 84, kWidth = 420, kHeight = 26, kPitch = 34;

std::string piece(double x, double y, double share, const Paint& paint) {
  const double w = share * kWidth;
  std::string out = "<rect x=\"" + number(x, 1) + "\" y=\"" + number(y, 1) + "\" width=\"" + number(w, 1) +
                    "\" height=\"" + number(kHeight, 0) + "\" fill=\"" + paint.fill + "\"><title>" +
                    number(share, 3) + "</title></rect>";
  if (share >= .07)
    out += "<text x=\"" + number(x + w / 2, 1) + "\" y=\"" + number(y + 17.5, 1) +
           "\" text-anchor=\"middle\" fill=\"" + paint.ink + "\">" + number(share, 2) + "</text>";
  return out;
}

}  // namespace

std::string stack_svg(const Stack& stack) {
  const double height = kPitch * static_cast<double>(stack.rows.size());
  std::string out = "<figure><figcaption>" + escape_html(stack.caption) +
                    "</figcaption><div class=\"plot\"><svg viewBox=\"0 0 " + number(kLeft + kWidth, 0) + " " +
                    number(height, 0) + "\" width=\"" + number(kLeft + kWidth, 0) +
                    "\" font-size=\"13\" role=\"img\" aria-label=\"" + escape_html(stack.caption) + "\">\n";
  double y = 4;
  for (const StackRow& row : stack.rows) {
    out += "<text x=\"0\" y=\"" + number(y + 17.5, 1) + "\" fill=\"currentColor\">" + escape_html(row.label) +
           "</text>";
    double x = kLeft;
    for (std::size_t i = 0; i < row.shares.size(); ++i) {
      if (row.shares[i] > 0) out += piece(x, y, row.shares[i], kPaint[i % kPaint.size()]);
      x += row.shares[i] * kWidth;
    }
    out += "\n";
    y += kPitch;
  }
  return out + "</svg></div></figure>\n";
}

std::string stack_key(const std::vector<std::string>& words) {
  std::string out = "<ul class=\"key\">";
  for (std::size_t i = 0; i < words.size(); ++i)
    out +=
        "<li><svg width=\"14\" height=\"14\" aria-hidden=\"true\"><rect width=\"14\" height=\"14\" fill=\"" +
        std::string(kPaint[i % kPaint.size()].fill) + "\"/></svg>" + escape_html(words[i]) + "</li>";
  return out + "</ul>\n";
}

}  // namespace sonder::report::detail
