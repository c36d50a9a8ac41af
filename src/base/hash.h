// SHA-256, the house's only content hash.
#pragma once

#include <string>
#include <string_view>

namespace sonder {

// Lower-case hex, 64 letters.
std::string sha256(std::string_view bytes);

// Streams the file. Throws Error(io) when it cannot be read.
std::string sha256_file(const std::string& path);

}  // namespace sonder
