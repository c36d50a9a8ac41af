#include "base/hash.h"

#include <openssl/evp.h>

#include <array>
#include <fstream>
#include <memory>
#include <vector>

#include "base/error.h"

namespace sonder {
namespace {

class Digest {
 public:
  Digest() : context_(EVP_MD_CTX_new(), &EVP_MD_CTX_free) {
    if (!context_ || EVP_DigestInit_ex(context_.get(), EVP_sha256(), nullptr) != 1)
      throw Error(ErrorKind::bug, "SHA-256 is not available");
  }
  void add(const char* bytes, std::size_t n) {
    if (EVP_DigestUpdate(context_.get(), bytes, n) != 1) throw Error(ErrorKind::bug, "SHA-256 failed");
  }
  std::string hex() {
    std::array<unsigned char, EVP_MAX_MD_SIZE> raw{};
    unsigned n = 0;
    if (EVP_DigestFinal_ex(context_.get(), raw.data(), &n) != 1)
      throw Error(ErrorKind::bug, "SHA-256 failed");
    static constexpr std::string_view kDigits = "0123456789abcdef";
    std::string text;
    for (unsigned i = 0; i < n; ++i) {
      text += kDigits[raw.at(i) >> 4U];
      text += kDigits[raw.at(i) & 15U];
    }
    return text;
  }

 private:
  std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)> context_;
};

}  // namespace

std::string sha256(std::string_view bytes) {
  Digest digest;
  digest.add(bytes.data(), bytes.size());
  return digest.hex();
}

std::string sha256_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw Error(ErrorKind::io, "cannot read '" + path + "': it does not exist or is not readable");
  Digest digest;
  std::vector<char> buffer(std::size_t{1} << 20U);
  while (file) {
    file.read(buffer.data(), static_cast<std::streamsize>(buffer.size()));
    digest.add(buffer.data(), static_cast<std::size_t>(file.gcount()));
  }
  if (file.bad()) throw Error(ErrorKind::io, "reading '" + path + "' failed half way");
  return digest.hex();
}

}  // namespace sonder
