// What tells whether a file was written to, without reading it.
#pragma once

#include <cstdint>
#include <string>
#include <utility>

namespace sonder::model::detail {

struct FileStamp {
  std::pair<std::uint64_t, std::uint64_t> file = {0, 0};  // device and inode; 0, 0 when there is none
  std::int64_t size = 0;                                  // bytes
  std::int64_t seconds = 0, nanoseconds = 0;              // of the last change
  bool operator==(const FileStamp&) const = default;
};

FileStamp stamp_of(const std::string& path);

}  // namespace sonder::model::detail
