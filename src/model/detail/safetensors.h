// A reader for the safetensors format: eight bytes of length, a JSON header, raw little-endian numbers.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace sonder::model::detail {

struct Tensor {
  std::string dtype;                // "F32", "I64", …
  std::vector<std::int64_t> shape;  // row-major: the last one runs fastest
  std::string_view bytes;           // borrowed from the text given to parse_safetensors
};

using Tensors = std::map<std::string, Tensor>;

// Throws Error(corrupt) when the header does not describe `bytes` exactly.
Tensors parse_safetensors(std::string_view bytes);

// A 32-bit tensor of just this shape. Throws Error(corrupt) when it is absent or something else.
const Tensor& f32_tensor(const Tensors& tensors, const std::string& name,
                         const std::vector<std::int64_t>& shape);

}  // namespace sonder::model::detail
