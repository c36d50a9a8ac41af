#include <array>
#include <cctype>
#include <string>
#include <string_view>
#include <utility>

#include "model/detail/recipe.h"

namespace sonder::model::detail {
namespace {

constexpr std::array kBlocks = {"p",  "/p",  "br", "li",  "div", "/div", "h1", "/h1",     "h2", "/h2",
                                "h3", "/h3", "ul", "/ul", "ol",  "/ol",  "tr", "section", "hr"};
constexpr std::array<std::pair<std::string_view, std::string_view>, 7> kEntities = {{{"&amp;", "&"},
                                                                                     {"&lt;", "<"},
                                                                                     {"&gt;", ">"},
                                                                                     {"&quot;", "\""},
                                                                                     {"&#39;", "'"},
                                                                                     {"&#34;", "\""},
                                                                                     {"&nbsp;", " "}}};

// From the article's title to its end; the whole page when it has no article.
std::string_view article_of(std::string_view html) {
  const std::size_t begin = html.find("<article");
  const std::size_t end = html.find("</article");
  if (begin >= end || end == std::string_view::npos) return html;
  const std::string_view article = html.substr(begin, end - begin);
  const std::size_t title = article.find("<h1");
  return title == std::string_view::npos ? article : article.substr(title);
}

// "div" of `<DIV class=…>`.
std::string name_of(std::string_view tag) {
  std::string name;
  for (const char letter : tag.substr(1)) {
    if (std::isalnum(static_cast<unsigned char>(letter)) == 0 && !(letter == '/' && name.empty())) break;
    name += static_cast<char>(std::tolower(static_cast<unsigned char>(letter)));
  }
  return name;
}

// A space or a new line, but never two spaces and never more than one empty line.
void add_gap(std::string& text, bool block) {
  while (text.ends_with(' ')) text.pop_back();
  if (block && !text.empty() && !text.ends_with("\n\n")) text += '\n';
  if (!block && !text.empty() && !text.ends_with('\n')) text += ' ';
}

// The letter at the front of `rest` and how many bytes spell it.
std::pair<std::string_view, std::size_t> letter_of(std::string_view rest) {
  for (const auto& [entity, letter] : kEntities)
    if (rest.starts_with(entity)) return {letter, entity.size()};
  return {rest.substr(0, 1), 1};
}

}  // namespace

std::string text_of_html(const std::string& html) {
  std::string_view rest = article_of(html);
  std::string text;
  while (!rest.empty()) {
    if (rest[0] != '<') {
      const auto [letter, n] = letter_of(rest);
      const bool space = std::isspace(static_cast<unsigned char>(rest[0])) != 0 || letter == " ";
      if (space)
        add_gap(text, false);
      else
        text += letter;
      rest.remove_prefix(n);
      continue;
    }
    const std::string name = name_of(rest);
    const std::string until = name == "script" || name == "style" ? "</" + name
                              : rest.starts_with("<!--")          ? "-->"
                                                                  : ">";
    const std::size_t end = rest.find(until, 1);
    if (end == std::string_view::npos) break;
    rest.remove_prefix(end + (until == "-->" ? 3 : until == ">" ? 1 : 0));
    for (const char* block : kBlocks)
      if (name == block) add_gap(text, true);
    if (name == "li") text += "- ";
  }
  while (text.ends_with('\n') || text.ends_with(' ')) text.pop_back();
  return text;
}

}  // namespace sonder::model::detail
