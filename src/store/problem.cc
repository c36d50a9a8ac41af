#include "store/problem.h"

#include <algorithm>

namespace sonder::store {
namespace {

constexpr std::size_t kMostShown = 100;  // a screen holds no more, and a wrong file can have a million

std::string line_of(const Problem& problem) {
  std::string text = problem.file;
  if (problem.line > 0) text += ":" + std::to_string(problem.line);
  if (problem.line > 0 && problem.column > 0) text += ":" + std::to_string(problem.column);
  return text + (text.empty() ? "" : ": ") + problem.message;
}

}  // namespace

std::string to_text(const std::vector<Problem>& problems) {
  std::string text;
  for (std::size_t i = 0; i < std::min(problems.size(), kMostShown); ++i) {
    if (i > 0) text += "\n";
    text += line_of(problems[i]);
  }
  if (problems.size() > kMostShown)
    text += "\n… and " + std::to_string(problems.size() - kMostShown) + " more";
  return text;
}

}  // namespace sonder::store
