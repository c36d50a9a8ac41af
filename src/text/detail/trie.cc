#include "text/detail/trie.h"

#include <bit>
#include <cstring>

namespace sonder::text::detail {
namespace {

// FNV-1a with a last mixing step; words are short.
std::uint32_t hash_of(std::string_view word) {
  std::uint32_t h = 2166136261U;
  for (const char c : word) h = (h ^ static_cast<unsigned char>(c)) * 16777619U;
  return h ^ (h >> 15);
}

std::uint64_t key_of(std::uint32_t node, std::uint32_t id) {
  return (static_cast<std::uint64_t>(node) << 32) | id;
}

std::size_t place_of(std::uint64_t key) {
  return static_cast<std::size_t>((key * 0x9E3779B97F4A7C15ULL) >> 32);
}

}  // namespace

std::uint32_t Trie::child(std::uint32_t node, std::uint32_t id) {
  const auto [place, is_new] =
      edges_.try_emplace(key_of(node, id), static_cast<std::uint32_t>(nodes_.size()));
  if (is_new) nodes_.emplace_back();
  return place->second;
}

bool Trie::add(const std::vector<std::string>& words, Entry entry) {
  std::uint32_t node = 0;
  for (std::string word : words) {
    if (word == "_") {
      if (nodes_[node].any == kNone) {
        nodes_[node].any = static_cast<std::uint32_t>(nodes_.size());
        nodes_.emplace_back();
      }
      node = nodes_[node].any;
      continue;
    }
    const bool opens = word.front() == '^';
    if (opens) word.erase(0, 1);
    const auto id = words_.try_emplace(word, static_cast<std::uint32_t>(2 * words_.size())).first->second;
    node = child(node, opens ? id + 1 : id);
  }
  Node& last = nodes_[node];
  if (last.ends) return last.entry.category == entry.category;
  last.ends = true;
  last.entry = entry;
  return true;
}

void Trie::finish() {
  table_.assign(std::bit_ceil(2 * words_.size() + 2), {});
  for (const auto& [word, id] : words_) {
    const std::uint32_t hash = hash_of(word);
    std::size_t at = hash & (table_.size() - 1);
    while (table_[at].id != kNone) at = (at + 1) & (table_.size() - 1);
    table_[at] = {hash, static_cast<std::uint32_t>(letters_.size()), static_cast<std::uint32_t>(word.size()),
                  id};
    letters_ += word;
  }
  edge_table_.assign(std::bit_ceil(2 * edges_.size() + 2), {});
  for (const auto& [key, to] : edges_) {
    std::size_t at = place_of(key) & (edge_table_.size() - 1);
    while (edge_table_[at].to != kNone) at = (at + 1) & (edge_table_.size() - 1);
    edge_table_[at] = {key, to};
  }
}

std::uint32_t Trie::look_up(std::string_view word) const {
  const std::uint32_t hash = hash_of(word);
  for (std::size_t at = hash & (table_.size() - 1); table_[at].id != kNone;
       at = (at + 1) & (table_.size() - 1)) {
    const Slot& slot = table_[at];
    if (slot.hash == hash && std::string_view(letters_).substr(slot.begin, slot.size) == word) return slot.id;
  }
  return kNone;
}

std::uint32_t Trie::follow(std::uint32_t node, std::uint32_t id) const {
  const std::uint64_t key = key_of(node, id);
  for (std::size_t at = place_of(key) & (edge_table_.size() - 1); edge_table_[at].to != kNone;
       at = (at + 1) & (edge_table_.size() - 1))
    if (edge_table_[at].key == key) return edge_table_[at].to;
  return kNone;
}

void Trie::identify(const Words& words, std::vector<std::uint32_t>& ids) const {
  ids.resize(words.size());
  for (std::size_t i = 0; i < words.size(); ++i) ids[i] = look_up(words[i]);
}

struct Trie::Search {
  const Trie& trie;
  const Words& words;
  const std::vector<std::uint32_t>& ids;
  std::size_t first;
  Found found;

  void go(std::uint32_t node, std::size_t i) {
    const Node& here = trie.nodes_[node];
    if (here.ends && i - first > found.n) found = {i - first, here.entry};
    if (i == words.size() || (i > first && words.list[i].before >= Gap::sentence)) return;
    if (ids[i] != kNone) {
      if (const std::uint32_t to = trie.follow(node, ids[i]); to != kNone) go(to, i + 1);
      if (i == first && words.list[i].before >= Gap::sentence)
        if (const std::uint32_t to = trie.follow(node, ids[i] + 1); to != kNone) go(to, i + 1);
    }
    if (here.any != kNone) go(here.any, i + 1);
  }
};

Found Trie::longest(const Words& words, const std::vector<std::uint32_t>& ids, std::size_t i) const {
  if (ids[i] == kNone && nodes_[0].any == kNone) return {};
  Search search{*this, words, ids, i, {}};
  search.go(0, i);
  return search.found;
}

}  // namespace sonder::text::detail
