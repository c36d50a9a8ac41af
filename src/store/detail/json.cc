#include <list>
#include <nlohmann/json.hpp>

#include "store/detail/node.h"
#include "store/detail/words.h"

namespace sonder::store::detail {
namespace {

using nlohmann::json;

class Builder : public json::json_sax_t {
 public:
  Builder(std::string file, int line, std::vector<Problem>& problems)
      : file_(std::move(file)), line_(line), problems_(problems) {}

  Node take() { return std::move(root_); }

  bool null() override { return put({}); }
  bool boolean(bool value) override { return scalar(Node::Kind::boolean, value ? "true" : "false"); }
  bool number_integer(number_integer_t value) override {
    return scalar(Node::Kind::whole, std::to_string(value));
  }
  bool number_unsigned(number_unsigned_t value) override {
    return scalar(Node::Kind::whole, std::to_string(value));
  }
  bool number_float(number_float_t /*value*/, const string_t& text) override {
    return scalar(Node::Kind::decimal, text);
  }
  bool string(string_t& value) override { return scalar(Node::Kind::text, value); }
  bool binary(binary_t& /*value*/) override { return false; }
  bool start_object(std::size_t /*size*/) override { return begin(Node::Kind::map); }
  bool end_object() override { return end(); }
  bool start_array(std::size_t /*size*/) override { return begin(Node::Kind::list); }
  bool end_array() override { return end(); }

  bool key(string_t& name) override {
    Open& open = open_.back();
    open.repeated = open.node->find(name) != nullptr;
    if (open.node->keys.size() >= kWidest) {
      report(0, "more than " + std::to_string(kWidest) + " keys in one object");
      return false;
    }
    if (open.repeated) {
      report(0, "the key " + in_quotes(name) + " is given twice in the same object");
    } else {
      open.node->keys.push_back({name, {line_, 0}, {}});
    }
    return true;
  }

  // The library's own message repeats the text it read, so only its kind is used.
  bool parse_error(std::size_t position, const std::string& /*token*/,
                   const json::exception& error) override {
    const std::string what = error.what();
    const auto says = [&](const char* word) { return what.find(word) != std::string::npos; };
    std::string message = "this is not JSON";
    if (says("surrogate")) {
      message = "half of a surrogate pair (\\ud800 to \\udfff) stands alone; write the character itself";
    } else if (says("out_of_range") || says("overflow")) {
      message = "a number is too large";
    } else if (says("control character")) {
      message = "a control character inside a text; write it as \\n, \\t or \\u00XX";
    } else if (says("UTF-8")) {
      message = "the text is not valid UTF-8";
    } else if (says("unexpected end of input") || says("missing closing quote")) {
      message = "it ends before it is complete";
    } else if (says("expected end of input")) {
      message = "something stands after the value; each line holds one value";
    }
    report(static_cast<int>(position), message);
    return false;
  }

 private:
  struct Open {
    Node* node;
    bool repeated = false;
  };

  void report(int column, const std::string& message) {
    problems_.push_back({file_, line_, column, message});
  }

  bool scalar(Node::Kind kind, std::string text) {
    Node node;
    node.kind = kind;
    node.text = std::move(text);
    return put(std::move(node));
  }
  bool put(Node node) {
    place(std::move(node));
    return true;
  }
  Node* place(Node node) {
    node.place = {line_, 0};
    if (open_.empty()) {
      root_ = std::move(node);
      return &root_;
    }
    Open& open = open_.back();
    if (open.node->kind == Node::Kind::list) return &open.node->items.emplace_back(std::move(node));
    if (open.repeated) return &forgotten_.emplace_back(std::move(node));
    open.node->keys.back().value = std::move(node);
    return &open.node->keys.back().value;
  }
  bool begin(Node::Kind kind) {
    if (open_.size() >= kDeepest) {
      report(0, "nested more than " + std::to_string(kDeepest) + " levels deep");
      return false;
    }
    Node node;
    node.kind = kind;
    open_.push_back({place(std::move(node))});
    return true;
  }
  bool end() {
    open_.pop_back();
    return true;
  }

  std::string file_;
  int line_;
  std::vector<Problem>& problems_;
  Node root_;
  std::list<Node> forgotten_;  // values of repeated keys; each stays where it is while it is filled
  std::vector<Open> open_;
};

}  // namespace

std::optional<Node> parse_json(std::string_view text, const std::string& file, int line,
                               std::vector<Problem>& problems) {
  const std::size_t before = problems.size();
  Builder builder(file, line, problems);
  if (!json::sax_parse(text.begin(), text.end(), &builder)) {
    if (problems.size() == before) problems.push_back({file, line, 0, "this is not JSON"});
    return std::nullopt;
  }
  return builder.take();
}

}  // namespace sonder::store::detail
