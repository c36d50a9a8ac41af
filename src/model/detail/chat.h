// How a conversation becomes text.
#pragma once

#include <chat.h>
#include <llama.h>

#include <span>
#include <string>

#include "model/model.h"

namespace sonder::model::detail {

class ChatTemplate {
 public:
  explicit ChatTemplate(const llama_model* model);

  bool present() const { return present_; }
  // As transformers' apply_chat_template(add_generation_prompt=True), save for a first token that the
  // tokeniser adds itself. Throws Error(bad_input) when the file has no template, or when the template cannot
  // hold such turns.
  std::string render(std::span<const Message> turns) const;

 private:
  bool present_;
  common_chat_templates_ptr templates_;
  bool takes_system_ = true;
};

// "system text\n\nUser: …\n\nAssistant: …\n\nUser: …\n\nAssistant:"
std::string render_plain(std::span<const Message> turns);

}  // namespace sonder::model::detail
