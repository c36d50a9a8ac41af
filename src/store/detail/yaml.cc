// YAML 1.2 (core schema), strictly: what can be read in two ways is refused.
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/yaml.h>

#include <array>
#include <list>
#include <sstream>

#include "store/detail/node.h"
#include "store/detail/words.h"

namespace sonder::store::detail {
namespace {

bool digits(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
}

// YAML 1.2.2, section 10.3.2: [-+]? ( \. [0-9]+ | [0-9]+ ( \. [0-9]* )? ) ( [eE] [-+]? [0-9]+ )?
bool decimal(std::string_view body) {
  const std::size_t e = body.find_first_of("eE");
  if (e != std::string_view::npos) {
    std::string_view exponent = body.substr(e + 1);
    if (!exponent.empty() && (exponent[0] == '-' || exponent[0] == '+')) exponent.remove_prefix(1);
    if (!digits(exponent)) return false;
    body = body.substr(0, e);
  }
  const std::size_t point = body.find('.');
  if (point == std::string_view::npos) return digits(body);
  const std::string_view left = body.substr(0, point);
  const std::string_view right = body.substr(point + 1);
  return (digits(left) || left.empty()) && (digits(right) || right.empty()) &&
         !(left.empty() && right.empty());
}

bool one_of(std::string_view text, std::initializer_list<std::string_view> words) {
  for (const std::string_view word : words) {
    if (text == word) return true;
  }
  return false;
}

// A plain (unquoted) scalar, by the core schema; `text` of an unclear one becomes the reason.
Node plain(const std::string& text) {
  Node node;
  node.text = text;
  std::string_view body = text;
  if (!body.empty() && (body[0] == '-' || body[0] == '+')) body.remove_prefix(1);
  if (one_of(text, {"", "~", "null", "Null", "NULL"})) {
    node.kind = Node::Kind::nothing;
  } else if (one_of(text, {"true", "True", "TRUE", "false", "False", "FALSE"})) {
    node.kind = Node::Kind::boolean;
    node.text = text[0] == 't' || text[0] == 'T' ? "true" : "false";
  } else if (one_of(body, {".inf", ".Inf", ".INF", ".nan", ".NaN", ".NAN"})) {
    node.kind = Node::Kind::unclear;
    node.text = "infinity or NaN, which is no number that a plan can use";
  } else if (body.size() > 1 && body[0] == '0' &&
             (digits(body.substr(1)) || body[1] == 'x' || body[1] == 'o')) {
    node.kind = Node::Kind::unclear;
    node.text =
        "a number that starts with 0, which can be read as octal; write it in decimal without that 0, or in "
        "quotes "
        "when it is text";
  } else if (digits(body)) {
    node.kind = Node::Kind::whole;
  } else if (decimal(body)) {
    node.kind = Node::Kind::decimal;
  } else {
    node.kind = Node::Kind::text;
  }
  if (!text.empty() && text[0] == '+' && node.kind != Node::Kind::text)
    node.text.erase(0, node.text[0] == '+' ? 1 : 0);
  return node;
}

class Builder : public YAML::EventHandler {
 public:
  Builder(std::string file, std::vector<Problem>& problems) : file_(std::move(file)), problems_(problems) {}

  Node take() { return std::move(root_); }
  bool started() const { return started_; }

  void OnDocumentStart(const YAML::Mark& mark) override {
    if (started_) stop(mark, "a second document begins here; a plan is one document");
    started_ = true;
  }
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override { scalar(mark, "?", anchor, ""); }
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t /*anchor*/) override {
    report(mark, "aliases (*name) are not used here; write the value out");
    scalar(mark, "?", 0, "");
  }
  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& value) override {
    scalar(mark, tag, anchor, value);
  }
  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value /*style*/) override {
    begin(mark, tag, anchor, Node::Kind::list);
  }
  void OnSequenceEnd() override { open_.pop_back(); }
  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value /*style*/) override {
    begin(mark, tag, anchor, Node::Kind::map);
  }
  void OnMapEnd() override { open_.pop_back(); }

 private:
  struct Open {
    Node* node;
    bool wants_key;
    bool repeated = false;  // the key was given before: its value is read and forgotten
  };

  static Place place_of(const YAML::Mark& mark) { return {mark.line + 1, mark.column + 1}; }

  void report(const YAML::Mark& mark, const std::string& message) {
    problems_.push_back({file_, mark.line + 1, mark.column + 1, message});
  }
  // The only way out of yaml-cpp's parser; caught in parse_yaml.
  [[noreturn]] static void stop(const YAML::Mark& mark, const std::string& message) {
    throw YAML::ParserException(mark, message);
  }

  void check_properties(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor) {
    if (anchor != 0)
      report(mark, "anchors (&name) are not used here; write the value out where it is needed");
    if (tag != "?" && tag != "!") report(mark, "tags (!name) are not used here; remove it");
  }

  void scalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
              const std::string& value) {
    check_properties(mark, tag, anchor);
    if (!open_.empty() && open_.back().node->kind == Node::Kind::map && open_.back().wants_key) {
      key(mark, value);
      return;
    }
    Node node;
    if (tag == "?") {
      node = plain(value);
    } else {
      node.kind = Node::Kind::text;
      node.text = value;
    }
    node.place = place_of(mark);
    put(std::move(node));
  }

  void key(const YAML::Mark& mark, const std::string& name) {
    Open& open = open_.back();
    open.wants_key = false;
    open.repeated = false;
    for (const Node::Key& known : open.node->keys) {
      if (known.name != name) continue;
      report(mark, "the key " + in_quotes(name) + " is given twice; the first is on line " +
                       std::to_string(known.place.line));
      open.repeated = true;
      return;
    }
    if (open.node->keys.size() >= kWidest)
      stop(mark, "more than " + std::to_string(kWidest) + " keys in one group; this is no plan");
    if (name.empty()) report(mark, "a key is missing before the colon");
    open.node->keys.push_back({name, place_of(mark), {}});
  }

  // Where the value goes that was just read.
  Node* put(Node node) {
    if (open_.empty()) {
      root_ = std::move(node);
      return &root_;
    }
    Open& open = open_.back();
    if (open.node->kind == Node::Kind::list) return &open.node->items.emplace_back(std::move(node));
    open.wants_key = true;
    if (open.repeated) return &forgotten_.emplace_back(std::move(node));
    Node::Key& key = open.node->keys.back();
    if (node.kind == Node::Kind::nothing)
      node.place = key.place;  // yaml-cpp puts an absent value on the next line
    key.value = std::move(node);
    return &key.value;
  }

  void begin(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor, Node::Kind kind) {
    check_properties(mark, tag, anchor);
    if (open_.size() >= kDeepest)
      stop(mark, "nested more than " + std::to_string(kDeepest) + " levels deep; a plan needs 4");
    if (!open_.empty() && open_.back().node->kind == Node::Kind::map && open_.back().wants_key)
      stop(mark, "a list or a group stands where a key is expected");
    Node node;
    node.kind = kind;
    node.place = place_of(mark);
    open_.push_back({put(std::move(node)), true});
  }

  std::string file_;
  std::vector<Problem>& problems_;
  Node root_;
  std::list<Node> forgotten_;  // values of repeated keys; each stays where it is while it is filled
  std::vector<Open> open_;     // parents stay where they are while a child is open
  bool started_ = false;
};

// yaml-cpp's reasons in plain words. It appends what it found after a colon; that may be the user's text, so
// only the part before is looked at.
std::string reason(const YAML::Exception& error) {
  static constexpr std::array<std::pair<std::string_view, std::string_view>, 12> kPlain{{
      {"the referenced anchor", "aliases (*name) are not used here; write the value out"},
      {"illegal map value",
       "a colon cannot stand here; put a text that holds one in quotes, and a space after the colon of each "
       "key"},
      {"illegal map key", "a key cannot stand here; check the indentation"},
      {"illegal block entry", "a list item (-) cannot stand here; check the indentation"},
      {"end of map not found", "expected a key, a colon, a space and a value; check the indentation"},
      {"end of sequence not found", "expected a list item (-) or less indentation"},
      {"end of sequence flow not found", "a list that began with [ is not closed, or a comma is missing"},
      {"end of map flow not found", "a group that began with { is not closed, or a comma is missing"},
      {"illegal flow end", "a ] or } closes nothing"},
      {"illegal EOF in scalar", "a quote is not closed before the file ends"},
      {"illegal document indicator", "a quote is not closed before the document ends"},
      {"unknown escape character",
       "an escape in double quotes that YAML does not know; write \\\\ for a backslash"},
  }};
  for (const auto& [theirs, ours] : kPlain) {
    if (error.msg.rfind(theirs, 0) == 0) return std::string(ours);
  }
  return error.msg.substr(0, error.msg.find(": "));
}

// What yaml-cpp would take, or would report less clearly. True when the text may go on to the parser.
bool precheck(const std::string& text, const std::string& file, std::vector<Problem>& problems) {
  bool good = true;
  bool directives = true;  // only comments and blank lines so far
  int line_number = 0;
  for (std::size_t start = 0; start < text.size();) {
    const std::size_t end = std::min(text.find('\n', start), text.size());
    const std::string_view line(text.data() + start, end - start);
    start = end + 1;
    ++line_number;
    const std::size_t first = line.find_first_not_of(" \t");
    if (first == std::string_view::npos) continue;
    const std::size_t tab = line.substr(0, first).find('\t');
    if (tab != std::string_view::npos) {
      problems.push_back({file, line_number, static_cast<int>(tab) + 1,
                          "a tab in the indentation; YAML indents with spaces only"});
      good = false;
    }
    if (directives && line[0] == '%') {
      problems.push_back(
          {file, line_number, 1, "directives (%YAML, %TAG) are not used here; remove the line"});
      good = false;
    }
    if (line[first] != '#' && line[0] != '%') directives = false;
  }
  return good;
}

}  // namespace

std::optional<Node> parse_yaml(const std::string& text, const std::string& file,
                               std::vector<Problem>& problems) {
  if (!precheck(text, file, problems)) return std::nullopt;
  Builder builder(file, problems);
  // yaml-cpp reports by exception; this border turns each into a Problem.
  // The comment at the end is for yaml-cpp 0.7, which takes a quote that is still open at the end of the last
  // line as closed; with a last line that has no end it says so.
  try {
    std::istringstream in(text + (text.ends_with('\n') ? "" : "\n") + "# end");
    YAML::Parser parser(in);
    while (parser.HandleNextDocument(builder)) {
    }
  } catch (const YAML::Exception& error) {  // parks
    problems.push_back({file, error.mark.line + 1, error.mark.column + 1, reason(error)});
    return std::nullopt;
  }
  return builder.take();
}

}  // namespace sonder::store::detail
