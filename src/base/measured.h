// A measurement, or the reason why there is none. Absence is a value: never 0, never NaN.
#pragma once

#include <string>
#include <utility>
#include <variant>

#include "base/error.h"

namespace sonder {

struct Missing {
  std::string reason;  // plain words, shown in the report
  bool operator==(const Missing&) const = default;
};

template <class T>
class Measured {
 public:
  Measured(T value) : held_(std::move(value)) {}  // NOLINT(google-explicit-constructor): reads as a value
  Measured(Missing missing) : held_(std::move(missing)) {}  // NOLINT(google-explicit-constructor)

  bool has_value() const { return held_.index() == 0; }
  explicit operator bool() const { return has_value(); }

  // The value. Throws Error(bug) when it is missing: ask first.
  const T& value() const {
    if (!has_value()) throw Error(ErrorKind::bug, "a missing measurement was read: " + reason());
    return std::get<0>(held_);
  }
  const T& operator*() const { return value(); }
  const T* operator->() const { return &value(); }
  T value_or(T other) const { return has_value() ? std::get<0>(held_) : std::move(other); }

  // Why it is missing; empty when it is not.
  std::string reason() const { return has_value() ? std::string() : std::get<1>(held_).reason; }

  bool operator==(const Measured&) const = default;

 private:
  std::variant<T, Missing> held_;
};

}  // namespace sonder
