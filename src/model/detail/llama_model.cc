#include "model/detail/llama_model.h"

#include <algorithm>
#include <string>
#include <thread>

#include "base/error.h"
#include "base/hash.h"
#include "model/detail/card.h"
#include "model/detail/chooser.h"
#include "model/detail/edit.h"
#include "model/detail/reader.h"

namespace sonder::model::detail {
namespace {

Options checked(Options options) {
  require(options.n_threads >= 0, "n_threads is 0 (all cores) or more");
  const auto most = static_cast<int>(llama_max_parallel_sequences()) - 2;
  require(options.n_slots >= 1 && options.n_slots <= most,
          "n_slots is between 1 and " + std::to_string(most));
  require(options.n_ctx >= 0, "n_ctx is 0 (as many as needed) or more");
  if (options.n_threads == 0)
    options.n_threads = std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
  return options;
}

}  // namespace

LlamaModel::LlamaModel(const std::string& path, const Options& options)
    : options_(checked(options)),
      model_(open(path)),
      stamp_(stamp_of(path)),
      card_(card_of(model_.get(), path)),
      vocab_(model_.get()),
      chat_(model_.get()) {
  card_.n_ctx = options_.n_ctx > 0 ? std::min(options_.n_ctx, card_.n_ctx_train) : card_.n_ctx_train;
}

void LlamaModel::require_unchanged() const {
  const FileStamp now = stamp_of(card_.path);
  if (now == stamp_ || now.file != stamp_.file) return;  // ours lives on though its name is gone
  const std::string hash = sha256_file(card_.path);
  if (hash == card_.sha256) return;  // touched, not changed
  throw Error(ErrorKind::corrupt, "the model file " + card_.path +
                                      " was changed while it was in use: its sha256 was " + card_.sha256 +
                                      " and is now " + hash +
                                      "; put the old file back and run again, or start a new run");
}

std::string LlamaModel::render(std::span<const Message> turns, Template form) const {
  return form == Template::chat ? chat_.render(turns) : render_plain(turns);
}

void LlamaModel::check_writes() const {
  require(!card_.is_encoder,
          "this model embeds texts and writes none; load a model that writes, such as smollm2-135m");
}

void LlamaModel::check_length(std::size_t n_tokens) const {
  require(n_tokens <= static_cast<std::size_t>(card_.n_ctx),
          "a text of " + std::to_string(n_tokens) + " tokens, its reply included, is longer than the " +
              std::to_string(card_.n_ctx) + " that are allowed");
}

void LlamaModel::check(const Request& request) const {
  require(!request.prompt.empty(), "a prompt has at least one token");
  require(request.n_max >= 1, "n_max is at least 1");
  vocab_.check(request.prompt);
  check_length(request.prompt.size() + static_cast<std::size_t>(request.n_max));
  check_hook(request.hook, card_.n_layers, card_.n_embd);
  check_sampler(request.sampler);
  ReplyText stops(request.stop);
}

void LlamaModel::check(const Passage& passage) const {
  const int n = static_cast<int>(passage.tokens.size());
  require(n > 0, "a passage has at least one token");
  vocab_.check(passage.tokens);
  check_length(passage.tokens.size());
  require(passage.n_prompt >= 0 && passage.n_prompt <= n, "n_prompt lies within the passage");
  int last = 0;
  for (const int cut : passage.cuts) {
    require(cut > last && cut <= n, "cuts are ascending token counts within the passage");
    last = cut;
  }
}

Decoder& LlamaModel::roomy(std::unique_ptr<Decoder>& decoder, llama_model* model, Shape shape,
                           std::size_t n_tokens, Counts& counts) {
  constexpr std::size_t kStep = 256;
  if (!decoder || static_cast<std::size_t>(decoder->shape().n_ctx_seq) < n_tokens) {
    decoder.reset();  // before the new one is made: two may be too large for the memory
    shape.n_ctx_seq = static_cast<int>((n_tokens + kStep - 1) / kStep * kStep);
    decoder = std::make_unique<Decoder>(model, shape, counts);
  }
  return *decoder;
}

void LlamaModel::reply(std::span<const Request> requests, const OnReply& done, const Cancel& cancel) {
  check_writes();
  std::size_t longest = 0;
  for (const Request& request : requests) {
    check(request);
    longest = std::max(longest, request.prompt.size() + static_cast<std::size_t>(request.n_max));
  }
  if (requests.empty()) return;
  const Shape shape{Writer::n_streams(options_.n_slots), 0, options_.n_threads};
  Decoder& decoder = roomy(writing_, model_.get(), shape, longest, counts_);
  Writer(decoder, vocab_, options_.n_slots, counts_, on_logits_).run(requests, done, cancel);
}

Decoder& LlamaModel::reader_for(std::span<const Passage> passages, std::size_t n_more) {
  std::size_t longest = 0;
  for (const Passage& passage : passages) {
    check(passage);
    longest = std::max(longest, passage.tokens.size());
  }
  return roomy(reading_, model_.get(), Shape{Reader::kStreams, 0, options_.n_threads}, longest + n_more,
               counts_);
}

void LlamaModel::read(std::span<const Passage> passages, const Hook& hook, const Want& want,
                      const OnReading& done, const Cancel& cancel) {
  check_writes();
  check_hook(hook, card_.n_layers, card_.n_embd);
  for (const int layer : want.layers)
    require(layer >= 0 && layer < card_.n_layers,
            "this model has layers 0 to " + std::to_string(card_.n_layers - 1));
  if (passages.empty()) return;
  for (const Passage& passage : passages)
    require(passage.n_prompt >= 1 || (!want.log_probs && !want.logits),
            "a first token has no probability: n_prompt is at least 1");
  Reader reader(reader_for(passages, 0), counts_, card_.n_layers, card_.n_embd);
  for (std::size_t i = 0; i < passages.size(); ++i) {
    cancel.check();
    done(i, reader.read(passages[i], hook, want));
  }
}

std::vector<Choices> LlamaModel::choose(std::span<const Passage> passages,
                                        std::span<const std::string> answers, const Cancel& cancel) {
  check_writes();
  const Chooser chooser(vocab_, answers);
  std::vector<Choices> all;
  if (passages.empty()) return all;
  for (const Passage& passage : passages)
    require(passage.n_prompt == static_cast<int>(passage.tokens.size()),
            "a passage to choose after has no reply part");
  Reader reader(reader_for(passages, chooser.longest()), counts_, card_.n_layers, card_.n_embd);
  for (const Passage& passage : passages) {
    cancel.check();
    all.push_back(chooser.choose(reader, passage));
  }
  return all;
}

Rows LlamaModel::embed(std::span<const std::string> texts, const Cancel& cancel) {
  require(card_.is_encoder, "this model writes and embeds no texts; load an encoder, such as minilm");
  if (!encoder_) encoder_ = std::make_unique<Encoder>(model_.get(), options_.n_threads);
  Rows rows;
  for (const std::string& text : texts) {
    cancel.check();
    rows.append(encoder_->embed(text));
  }
  return rows;
}

}  // namespace sonder::model::detail

namespace sonder::model {

std::unique_ptr<Model> Model::load(const std::string& path, const Options& options) {
  return std::make_unique<detail::LlamaModel>(path, options);
}

}  // namespace sonder::model
