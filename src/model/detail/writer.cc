#include "model/detail/writer.h"

#include <algorithm>
#include <string>
#include <utility>

namespace sonder::model::detail {
namespace {

// Hooks that touch the prompt make another prefix of the same prompt.
const Hook* prefix_hook(const Request& request) {
  return request.hook.span == Span::all && !request.hook.empty() ? &request.hook : nullptr;
}

bool same_prefix(const Request& a, const Request& b) {
  const Hook* x = prefix_hook(a);
  const Hook* y = prefix_hook(b);
  return a.prompt == b.prompt && (x == nullptr) == (y == nullptr) && (x == nullptr || *x == *y);
}

const Hook* hook_of(const Request& request, bool is_prompt) {
  if (request.hook.empty() || (is_prompt && request.hook.span == Span::reply)) return nullptr;
  return &request.hook;
}

}  // namespace

int Writer::n_streams(int n_slots) { return std::max(n_slots, 2) + 2; }

int Writer::prompt_stream() const { return std::max(static_cast<int>(n_slots_), 2); }

Writer::Writer(Decoder& decoder, const Vocab& vocab, int n_slots, Counts& counts, const OnLogits& on_logits)
    : decoder_(decoder),
      vocab_(vocab),
      n_slots_(static_cast<std::size_t>(n_slots)),
      counts_(counts),
      on_logits_(on_logits),
      scratch_(static_cast<std::size_t>(decoder.shape().n_threads)) {}

// Requests that share a prefix stand side by side, in the order in which prefixes first appear.
std::vector<std::size_t> Writer::order() const {
  std::map<std::pair<std::vector<Token>, std::string>, std::size_t> first_seen;
  std::vector<std::pair<std::size_t, std::size_t>> keyed;
  for (std::size_t i = 0; i < requests_.size(); ++i) {
    const Hook* hook = prefix_hook(requests_[i]);
    const auto key = std::pair(requests_[i].prompt, hook == nullptr ? std::string() : hash_of(*hook));
    keyed.emplace_back(first_seen.emplace(key, i).first->second, i);
  }
  std::stable_sort(keyed.begin(), keyed.end());
  std::vector<std::size_t> indices;
  for (const auto& [group, i] : keyed) indices.push_back(i);
  return indices;
}

void Writer::run(std::span<const Request> requests, const Model::OnReply& done, const Cancel& cancel) {
  requests_ = requests;
  decoder_.forget_all();
  in_prompt_stream_ = nullptr;
  slots_.clear();
  waiting_ = order();
  std::reverse(waiting_.begin(), waiting_.end());

  while (true) {
    while (slots_.size() < n_slots_ && !waiting_.empty() && !cancel.asked()) {
      start(waiting_.back(), slots_.size());
      waiting_.pop_back();
    }
    if (slots_.empty()) break;
    step();
    for (std::size_t k = slots_.size();
         k-- > 0;) {  // from the back, so that what moves into a gap is done already
      Stopped stopped = Stopped::limit;
      const State state = advance(slots_[k], drawn_[k], stopped);
      if (state == State::writing) continue;
      const std::size_t i_request = slots_[k].i_request;
      if (state == State::finished) {
        done(i_request, slots_[k].text.finish(stopped));
      } else {
        decoder_.spoil();
        done(i_request, Missing{kNotFinite});
      }
      if (!waiting_.empty() && !cancel.asked()) {
        start(waiting_.back(), k);
        waiting_.pop_back();
      } else {
        vacate(k);
      }
    }
  }
  if (!waiting_.empty()) cancel.check();
}

// All of the prompt but its last token, which is computed once per reply.
void Writer::read_prefix(const Request& request) {
  if (in_prompt_stream_ != nullptr && same_prefix(*in_prompt_stream_, request)) return;
  in_prompt_stream_ = &request;
  const int stream = prompt_stream();
  // Wiped with the spare stream: should the last prompt have left a NaN, being multiplied by 0 would not heal
  // it.
  decoder_.copy(stream + 1, stream);
  decoder_.forget(stream, 0);
  const std::size_t n = request.prompt.size() - 1;
  for (std::size_t begin = 0; begin < n; begin += Decoder::kChunk) {
    rows_.clear();
    for (std::size_t i = begin; i < std::min(n, begin + Decoder::kChunk); ++i)
      rows_.push_back({request.prompt[i], stream, static_cast<int>(i), false, prefix_hook(request)});
    decoder_.decode(rows_, pass_);
  }
  counts_.prefilled += static_cast<std::int64_t>(n);
}

void Writer::start(std::size_t i_request, std::size_t i_slot) {
  const Request& request = requests_[i_request];
  read_prefix(request);
  decoder_.copy(prompt_stream(), static_cast<int>(i_slot));
  Slot slot{i_request, static_cast<int>(request.prompt.size()) - 1, request.prompt.back(),
            Stream(request.seed), ReplyText(request.stop)};
  if (i_slot == slots_.size()) {
    slots_.push_back(std::move(slot));
  } else {
    slots_[i_slot] = std::move(slot);
  }
}

void Writer::step() {
  rows_.clear();
  for (std::size_t k = 0; k < slots_.size(); ++k) {
    const Slot& slot = slots_[k];
    const Request& request = requests_[slot.i_request];
    const bool is_prompt = slot.pos + 1 == static_cast<int>(request.prompt.size());
    rows_.push_back({slot.next, static_cast<int>(k), slot.pos, true, hook_of(request, is_prompt)});
    ++(is_prompt ? counts_.prefilled : counts_.decoded);
  }
  decoder_.decode(rows_, pass_);
  draw_all();
}

// The rows do not know each other, so threads change nothing but the time.
void Writer::draw_all() {
  std::vector<double> uniform(slots_.size());
  std::vector<std::span<const float>> logits(slots_.size());
  for (std::size_t k = 0; k < slots_.size(); ++k) {
    logits[k] = decoder_.logits(k);
    const bool greedy = requests_[slots_[k].i_request].sampler.temperature == 0;
    uniform[k] = greedy ? 0 : slots_[k].random.uniform();
    if (on_logits_) on_logits_(slots_[k].i_request, slots_[k].text.n_tokens(), logits[k]);
  }
  drawn_.assign(slots_.size(), std::nullopt);
  const int n_threads = decoder_.shape().n_threads;
#pragma omp parallel for schedule(static, 1) num_threads(n_threads)
  for (int thread = 0; thread < n_threads; ++thread) {
    Weights& scratch = scratch_[static_cast<std::size_t>(thread)];
    for (auto k = static_cast<std::size_t>(thread); k < logits.size();
         k += static_cast<std::size_t>(n_threads))
      drawn_[k] = draw(logits[k], requests_[slots_[k].i_request].sampler, uniform[k], scratch);
  }
}

Writer::State Writer::advance(Slot& slot, std::optional<Token> token, Stopped& stopped) {
  if (!token) return State::not_finite;
  stopped = Stopped::end_of_turn;
  if (vocab_.ends_turn(*token)) return State::finished;
  stopped = Stopped::stop_text;
  if (slot.text.add(*token, vocab_.piece(*token))) return State::finished;
  stopped = Stopped::limit;
  if (static_cast<int>(slot.text.n_tokens()) >= requests_[slot.i_request].n_max) return State::finished;
  slot.next = *token;
  ++slot.pos;
  return State::writing;
}

// Closes the gap with the last reply at work.
void Writer::vacate(std::size_t i_slot) {
  const std::size_t last = slots_.size() - 1;
  if (i_slot != last) {
    decoder_.copy(static_cast<int>(last), static_cast<int>(i_slot));
    slots_[i_slot] = std::move(slots_[last]);
  }
  slots_.pop_back();
}

}  // namespace sonder::model::detail
