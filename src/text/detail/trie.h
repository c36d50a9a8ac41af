// Phrases by their words. Private to the room.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "text/words.h"

namespace sonder::text::detail {

struct Entry {
  std::size_t category = 0;
  double weight = 1;
};

struct Found {
  std::size_t n = 0;  // words; 0: nothing begins here
  Entry entry;
};

class Trie {
 public:
  // words: literal, "^literal" (the first word only), "_" (any word). The first entry for a phrase holds;
  // false when the phrase is already in another category.
  bool add(const std::vector<std::string>& words, Entry entry);
  void finish();  // after the last add, before the first look-up

  // ids: [words], what longest() needs of each word.
  void identify(const Words& words, std::vector<std::uint32_t>& ids) const;
  // The longest phrase that begins at word i.
  Found longest(const Words& words, const std::vector<std::uint32_t>& ids, std::size_t i) const;

 private:
  static constexpr std::uint32_t kNone = 0xffffffffU;
  struct Node {
    std::uint32_t any = kNone;  // the node after "_"
    bool ends = false;
    Entry entry;
  };
  struct Slot {  // of the table of words
    std::uint32_t hash = 0;
    std::uint32_t begin = 0;
    std::uint32_t size = 0;
    std::uint32_t id = kNone;
  };
  struct Edge {
    std::uint64_t key = 0;
    std::uint32_t to = kNone;
  };
  struct Search;

  std::uint32_t child(std::uint32_t node, std::uint32_t id);
  std::uint32_t look_up(std::string_view word) const;
  std::uint32_t follow(std::uint32_t node, std::uint32_t id) const;

  // An even id is a word wherever it stands, id + 1 the same word where a sentence begins.
  std::unordered_map<std::string, std::uint32_t> words_;    // while adding
  std::unordered_map<std::uint64_t, std::uint32_t> edges_;  // while adding
  std::vector<Node> nodes_ = std::vector<Node>(1);
  std::vector<Slot> table_;
  std::string letters_;
  std::vector<Edge> edge_table_;
};

}  // namespace sonder::text::detail
