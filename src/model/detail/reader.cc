#include "model/detail/reader.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "base/error.h"
#include "model/detail/edit.h"
#include "model/detail/sampler.h"

namespace sonder::model::detail {
namespace {

bool all_finite(std::span<const float> row) {
  constexpr std::uint32_t kExponent = 0x7f800000;  // all its bits are set in infinities and NaN only
  std::uint32_t bad = 0;
  for (const float x : row) bad |= (std::bit_cast<std::uint32_t>(x) & kExponent) == kExponent ? 1U : 0U;
  return bad == 0;
}

bool wants_logits(const Want& want) { return want.logits || want.log_probs; }

}  // namespace

Reader::Reader(Decoder& decoder, Counts& counts, int n_layers, int n_embd)
    : decoder_(decoder), counts_(counts), n_layers_(n_layers), n_embd_(static_cast<std::size_t>(n_embd)) {
  decoder_.forget_all();
}

std::vector<Reader::Part> Reader::plan(const Passage& passage, const Hook& hook, const Want& want) const {
  const int n = static_cast<int>(passage.tokens.size());
  std::vector<int> ends;
  for (const int cut : passage.cuts)
    if (cut > 0 && cut < n) ends.push_back(cut);
  ends.push_back(n);
  const int touched = first_touched(hook, passage.n_prompt, n);
  std::vector<Part> parts;
  int begin = 0;
  for (const int end : ends) {
    Part part;
    part.begin = begin;
    part.end = end;
    part.touched = std::clamp(touched, begin, end);
    if (wants_logits(want))
      for (int i = std::max(begin, passage.n_prompt - 1); i < end; ++i) part.outputs.push_back(i);
    parts.push_back(std::move(part));
    begin = end;
  }
  return parts;
}

// How many leading parts stand in the stream already, computed in the same way, with all that is wanted of
// them.
std::size_t Reader::n_shared(const Passage& passage, const std::vector<Part>& parts) const {
  std::size_t n = 0;
  for (; n < std::min(parts.size(), parts_.size()); ++n) {
    const Part& want = parts[n];
    const Part& have = parts_[n];
    if (want.begin != have.begin || want.end != have.end || want.touched != have.touched) break;
    if (!std::includes(have.outputs.begin(), have.outputs.end(), want.outputs.begin(), want.outputs.end()))
      break;
    const auto from = passage.tokens.begin() + want.begin;
    if (!std::equal(from, passage.tokens.begin() + want.end, tokens_.begin() + want.begin)) break;
  }
  return n;
}

const Reading& Reader::read(const Passage& passage, const Hook& hook, const Want& want) {
  if (decoder_.spoiled()) {
    decoder_.forget_all();
    parts_.clear();
  }
  std::vector<Part> parts = plan(passage, hook, want);
  std::size_t n_kept = n_shared(passage, parts);
  const int n_tokens_kept = n_kept == 0 ? 0 : parts_[n_kept - 1].end;
  if (!decoder_.try_forget(0, n_tokens_kept)) {
    decoder_.forget(0, 0);
    n_kept = 0;
  }
  parts_.resize(n_kept);
  tokens_ = passage.tokens;
  reading_.residuals.resize(want.layers.size());
  reading_.before.resize(want.before ? want.layers.size() : 0);
  for (auto* tables : {&reading_.residuals, &reading_.before}) {
    for (Rows& table : *tables) {
      table.n = tokens_.size();
      table.d = n_embd_;
      table.data.resize(table.n * table.d);
    }
  }
  for (std::size_t i = n_kept; i < parts.size(); ++i) {
    compute(passage, parts[i], hook, want);
    parts_.push_back(std::move(parts[i]));
  }
  collect(passage, want);
  return reading_;
}

void Reader::compute(const Passage& passage, Part& part, const Hook& hook, const Want& want) {
  constexpr int kChunk = static_cast<int>(Decoder::kChunk);
  for (int begin = part.begin; begin < part.end; begin += kChunk)
    decode_chunk(passage, part, begin, std::min(part.end, begin + kChunk), hook, want);
  counts_.prefilled += part.end - part.begin;
}

void Reader::decode_chunk(const Passage& passage, Part& part, int begin, int end, const Hook& hook,
                          const Want& want) {
  const bool last_layer =
      std::find(want.layers.begin(), want.layers.end(), n_layers_ - 1) != want.layers.end();
  const auto is_wanted = [&part](int i) {
    return std::binary_search(part.outputs.begin(), part.outputs.end(), i);
  };
  rows_.clear();
  for (int i = begin; i < end; ++i) {
    const Hook* touching = i >= part.touched ? &hook : nullptr;
    rows_.push_back(
        {passage.tokens[static_cast<std::size_t>(i)], 0, i, last_layer || is_wanted(i), touching});
  }
  pass_.captures.clear();
  for (std::size_t k = 0; k < want.layers.size(); ++k) {
    const std::size_t offset = static_cast<std::size_t>(begin) * n_embd_;
    float* before = want.before ? reading_.before[k].data.data() + offset : nullptr;
    pass_.captures.push_back({want.layers[k], reading_.residuals[k].data.data() + offset, before});
  }
  pass_.residuals_only = !wants_logits(want) && !want.layers.empty();
  decoder_.decode(rows_, pass_);
  for (int i = begin; i < end; ++i) {
    if (!is_wanted(i)) continue;
    const std::span<const float> row = decoder_.logits(static_cast<std::size_t>(i - begin));
    n_vocab_ = row.size();
    if (!all_finite(row)) decoder_.spoil();  // stale cells are multiplied by 0, which heals no NaN
    part.logits.insert(part.logits.end(), row.begin(), row.end());
  }
}

std::span<const float> Reader::logits_after(int i_token) const {
  for (const Part& part : parts_) {
    const auto at = std::lower_bound(part.outputs.begin(), part.outputs.end(), i_token);
    if (at == part.outputs.end() || *at != i_token) continue;
    const auto row = static_cast<std::size_t>(at - part.outputs.begin());
    return std::span<const float>(part.logits).subspan(row * n_vocab_, n_vocab_);
  }
  throw Error(ErrorKind::bug, "logits were not kept");
}

void Reader::check_finite(std::span<const float> row) const {
  if (all_finite(row)) return;
  decoder_.spoil();
  throw Error(ErrorKind::engine,
              "the model computed a number that is not finite; the hook may be too strong for it");
}

void Reader::collect(const Passage& passage, const Want& want) {
  for (const Rows& table : reading_.residuals) check_finite(table.data);
  reading_.log_probs.clear();
  reading_.logits = Rows();
  const int n = static_cast<int>(passage.tokens.size());
  if (want.log_probs) {
    for (int i = passage.n_prompt; i < n; ++i) {
      const std::span<const float> row = logits_after(i - 1);
      const auto token = static_cast<std::size_t>(passage.tokens[static_cast<std::size_t>(i)]);
      check_finite(row);
      reading_.log_probs.push_back(static_cast<double>(row[token]) - log_sum_exp(row));
    }
  }
  if (want.logits) {
    for (int i = passage.n_prompt - 1; i < n; ++i) {
      const std::span<const float> row = logits_after(i);
      check_finite(row);
      reading_.logits.append(row);
    }
  }
}

}  // namespace sonder::model::detail
