// Ids that cannot be swapped: an Id<A> is no Id<B>.
#pragma once

#include <compare>
#include <cstdint>
#include <functional>

namespace sonder {

template <class Tag>
struct Id {
  std::int64_t value = 0;
  auto operator<=>(const Id&) const = default;
};

}  // namespace sonder

template <class Tag>
struct std::hash<sonder::Id<Tag>> {
  std::size_t operator()(const sonder::Id<Tag>& id) const noexcept {
    return std::hash<std::int64_t>()(id.value);
  }
};
