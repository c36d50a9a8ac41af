#include "model/hook.h"

#include <cstdint>
#include <cstring>
#include <type_traits>

#include "base/hash.h"

namespace sonder::model {
namespace {

template <class T>
void put(std::string& bytes, T value) {
  static_assert(std::is_trivially_copyable_v<T>);
  char raw[sizeof(T)];
  std::memcpy(raw, &value, sizeof(T));
  bytes.append(raw, sizeof(T));
}

}  // namespace

std::string hash_of(const Hook& hook) {
  if (hook.empty()) return "";
  std::string bytes = "sonder hook 1\n";
  put(bytes, static_cast<std::uint32_t>(hook.span));
  put(bytes, static_cast<std::uint64_t>(hook.edits.size()));
  for (const Edit& edit : hook.edits) {
    put(bytes, static_cast<std::int32_t>(edit.site.layer));
    put(bytes, static_cast<std::uint32_t>(edit.kind));
    put(bytes, edit.amount);
    put(bytes, static_cast<std::uint64_t>(edit.direction.size()));
    for (const float x : edit.direction) put(bytes, x);
  }
  return sha256(bytes);
}

}  // namespace sonder::model
