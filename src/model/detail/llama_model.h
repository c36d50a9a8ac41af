// The Model that runs a GGUF with llama.cpp.
#pragma once

#include <llama-cpp.h>

#include <memory>

#include "model/detail/chat.h"
#include "model/detail/decoder.h"
#include "model/detail/encoder.h"
#include "model/detail/file_stamp.h"
#include "model/detail/vocab.h"
#include "model/detail/writer.h"
#include "model/model.h"

namespace sonder::model::detail {

class LlamaModel : public Model {
 public:
  LlamaModel(const std::string& path, const Options& options);

  const Card& card() const override { return card_; }
  void require_unchanged() const override;
  std::string render(std::span<const Message> turns, Template form) const override;
  std::vector<Token> tokenise(const std::string& rendered) const override {
    return vocab_.tokenise(rendered);
  }
  std::vector<Token> tokenise_plain(const std::string& text) const override {
    return vocab_.tokenise_plain(text);
  }
  std::string detokenise(std::span<const Token> tokens) const override { return vocab_.detokenise(tokens); }
  void reply(std::span<const Request> requests, const OnReply& done, const Cancel& cancel) override;
  void read(std::span<const Passage> passages, const Hook& hook, const Want& want, const OnReading& done,
            const Cancel& cancel) override;
  std::vector<Choices> choose(std::span<const Passage> passages, std::span<const std::string> answers,
                              const Cancel& cancel) override;
  Rows embed(std::span<const std::string> texts, const Cancel& cancel) override;
  Counts counts() const override { return counts_; }

  // For tests: see OnLogits.
  void watch(OnLogits on_logits) { on_logits_ = std::move(on_logits); }

 private:
  void check(const Request& request) const;
  void check(const Passage& passage) const;
  void check_length(std::size_t n_tokens) const;
  void check_writes() const;
  // A decoder with room for texts of n_tokens; made anew only when the present one is too small.
  static Decoder& roomy(std::unique_ptr<Decoder>& decoder, llama_model* model, Shape shape,
                        std::size_t n_tokens, Counts& counts);
  Decoder& reader_for(std::span<const Passage> passages, std::size_t n_more);

  Options options_;
  llama_model_ptr model_;
  FileStamp stamp_;  // taken before the file is hashed
  Card card_;
  Vocab vocab_;
  ChatTemplate chat_;
  Counts counts_;
  OnLogits on_logits_;
  std::unique_ptr<Decoder> writing_;
  std::unique_ptr<Decoder> reading_;
  std::unique_ptr<Encoder> encoder_;
};

}  // namespace sonder::model::detail
