#include "model/detail/safetensors.h"

#include <bit>
#include <cstring>
#include <limits>
#include <nlohmann/json.hpp>

#include "base/error.h"

namespace sonder::model::detail {
namespace {

static_assert(std::endian::native == std::endian::little, "the numbers of the file are used as they lie");

using Json = nlohmann::json;
constexpr std::size_t kLengthBytes = 8;

[[noreturn]] void refuse(const std::string& why) {
  throw Error(ErrorKind::corrupt, "not a usable safetensors file: " + why);
}

std::string_view header_of(std::string_view bytes) {
  if (bytes.size() < kLengthBytes) refuse("it is shorter than its own length field");
  std::uint64_t n = 0;
  std::memcpy(&n, bytes.data(), kLengthBytes);
  if (n > bytes.size() - kLengthBytes) refuse("its header ends after the file");
  return bytes.substr(kLengthBytes, n);
}

// Bytes that `shape` takes in `dtype`, or nothing for a type that is not read here.
std::size_t expected_bytes(const Tensor& tensor) {
  std::size_t n = tensor.dtype == "F32" ? sizeof(float) : 0;
  for (const std::int64_t extent : tensor.shape) {
    if (extent < 0) refuse("a tensor has a negative extent");
    const auto size = static_cast<std::size_t>(extent);
    if (size != 0 && n > std::numeric_limits<std::size_t>::max() / size) refuse("a tensor is too large");
    n *= size;
  }
  return n;
}

Tensor tensor_of(const std::string& name, const Json& entry, std::string_view data) {
  Tensor tensor{entry.at("dtype").get<std::string>(), entry.at("shape").get<std::vector<std::int64_t>>(), {}};
  const auto offsets = entry.at("data_offsets").get<std::vector<std::uint64_t>>();
  if (offsets.size() != 2 || offsets[0] > offsets[1] || offsets[1] > data.size())
    refuse("the numbers of '" + name + "' lie outside the file; it is truncated");
  tensor.bytes = data.substr(offsets[0], offsets[1] - offsets[0]);
  if (tensor.dtype == "F32" && tensor.bytes.size() != expected_bytes(tensor))
    refuse("'" + name + "' has another number of bytes than its shape says");
  return tensor;
}

std::string words(const std::vector<std::int64_t>& shape) {
  std::string text = "[";
  for (const std::int64_t extent : shape) text += (text.size() > 1 ? " × " : "") + std::to_string(extent);
  return text + "]";
}

}  // namespace

Tensors parse_safetensors(std::string_view bytes) {
  const std::string_view header = header_of(bytes);
  const std::string_view data = bytes.substr(kLengthBytes + header.size());
  const Json json = Json::parse(header, nullptr, /*allow_exceptions=*/false);
  if (!json.is_object()) refuse("its header is not a JSON object");
  Tensors tensors;
  try {
    for (const auto& [name, entry] : json.items())
      if (name != "__metadata__") tensors.emplace(name, tensor_of(name, entry, data));
  } catch (const Json::exception&) {  // border: the JSON library
    refuse("an entry of its header lacks dtype, shape or data_offsets");
  }
  return tensors;
}

const Tensor& f32_tensor(const Tensors& tensors, const std::string& name,
                         const std::vector<std::int64_t>& shape) {
  const auto found = tensors.find(name);
  if (found == tensors.end()) refuse("the tensor '" + name + "' is missing");
  const Tensor& tensor = found->second;
  if (tensor.dtype != "F32") refuse("'" + name + "' is " + tensor.dtype + "; F32 is expected");
  if (tensor.shape != shape)
    refuse("'" + name + "' is " + words(tensor.shape) + "; " + words(shape) + " is expected");
  return tensor;
}

}  // namespace sonder::model::detail
