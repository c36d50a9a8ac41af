// sonder completion and sonder man: made from the commands themselves, so that they are never out of date.
#include <fmt/format.h>

#include <algorithm>

#include "door.h"

namespace sonder::cli {
namespace {

struct Command {
  std::string path;  // "model pull"
  CLI::App* app = nullptr;
};

void collect(CLI::App* app, const std::string& path, std::vector<Command>& out) {
  for (CLI::App* command : app->get_subcommands([](CLI::App*) { return true; })) {
    const std::string full = path.empty() ? command->get_name() : path + " " + command->get_name();
    out.push_back({full, command});
    collect(command, full, out);
  }
}

std::vector<Command> commands(CLI::App& app) {
  std::vector<Command> out;
  collect(&app, "", out);
  return out;
}

std::string names_of(CLI::App* app, const char* between) {
  std::string out;
  for (CLI::App* command : app->get_subcommands([](CLI::App*) { return true; }))
    out += (out.empty() ? "" : between) + command->get_name();
  for (const CLI::Option* option : app->get_options())
    for (const std::string& name : option->get_lnames()) out += (out.empty() ? "" : between) + ("--" + name);
  return out;
}

// Words by the command that stands before them; files elsewhere.
std::string bash(CLI::App& app) {
  std::string out =
      "# sonder completion bash > ~/.local/share/bash-completion/completions/sonder\n"
      "_sonder() {\n  local cur=${COMP_WORDS[COMP_CWORD]} path=\"\" word words files=\"\" i\n"
      "  for ((i = 1; i < COMP_CWORD; i++)); do\n    word=${COMP_WORDS[i]}\n"
      "    [[ $word == -* ]] || case \"$path $word\" in\n";
  for (const Command& c : commands(app))
    out += fmt::format("      {:?}) path={:?} ;;\n", " " + c.path, c.path);
  for (const Command& c : commands(app)) {
    const auto space = c.path.find(' ');
    if (space != std::string::npos)
      out += fmt::format("      {:?}) path={:?} ;;\n",
                         c.path.substr(0, space) + " " + c.path.substr(space + 1), c.path);
  }
  out += "    esac\n  done\n  case \"$path\" in\n";
  out += fmt::format("    \"\") words={:?} ;;\n", names_of(&app, " "));
  for (const Command& c : commands(app)) {
    const bool leads_on = !c.app->get_subcommands([](CLI::App*) { return true; }).empty();
    out +=
        fmt::format("    {:?}) words={:?}{} ;;\n", c.path, names_of(c.app, " "), leads_on ? "" : " files=1");
  }
  return out +
         "  esac\n  COMPREPLY=($(compgen -W \"$words\" -- \"$cur\"))\n"
         "  [[ $cur == -* || -z $files ]] || COMPREPLY+=($(compgen -f -- \"$cur\"))\n}\n"
         "complete -o filenames -F _sonder sonder\n";
}

std::string zsh(CLI::App& app) {
  return "#compdef sonder\n# sonder completion zsh > a folder of $fpath, as _sonder\n"
         "autoload -U +X bashcompinit && bashcompinit\n" +
         bash(app);
}

std::string fish(CLI::App& app) {
  std::string out = "# sonder completion fish > ~/.config/fish/completions/sonder.fish\n";
  for (const Command& c : commands(app)) {
    const auto space = c.path.rfind(' ');
    const std::string last = space == std::string::npos ? c.path : c.path.substr(space + 1);
    const std::string seen = space == std::string::npos
                                 ? std::string("__fish_use_subcommand")
                                 : "__fish_seen_subcommand_from " + c.path.substr(0, space);
    out += fmt::format("complete -c sonder -n {:?} -a {:?} -d {:?}\n", seen, last, c.app->get_description());
    for (const CLI::Option* option : c.app->get_options())
      for (const std::string& name : option->get_lnames())
        out += fmt::format("complete -c sonder -n {:?} -l {:?} -d {:?}\n",
                           "__fish_seen_subcommand_from " + last, name, option->get_description());
  }
  return out;
}

// Text for roff: no line begins with a control character.
std::string roff(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if ((c == '.' || c == '\'') && (out.empty() || out.back() == '\n')) out += "\\&";
    if (c == '\\')
      out += "\\e";
    else if (c == '-')
      out += "\\-";
    else
      out += c;
  }
  return out;
}

std::string options_of(CLI::App* app) {
  std::string out;
  for (const CLI::Option* option : app->get_options()) {
    if (option->get_description().empty()) continue;
    out += ".TP\n.B " + roff(option->get_name(option->get_positional(), true)) + "\n" +
           roff(option->get_description()) + "\n";
  }
  return out;
}

std::string manual(CLI::App& app) {
  std::string out = ".TH SONDER 1 \"\" \"Sonder " + std::string(SONDER_VERSION) +
                    "\"\n.SH NAME\nsonder \\- " + roff(app.get_description()) +
                    "\n.SH SYNOPSIS\n.B sonder\n[\\-\\-quiet] [\\-\\-json] COMMAND …\n.SH OPTIONS\n" +
                    options_of(&app) + ".SH COMMANDS\n";
  for (const Command& c : commands(app)) {
    out += ".SS sonder " + roff(c.path) + "\n" + roff(c.app->get_description()) + "\n" + options_of(c.app);
    if (!c.app->get_footer().empty()) out += ".PP\n.nf\n" + roff(c.app->get_footer()) + "\n.fi\n";
  }
  return out + ".SH NOTES\n.nf\n" + roff(app.get_footer()) + "\n.fi\n";
}

}  // namespace

void add_manual(CLI::App& app, Action& action) {
  auto shell = std::make_shared<std::string>();
  CLI::App* completion = app.add_subcommand("completion", "what a shell needs to complete these commands");
  completion->add_option("shell", *shell, "bash, zsh or fish")
      ->required()
      ->check(CLI::IsMember({"bash", "zsh", "fish"}));
  completion->footer(
      "Example:\n  sonder completion bash > ~/.local/share/bash-completion/completions/sonder");
  completion->callback([shell, &app, &action] {
    action = [shell, &app] {
      fmt::print("{}", *shell == "bash" ? bash(app) : *shell == "zsh" ? zsh(app) : fish(app));
      return kDone;
    };
  });
  CLI::App* man = app.add_subcommand("man", "this program's manual page");
  man->footer("Example:\n  sonder man | man -l -");
  man->callback([&app, &action] {
    action = [&app] {
      fmt::print("{}", manual(app));
      return kDone;
    };
  });
}

}  // namespace sonder::cli
