// Direction files: GGUF as llama.cpp's --control-vector reads it, plus metadata that gives it a meaning.
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>

#include "ggml.h"
#include "gguf.h"
#include "latent/direction.h"

namespace sonder::latent {
namespace {

constexpr std::uint32_t kVersion = 1;
constexpr const char* kLayerConvention = "0-based: direction.k is the residual stream after block k";
constexpr const char* kLayerZeroNote =
    "llama.cpp's loader refuses a direction at layer 0: it is stored in sonder.unit.0 only and is not "
    "applied there";
constexpr double kAgree = 1e-5;  // f32 rounding of a tensor against unit * class_gap, relative

struct FreeGguf {
  void operator()(gguf_context* g) const { gguf_free(g); }
};
struct FreeGgml {
  void operator()(ggml_context* g) const { ggml_free(g); }
};
using Gguf = std::unique_ptr<gguf_context, FreeGguf>;

// ggml tells what is wrong with a file on stderr; here it becomes one sentence in an Error instead.
class Quiet {
 public:
  Quiet() {
    ggml_log_get(&callback_, &data_);
    ggml_log_set([](ggml_log_level, const char*, void*) {}, nullptr);
  }
  ~Quiet() { ggml_log_set(callback_, data_); }
  Quiet(const Quiet&) = delete;
  Quiet& operator=(const Quiet&) = delete;

 private:
  ggml_log_callback callback_ = nullptr;
  void* data_ = nullptr;
};

std::string unit_key(int layer) { return "sonder.unit." + std::to_string(layer); }
std::string tensor_name(int layer) { return "direction." + std::to_string(layer); }

void check(const DirectionFile& file) {
  require(!file.directions.empty(), "a direction file holds at least one direction");
  int previous = -1;
  for (const Direction& d : file.directions) {
    require(d.layer > previous, "directions of a file are in ascending order of layer, one a layer");
    require(d.unit.size() == file.directions[0].unit.size() && !d.unit.empty(),
            "directions of a file are equally wide");
    require(std::isfinite(d.class_gap) && d.class_gap > 0,
            "a direction that is written has a class gap above 0");
    previous = d.layer;
  }
}

template <class Of>
void set_numbers(gguf_context* g, const char* key, const DirectionFile& file, Of of) {
  std::vector<double> values(file.directions.size());
  std::ranges::transform(file.directions, values.begin(), of);
  gguf_set_arr_data(g, key, GGUF_TYPE_FLOAT64, values.data(), values.size());
}

template <class Of>
void set_texts(gguf_context* g, const char* key, const DirectionFile& file, Of of) {
  std::vector<const char*> values(file.directions.size());
  std::ranges::transform(file.directions, values.begin(), [&](const Direction& d) { return of(d).c_str(); });
  gguf_set_arr_str(g, key, values.data(), values.size());
}

void set_metadata(gguf_context* g, const DirectionFile& file) {
  const auto text = [&](const char* key, const std::string& value) {
    gguf_set_val_str(g, key, value.c_str());
  };
  text("general.architecture", "controlvector");
  text("controlvector.model_hint", file.model_name);
  gguf_set_val_i32(g, "controlvector.layer_count", file.directions.back().layer + 1);
  gguf_set_val_u32(g, "sonder.version", kVersion);
  text("sonder.operation", file.operation);
  text("sonder.hook", file.hook);
  text("sonder.layer_convention", kLayerConvention);
  text("sonder.model_name", file.model_name);
  text("sonder.model_sha256", file.model_sha256);
  text("sonder.bank_sha256", file.bank_sha256);
  gguf_set_val_f64(g, "sonder.auroc", file.auroc);
  gguf_set_val_f64(g, "sonder.concordance", file.concordance);
  std::vector<std::int32_t> layers(file.directions.size());
  std::ranges::transform(file.directions, layers.begin(), &Direction::layer);
  gguf_set_arr_data(g, "sonder.layers", GGUF_TYPE_INT32, layers.data(), layers.size());
  set_texts(g, "sonder.facet", file, [](const Direction& d) -> const std::string& { return d.facet; });
  set_texts(g, "sonder.method", file, [](const Direction& d) -> const std::string& { return d.method; });
  set_numbers(g, "sonder.norm", file,
              [](const Direction& d) { return d.class_gap; });  // length of direction.<k>
  set_numbers(g, "sonder.class_gap", file, [](const Direction& d) { return d.class_gap; });
  set_numbers(g, "sonder.median_norm", file, [](const Direction& d) { return d.median_norm; });
  set_numbers(g, "sonder.sd_neutral", file, [](const Direction& d) { return d.sd_neutral; });
  set_numbers(g, "sonder.neutral_mean", file, [](const Direction& d) { return d.neutral_mean; });
  // The exact unit vectors: unit * gap / gap would lose the last bit, and with it the hash of a hook.
  for (const Direction& d : file.directions)
    gguf_set_arr_data(g, unit_key(d.layer).c_str(), GGUF_TYPE_FLOAT32, d.unit.data(), d.unit.size());
  if (file.directions.front().layer == 0) text("sonder.note", kLayerZeroNote);
}

std::vector<float> pushed_by_one_gap(const Direction& d) {
  std::vector<float> out(d.unit.size());
  std::ranges::transform(d.unit, out.begin(),
                         [&](float u) { return static_cast<float>(static_cast<double>(u) * d.class_gap); });
  return out;
}

// Reading
// -----------------------------------------------------------------------------------------------------------

class Reader {
 public:
  explicit Reader(std::string path) : path_(std::move(path)) {
    std::ifstream in(path_, std::ios::binary);
    if (!in) throw Error(ErrorKind::io, "no direction file could be opened at " + path_);
    bytes_.assign(std::istreambuf_iterator<char>(in), {});
    if (bytes_.size() < 4 || bytes_.compare(0, 4, "GGUF") != 0)
      throw Error(ErrorKind::bad_input,
                  path_ +
                      " is no GGUF file; a direction file ends in .gguf and is written by "
                      "'sonder direction export' or a run");
    const Quiet quiet;
    g_.reset(gguf_init_from_buffer(bytes_.data(), bytes_.size(), {true, nullptr}));
    if (!g_) damaged("its GGUF header cannot be read to the end");
  }

  [[noreturn]] void damaged(const std::string& what) const {
    throw Error(ErrorKind::corrupt,
                "the direction file " + path_ + " is damaged: " + what + "; write it again");
  }
  [[noreturn]] void refused(const std::string& what) const {
    throw Error(ErrorKind::bad_input, path_ + " is not a direction file of Sonder's: " + what);
  }

  bool has(const std::string& key) const { return gguf_find_key(g_.get(), key.c_str()) >= 0; }
  std::int64_t find(const std::string& key, gguf_type type) const {
    const auto id = gguf_find_key(g_.get(), key.c_str());
    if (id < 0) damaged("the entry " + key + " is missing");
    if (gguf_get_kv_type(g_.get(), id) != type)
      damaged("the entry " + key + " has another type than it should");
    return id;
  }
  std::string text(const std::string& key) const {
    return gguf_get_val_str(g_.get(), find(key, GGUF_TYPE_STRING));
  }
  double number(const std::string& key) const {
    return gguf_get_val_f64(g_.get(), find(key, GGUF_TYPE_FLOAT64));
  }
  std::uint32_t version() const {
    return gguf_get_val_u32(g_.get(), find("sonder.version", GGUF_TYPE_UINT32));
  }

  template <class T>
  std::vector<T> array(const std::string& key, gguf_type type) const {
    const auto id = find_array(key, type);
    const auto* first = static_cast<const T*>(gguf_get_arr_data(g_.get(), id));
    return {first, first + gguf_get_arr_n(g_.get(), id)};
  }
  std::vector<std::string> texts(const std::string& key) const {
    const auto id = find_array(key, GGUF_TYPE_STRING);
    std::vector<std::string> out;
    for (std::size_t i = 0; i < gguf_get_arr_n(g_.get(), id); ++i)
      out.emplace_back(gguf_get_arr_str(g_.get(), id, i));
    return out;
  }

  // The f32 vector of tensor direction.<layer>.
  std::vector<float> tensor(int layer) const {
    const auto id = gguf_find_tensor(g_.get(), tensor_name(layer).c_str());
    if (id < 0) damaged("the tensor " + tensor_name(layer) + " is missing");
    if (gguf_get_tensor_type(g_.get(), id) != GGML_TYPE_F32) damaged("a direction is not stored as F32");
    const auto start = gguf_get_data_offset(g_.get()) + gguf_get_tensor_offset(g_.get(), id);
    const auto size = gguf_get_tensor_size(g_.get(), id);
    if (start > bytes_.size() || size > bytes_.size() - start) damaged("it ends before its last direction");
    std::vector<float> out(size / sizeof(float));
    std::copy_n(bytes_.data() + start, out.size() * sizeof(float), reinterpret_cast<char*>(out.data()));
    return out;
  }
  bool has_directions() const {
    for (std::int64_t i = 0; i < gguf_get_n_tensors(g_.get()); ++i)
      if (std::string_view(gguf_get_tensor_name(g_.get(), i)).starts_with("direction.")) return true;
    return false;
  }

 private:
  std::int64_t find_array(const std::string& key, gguf_type type) const {
    const auto id = find(key, GGUF_TYPE_ARRAY);
    if (gguf_get_arr_type(g_.get(), id) != type)
      damaged("the entry " + key + " has another type than it should");
    return id;
  }

  std::string path_;
  std::string bytes_;
  Gguf g_;
};

void require_ours(const Reader& in) {
  if (in.has("sonder.version")) {
    if (in.version() != kVersion)
      in.refused("it has version " + std::to_string(in.version()) + ", and this program reads version " +
                 std::to_string(kVersion));
    return;
  }
  if (in.has_directions())
    in.refused(
        "it is a control vector of another program, which states neither after which block a layer counts "
        "nor "
        "what one unit of strength is; fit the direction again with Sonder");
  in.refused("it holds no direction (a model file, perhaps)");
}

void check_vector(const Reader& in, const Direction& d) {
  double squares = 0;
  for (const float u : d.unit) squares += static_cast<double>(u) * static_cast<double>(u);
  if (!(std::abs(squares - 1) < 1e-4)) in.damaged("a direction does not have length 1");
  if (!(d.class_gap > 0) || !std::isfinite(d.class_gap)) in.damaged("a class gap is not above 0");
  if (d.layer == 0) return;
  const auto stored = in.tensor(d.layer);
  if (stored.size() != d.unit.size()) in.damaged("a direction's tensor and its unit vector differ in width");
  for (std::size_t j = 0; j < stored.size(); ++j) {
    const double asked = static_cast<double>(d.unit[j]) * d.class_gap;
    if (!(std::abs(static_cast<double>(stored[j]) - asked) <= kAgree * d.class_gap))
      in.damaged("the tensor of layer " + std::to_string(d.layer) +
                 " is not its unit vector times its class gap");
  }
}

}  // namespace

void write_directions(const std::string& path, const DirectionFile& file) {
  check(file);
  const Gguf g(gguf_init_empty());
  set_metadata(g.get(), file);
  const std::unique_ptr<ggml_context, FreeGgml> tensors(
      ggml_init({(file.directions.size() + 1) * ggml_tensor_overhead(), nullptr, true}));
  std::vector<std::vector<float>> vectors;  // must outlive the writing
  for (const Direction& d : file.directions) {
    if (d.layer == 0) continue;
    vectors.push_back(pushed_by_one_gap(d));
    ggml_tensor* tensor =
        ggml_new_tensor_1d(tensors.get(), GGML_TYPE_F32, static_cast<std::int64_t>(vectors.back().size()));
    ggml_set_name(tensor, tensor_name(d.layer).c_str());
    tensor->data = vectors.back().data();
    gguf_add_tensor(g.get(), tensor);
  }
  const std::string unfinished = path + ".part";
  const Quiet quiet;
  if (!gguf_write_to_file(g.get(), unfinished.c_str(), false))
    throw Error(ErrorKind::io, "the direction file could not be written at " + path);
  std::error_code failed;
  std::filesystem::rename(unfinished, path, failed);
  if (failed) throw Error(ErrorKind::io, "the direction file could not be put at " + path);
}

DirectionFile read_directions(const std::string& path) {
  const Reader in(path);
  require_ours(in);
  DirectionFile file;
  file.operation = in.text("sonder.operation");
  file.hook = in.text("sonder.hook");
  file.model_name = in.text("sonder.model_name");
  file.model_sha256 = in.text("sonder.model_sha256");
  file.bank_sha256 = in.text("sonder.bank_sha256");
  file.auroc = in.number("sonder.auroc");
  file.concordance = in.number("sonder.concordance");
  const auto layers = in.array<std::int32_t>("sonder.layers", GGUF_TYPE_INT32);
  const auto facets = in.texts("sonder.facet");
  const auto methods = in.texts("sonder.method");
  const auto numbers = [&](const char* key) {
    auto values = in.array<double>(key, GGUF_TYPE_FLOAT64);
    if (values.size() != layers.size())
      in.damaged(std::string("the entry ") + key + " is too short or too long");
    return values;
  };
  const auto gaps = numbers("sonder.class_gap");
  const auto norms = numbers("sonder.median_norm");
  const auto spreads = numbers("sonder.sd_neutral");
  const auto means = numbers("sonder.neutral_mean");
  if (layers.empty() || facets.size() != layers.size() || methods.size() != layers.size())
    in.damaged("its lists of layers, facets and methods differ in length");
  for (std::size_t i = 0; i < layers.size(); ++i) {
    Direction d{facets[i], methods[i], layers[i], {}, gaps[i], norms[i], spreads[i], means[i]};
    if (d.layer < 0 || (i > 0 && d.layer <= layers[i - 1])) in.damaged("its layers do not ascend");
    d.unit = in.array<float>(unit_key(d.layer), GGUF_TYPE_FLOAT32);
    if (i > 0 && d.unit.size() != file.directions[0].unit.size())
      in.damaged("its directions differ in width");
    check_vector(in, d);
    file.directions.push_back(std::move(d));
  }
  return file;
}

void require_fits(const DirectionFile& file, const model::Card& card) {
  require(file.model_sha256 == card.sha256, "these directions were fitted on the model with sha256 " +
                                                file.model_sha256 + ", but the model loaded has " +
                                                card.sha256 + "; fit them again on this model");
  for (const Direction& d : file.directions) {
    require(static_cast<int>(d.unit.size()) == card.n_embd,
            "these directions are " + std::to_string(d.unit.size()) +
                " wide, but the model's residual stream is " + std::to_string(card.n_embd));
    require(d.layer < card.n_layers, "a direction is at layer " + std::to_string(d.layer) +
                                         ", but the model's last layer is " +
                                         std::to_string(card.n_layers - 1));
  }
}

}  // namespace sonder::latent
