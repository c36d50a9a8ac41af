#include "model/detail/child.h"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <string_view>
#include <thread>

#include "model/detail/files.h"

namespace sonder::model::detail {
namespace {

constexpr auto kTick = std::chrono::milliseconds(100);
constexpr int kGraceTicks = 20;  // two seconds between asking and forcing

// A running program in its own process group, so that what it starts can be ended with it.
class Child {
 public:
  explicit Child(pid_t pid) : pid_(pid) {}
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;
  ~Child() {
    if (over()) return;
    ::kill(-pid_, SIGTERM);
    for (int i = 0; i < kGraceTicks && !over(); ++i) std::this_thread::sleep_for(kTick);
    ::kill(-pid_, SIGKILL);
    if (!over_) ::waitpid(pid_, &status_, 0);
  }
  bool over() {
    if (!over_) over_ = ::waitpid(pid_, &status_, WNOHANG) == pid_;
    return over_;
  }
  int code() const { return WIFEXITED(status_) ? WEXITSTATUS(status_) : 128 + WTERMSIG(status_); }

 private:
  pid_t pid_;
  int status_ = 0;
  bool over_ = false;
};

std::vector<std::string> environment(const std::vector<std::pair<std::string, std::string>>& extra) {
  std::vector<std::string> all;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view text(*entry);
    const bool replaced = std::any_of(extra.begin(), extra.end(),
                                      [&](const auto& pair) { return text.starts_with(pair.first + "="); });
    if (!replaced) all.emplace_back(text);
  }
  for (const auto& [name, value] : extra) {
    all.emplace_back(name);
    all.back().append("=").append(value);
  }
  return all;
}

std::vector<char*> pointers(std::vector<std::string>& texts) {
  std::vector<char*> all;
  all.reserve(texts.size() + 1);
  for (std::string& text : texts) all.push_back(text.data());
  all.push_back(nullptr);
  return all;
}

}  // namespace

int run_child(const std::vector<std::string>& argv,
              const std::vector<std::pair<std::string, std::string>>& extra, const std::string& log,
              const std::function<void()>& tick, const Cancel& cancel) {
  cancel.check();
  std::vector<std::string> words = argv;
  std::vector<std::string> settings = environment(extra);
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&files, STDOUT_FILENO, log.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0644);
  posix_spawn_file_actions_adddup2(&files, STDOUT_FILENO, STDERR_FILENO);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
  posix_spawnattr_setpgroup(&attributes, 0);
  pid_t pid = 0;
  const int failed = posix_spawnp(&pid, words[0].c_str(), &files, &attributes, pointers(words).data(),
                                  pointers(settings).data());
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&files);
  if (failed == ENOENT) return kNoProgram;
  if (failed != 0) throw_io("cannot start '" + argv[0] + "'", failed);

  Child child(pid);
  while (!child.over()) {
    cancel.check();
    if (tick) tick();
    std::this_thread::sleep_for(kTick);
  }
  return child.code();
}

}  // namespace sonder::model::detail
