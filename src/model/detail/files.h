// Files that appear whole or not at all, a lock between processes, and errors that say what to do.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "base/cancel.h"

namespace sonder::model::detail {

// Error(io) for errno `number`: a full disk, a read-only folder and a missing right each get their own
// advice.
[[noreturn]] void throw_io(const std::string& attempted, int number);

void make_folder(const std::string& path);
// Renames `temporary` to `final` after its bytes are on the disk; afterwards the folder knows the new name.
void settle(const std::string& temporary, const std::string& final);
void write_whole(const std::string& path, std::string_view bytes);  // through a temporary name and settle()
std::string read_whole(const std::string& path);                    // Throws Error(io)
void remove_quietly(const std::string& path);                       // a file or a folder; absent is fine

// Throws Error(io) when less than `bytes` are free where `folder` lies.
void need_space(const std::string& folder, std::uint64_t bytes);

// A folder for what is half done, gone at both ends of the work.
class Scratch {
 public:
  explicit Scratch(std::string path);
  ~Scratch() { remove_quietly(path_); }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  const std::string& path() const { return path_; }
  std::string file(const std::string& name) const { return path_ + "/" + name; }

 private:
  std::string path_;
};

// An flock on `path` for as long as the object lives; the kernel lets it go when the process dies.
class FileLock {
 public:
  // Waits for whoever holds it; `waiting` is called once when there is someone to wait for.
  FileLock(const std::string& path, const Cancel& cancel, const std::function<void()>& waiting);
  ~FileLock();
  FileLock(const FileLock&) = delete;
  FileLock& operator=(const FileLock&) = delete;

 private:
  int fd_ = -1;
};

}  // namespace sonder::model::detail
