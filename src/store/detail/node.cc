#include "store/detail/node.h"

namespace sonder::store::detail {

const Node* Node::find(std::string_view name) const {
  for (const Key& key : keys) {
    if (key.name == name) return &key.value;
  }
  return nullptr;
}

std::string describe(const Node& node) {
  switch (node.kind) {
    case Node::Kind::nothing:
      return "nothing";
    case Node::Kind::boolean:
      return "true or false";
    case Node::Kind::whole:
      return "a whole number";
    case Node::Kind::decimal:
      return "a decimal number";
    case Node::Kind::unclear:
      return "a number that is written unclearly";
    case Node::Kind::text:
      return "text";
    case Node::Kind::list:
      return "a list";
    case Node::Kind::map:
      return "a group of keys";
  }
  return "something else";
}

}  // namespace sonder::store::detail
