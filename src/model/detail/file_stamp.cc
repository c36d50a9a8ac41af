#include "model/detail/file_stamp.h"

#include <sys/stat.h>

namespace sonder::model::detail {

FileStamp stamp_of(const std::string& path) {
  struct stat found {};
  if (::stat(path.c_str(), &found) != 0) return {};
#ifdef __APPLE__
  const timespec& time = found.st_mtimespec;
#else
  const timespec& time = found.st_mtim;
#endif
  return {{static_cast<std::uint64_t>(found.st_dev), static_cast<std::uint64_t>(found.st_ino)},
          static_cast<std::int64_t>(found.st_size),
          static_cast<std::int64_t>(time.tv_sec),
          static_cast<std::int64_t>(time.tv_nsec)};
}

}  // namespace sonder::model::detail
