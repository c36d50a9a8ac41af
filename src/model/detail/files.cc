#include "model/detail/files.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <system_error>
#include <thread>
#include <utility>

namespace sonder::model::detail {
namespace fs = std::filesystem;
namespace {

class Descriptor {
 public:
  Descriptor(const std::string& path, int flags) : fd_(::open(path.c_str(), flags | O_CLOEXEC, 0644)) {
    if (fd_ < 0) throw_io("cannot open '" + path + "'", errno);
  }
  ~Descriptor() { ::close(fd_); }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int get() const { return fd_; }

 private:
  int fd_;
};

void flush_to_disk(const std::string& path, int flags) {
  const Descriptor file(path, flags);
  if (::fsync(file.get()) != 0 && errno != EINVAL) throw_io("cannot write '" + path + "' to the disk", errno);
}

}  // namespace

void throw_io(const std::string& attempted, int number) {
  std::string advice = std::error_code(number, std::generic_category()).message();
  if (number == ENOSPC || number == EDQUOT)
    advice = "the disk is full; free some space, or let SONDER_CACHE name a folder on another disk";
  if (number == EROFS || number == EACCES || number == EPERM)
    advice = "it may not be written to; let SONDER_CACHE name a folder that you own";
  throw Error(ErrorKind::io, attempted + ": " + advice);
}

void make_folder(const std::string& path) {
  std::error_code code;
  fs::create_directories(path, code);
  if (code) throw_io("cannot make the folder '" + path + "'", code.value());
}

void settle(const std::string& temporary, const std::string& final) {
  flush_to_disk(temporary, O_RDONLY);
  std::error_code code;
  fs::rename(temporary, final, code);
  if (code) throw_io("cannot write '" + final + "'", code.value());
  flush_to_disk(fs::path(final).parent_path().string(), O_RDONLY | O_DIRECTORY);
}

void write_whole(const std::string& path, std::string_view bytes) {
  const std::string temporary = path + ".partial";
  {
    const Descriptor file(temporary, O_WRONLY | O_CREAT | O_TRUNC);
    while (!bytes.empty()) {
      const ssize_t n = ::write(file.get(), bytes.data(), bytes.size());
      if (n < 0 && errno == EINTR) continue;
      if (n < 0) throw_io("cannot write '" + temporary + "'", errno);
      bytes.remove_prefix(static_cast<std::size_t>(n));
    }
  }
  settle(temporary, path);
}

std::string read_whole(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw Error(ErrorKind::io, "cannot read '" + path + "': it does not exist or is not readable");
  std::string bytes{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  if (file.bad()) throw Error(ErrorKind::io, "reading '" + path + "' failed half way");
  return bytes;
}

void remove_quietly(const std::string& path) {
  std::error_code ignored;
  fs::remove_all(path, ignored);
}

void need_space(const std::string& folder, std::uint64_t bytes) {
  std::error_code code;
  const fs::space_info space = fs::space(folder, code);
  if (code || space.available >= bytes)
    return;  // where the free space is not known, the write itself will tell
  constexpr std::uint64_t kMegabyte = 1'000'000;
  throw Error(ErrorKind::io,
              "the disk is too full: " + std::to_string(bytes / kMegabyte) + " MB are needed in '" + folder +
                  "', " + std::to_string(space.available / kMegabyte) +
                  " MB are free; free some space, or let SONDER_CACHE name a folder on another disk");
}

Scratch::Scratch(std::string path) : path_(std::move(path)) {
  remove_quietly(path_);
  make_folder(path_);
}

FileLock::FileLock(const std::string& path, const Cancel& cancel, const std::function<void()>& waiting)
    : fd_(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644)) {
  if (fd_ < 0) throw_io("cannot lock '" + path + "'", errno);
  try {
    for (bool told = false; ::flock(fd_, LOCK_EX | LOCK_NB) != 0;) {
      if (errno != EWOULDBLOCK && errno != EINTR) throw_io("cannot lock '" + path + "'", errno);
      if (!told && waiting) waiting();
      told = true;
      cancel.check();
      std::this_thread::sleep_for(std::chrono::milliseconds(100));
    }
  } catch (...) {  // border to the file handle: the destructor of an unfinished object does not run
    ::close(fd_);
    throw;
  }
}

FileLock::~FileLock() { ::close(fd_); }

}  // namespace sonder::model::detail
