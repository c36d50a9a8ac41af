#include "door.h"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "base/hash.h"
#include "model/catalogue.h"

namespace sonder::embedded {
extern const std::string_view bank_scenarios;
extern const std::string_view bank_unrelated;
extern const std::string_view bank_rubrics;
extern const std::string_view bank_padding;
}  // namespace sonder::embedded

namespace sonder::cli {
namespace {

Cancel g_interrupted;  // a signal handler can reach nothing else

extern "C" void on_interrupt(int) {
  if (g_interrupted.asked()) std::_Exit(130);
  g_interrupted.ask();
}

std::string clock_text(double seconds) {
  const long s = std::lround(seconds);
  return s < 3600 ? fmt::format("{}:{:02}", s / 60, s % 60)
                  : fmt::format("{}:{:02}:{:02}", s / 3600, s / 60 % 60, s % 60);
}

std::string took_text(double seconds) {
  if (seconds < 9.95) return fmt::format("{:.1f} s", seconds);
  if (seconds < 60) return fmt::format("{:.0f} s", seconds);
  return fmt::format("{} min {:02} s", static_cast<long>(seconds) / 60, static_cast<long>(seconds) % 60);
}

void require_no_folder(const std::string& path) {
  std::error_code ignored;
  require(!std::filesystem::is_directory(path, ignored), "'" + path + "' is a folder; name a file to write");
}

}  // namespace

const Cancel& interrupts() {
  static const bool installed = [] {
    std::signal(SIGINT, on_interrupt);
    std::signal(SIGTERM, on_interrupt);
    return true;
  }();
  (void)installed;
  return g_interrupted;
}

double seconds_now() {
  static const auto start = std::chrono::steady_clock::now();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

std::string utc_now() {
  const std::time_t now = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
  return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(now));
}

bool on_terminal(int descriptor) { return isatty(descriptor) == 1; }

int terminal_width() {
  winsize size{};
  if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 20) return size.ws_col;
  return 100;
}

void require_file(const std::string& path, const std::string& what, const std::string& hint) {
  std::error_code ignored;
  const bool folder = std::filesystem::is_directory(path, ignored);
  require(!folder, fmt::format("expected {}, found the folder '{}'; {}", what, path, hint));
  require(std::filesystem::exists(path, ignored),
          fmt::format("expected {}, found nothing at '{}'; {}", what, path, hint));
  require(access(path.c_str(), R_OK) == 0,
          fmt::format("expected {}, found '{}', which cannot be read: no permission", what, path));
}

void require_run_file(const std::string& path) {
  require_file(path, "a run file", "'sonder run PLAN -o FILE' makes one");
}

void require_place(const std::string& path) {
  namespace fs = std::filesystem;
  std::error_code ignored;
  require(!path.empty(), "expected a file to write, found an empty name");
  require_no_folder(path);
  const fs::path parent = fs::path(path).parent_path();
  const std::string folder = parent.empty() ? "." : parent.string();
  require(fs::is_directory(folder, ignored),
          fmt::format("'{}' cannot be written: there is no folder '{}'; make it first", path, folder));
  const bool there = fs::exists(path, ignored);
  const bool plain = !there || fs::is_regular_file(path, ignored);  // not a device or a pipe
  require((!there || access(path.c_str(), W_OK) == 0) && (!plain || access(folder.c_str(), W_OK) == 0),
          fmt::format("'{}' cannot be written: no permission; choose another place", path));
}

void write_file(const std::string& path, const std::string& bytes) {
  namespace fs = std::filesystem;
  std::error_code failed;
  require_no_folder(path);
  const bool plain = !fs::exists(path, failed) || fs::is_regular_file(fs::symlink_status(path, failed));
  const std::string target =
      plain ? fmt::format("{}.part{}", path, getpid()) : path;  // a device or a link is written through
  std::ofstream file(target, std::ios::binary | std::ios::trunc);
  file.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  file.close();
  failed.clear();
  if (file && plain) fs::rename(target, path, failed);
  if (!file || failed) {
    std::error_code ignored;
    if (plain) fs::remove(target, ignored);
    throw Error(ErrorKind::io,
                "cannot write '" + path + "': is the folder there, writable, and is there room on the disk?");
  }
}

std::string built_in_bank() {
  const std::pair<const char*, std::string_view> files[] = {{"scenarios.jsonl", embedded::bank_scenarios},
                                                            {"unrelated.jsonl", embedded::bank_unrelated},
                                                            {"rubrics.jsonl", embedded::bank_rubrics},
                                                            {"padding.jsonl", embedded::bank_padding}};
  std::string all;
  for (const auto& [name, bytes] : files) all += bytes;
  const std::filesystem::path folder =
      std::filesystem::path(model::models_dir()).parent_path() / ("bank-" + sha256(all).substr(0, 12));
  std::error_code failed;
  std::filesystem::create_directories(folder, failed);
  for (const auto& [name, bytes] : files) {
    const std::string path = (folder / name).string();
    if (!std::filesystem::exists(path) || sha256_file(path) != sha256(bytes))
      write_file(path, std::string(bytes));
  }
  return folder.string();
}

Ticker::Ticker(const Global& global) : quiet_(global.quiet), terminal_(on_terminal(STDERR_FILENO)) {}
Ticker::~Ticker() { finish(); }

OnProgress Ticker::watch() {
  if (quiet_) return {};
  return [this](const Progress& progress) { show(progress); };
}

void Ticker::finish() {
  if (!quiet_ && !now_.step.empty()) close_step();
  now_ = {};
}

void Ticker::close_step() {
  const std::string line = fmt::format("  {:<44}{:>12}", now_.step, took_text(seconds_now() - began_));
  fmt::print(stderr, "{}{}{}\n", terminal_ ? "\r" : "", line, terminal_ ? "\033[K" : "");
}

void Ticker::show(const Progress& progress) {
  const double now = seconds_now();
  if (progress.step != now_.step) {
    finish();
    began_ = now;
    drawn_ = -1;
  }
  now_ = progress;
  if (!terminal_ || (drawn_ >= 0 && now - drawn_ < 0.1)) return;
  drawn_ = now;
  std::string line = fmt::format("  {:<44}", progress.step);
  if (progress.total > 0) {
    const double rate = static_cast<double>(progress.done) / std::max(now - began_, 1e-3);
    const double left = rate > 0 ? static_cast<double>(progress.total - progress.done) / rate : 0;
    const auto full = static_cast<std::size_t>(20 * progress.done / progress.total);
    line +=
        fmt::format("{}{}  {}/{} {}  {:.1f}/s  {} left", std::string(full, '='), std::string(20 - full, '.'),
                    progress.done, progress.total, progress.unit, rate, clock_text(left));
  }
  const auto width = static_cast<std::size_t>(std::max(20, terminal_width() - 1));
  if (line.size() > width) line.resize(width);
  fmt::print(stderr, "\r{}\033[K", line);
  std::fflush(stderr);
}

}  // namespace sonder::cli
