#include "model/detail/chat.h"

#include <chrono>
#include <exception>
#include <optional>
#include <utility>

#include "base/error.h"

namespace sonder::model::detail {
namespace {

void check_turns(std::span<const Message> turns) {
  require(!turns.empty(), "a conversation has at least one turn");
  for (const Message& turn : turns)
    require(turn.role == "system" || turn.role == "user" || turn.role == "assistant",
            "a turn's role is system, user or assistant");
}

std::string roles_of(std::span<const Message> turns) {
  std::string roles;
  for (const Message& turn : turns) roles += (roles.empty() ? "" : ", ") + turn.role;
  return roles;
}

common_chat_templates_inputs inputs_of(std::span<const Message> turns) {
  common_chat_templates_inputs inputs;
  for (const Message& turn : turns) {
    common_chat_msg message;
    message.role = turn.role;
    message.content = turn.content;
    inputs.messages.push_back(std::move(message));
  }
  inputs.add_generation_prompt = true;
  inputs.use_jinja = true;
  inputs.force_pure_content = true;  // no tools, no parser for the answer
  // Some templates print today's date. A cell must not depend on the day: always that of Llama 3.1's own
  // default.
  inputs.now = std::chrono::sys_days(std::chrono::year(2024) / 7 / 26) + std::chrono::hours(12);
  return inputs;
}

// common throws its own exceptions, which may quote the conversation; they must not leave this room. Nothing
// when the work failed.
template <class Work>
auto at_the_border(Work work) -> std::optional<decltype(work())> {
  try {
    return work();
  } catch (const std::exception&) {  // border: the template engine throws its own kinds
    return std::nullopt;
  }
}

}  // namespace

ChatTemplate::ChatTemplate(const llama_model* model)
    : present_(llama_model_chat_template(model, nullptr) != nullptr) {
  if (!present_) return;  // common would use ChatML in silence
  auto parsed = at_the_border([&] { return common_chat_templates_init(model, ""); });
  if (!parsed) return;
  templates_ = std::move(*parsed);
  const auto caps = common_chat_templates_get_caps(templates_.get());
  const auto system = caps.find("supports_system_role");
  takes_system_ = system == caps.end() || system->second;
}

std::string ChatTemplate::render(std::span<const Message> turns) const {
  require(present_, "this model's file has no chat template; use `template: plain`");
  require(static_cast<bool>(templates_),
          "the chat template in this model's file cannot be parsed; use `template: plain`");
  check_turns(turns);
  for (const Message& turn : turns)  // common would put it into the first user turn in silence
    require(takes_system_ || turn.role != "system",
            "this model's chat template takes no system turn; put its text into the first user turn");
  const auto text =
      at_the_border([&] { return common_chat_templates_apply(templates_.get(), inputs_of(turns)).prompt; });
  if (text) return *text;
  throw Error(ErrorKind::bad_input, "this model's chat template cannot hold turns of the roles " +
                                        roles_of(turns) + "; most want user and assistant in turn");
}

std::string render_plain(std::span<const Message> turns) {
  check_turns(turns);
  std::string text;
  for (const Message& turn : turns) {
    if (turn.role == "user") text += "User: ";
    if (turn.role == "assistant") text += "Assistant: ";
    text += turn.content + "\n\n";
  }
  return text + "Assistant:";
}

}  // namespace sonder::model::detail
