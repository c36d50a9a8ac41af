#include "model/tiny.h"

#include <ggml.h>
#include <gguf.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <limits>
#include <memory>

#include "base/error.h"
#include "model/detail/quiet.h"

namespace sonder::model {
namespace {

enum class TokenType : std::int32_t {
  normal = 1,
  unknown = 2,
  control = 3,
  user_defined = 4,
  byte = 6
};  // llama.cpp's numbers

// What a token is for the planted design.
enum class Part { never_written, plain_word, warm_word, end_of_turn };

struct TinyToken {
  std::string text;
  TokenType type;
  Part part = Part::never_written;
};

constexpr int kEnd = 2;  // id of <|end|>

std::vector<TinyToken> vocabulary(const TinyOptions& options) {
  std::vector<TinyToken> tokens = {{"<unk>", TokenType::unknown},
                                   {"<s>", TokenType::control},
                                   {"<|end|>", TokenType::control, Part::end_of_turn},
                                   {"<|system|>", TokenType::control},
                                   {"<|user|>", TokenType::control},
                                   {"<|assistant|>", TokenType::control}};
  for (int byte = 0; byte < 256; ++byte) {
    char text[8];
    std::snprintf(text, sizeof(text), "<0x%02X>", static_cast<unsigned>(byte));
    tokens.push_back({text, TokenType::byte});
  }
  tokens.push_back({"\xE2\x96\x81", TokenType::normal});  // how this tokeniser writes a space
  const auto add = [&tokens](const std::vector<std::string>& words, Part part) {
    for (const std::string& word : words) {
      require(!word.empty() && word.find(' ') == std::string::npos,
              "a word of a tiny model is not empty and has no space");
      tokens.push_back({" " + word, TokenType::user_defined, part});
      tokens.push_back({word, TokenType::user_defined});
    }
  };
  add(options.words, Part::plain_word);
  add(options.warm, Part::warm_word);
  return tokens;
}

// Dimension 0 of the residual stream is the same for every token: what it multiplies in the output matrix is
// a bias.
struct Design {
  std::vector<TinyToken> tokens;
  std::vector<float> u;  // planted direction, orthogonal to dimension 0
};

std::vector<double> normals(Seed seed, std::size_t n, double sd) {
  Stream stream(seed);
  std::vector<double> x(n);
  for (double& v : x) v = sd * stream.normal();
  return x;
}

class File {
 public:
  explicit File(std::size_t bytes)
      : gguf_(gguf_init_empty(), gguf_free), ggml_(ggml_init({bytes, nullptr, false}), ggml_free) {}

  gguf_context* meta() { return gguf_.get(); }
  // `value(i)` is element i in row-major order of [rows × columns].
  void tensor(const std::string& name, int columns, int rows,
              const std::function<double(std::size_t)>& value) {
    ggml_tensor* t = rows == 0 ? ggml_new_tensor_1d(ggml_.get(), GGML_TYPE_F32, columns)
                               : ggml_new_tensor_2d(ggml_.get(), GGML_TYPE_F32, columns, rows);
    ggml_set_name(t, name.c_str());
    auto* data = static_cast<float*>(t->data);
    const auto n = static_cast<std::size_t>(ggml_nelements(t));
    for (std::size_t i = 0; i < n; ++i) data[i] = static_cast<float>(value(i));
    gguf_add_tensor(gguf_.get(), t);
  }
  void random(const std::string& name, int columns, int rows, Seed seed, double sd) {
    const auto x =
        normals(seed.child(name), static_cast<std::size_t>(columns) * static_cast<std::size_t>(rows), sd);
    tensor(name, columns, rows, [&x](std::size_t i) { return x[i]; });
  }
  void ones(const std::string& name, int columns) {
    tensor(name, columns, 0, [](std::size_t) { return 1.0; });
  }
  void write(const std::string& path) {
    if (!gguf_write_to_file(gguf_.get(), path.c_str(), false))
      throw Error(ErrorKind::io, "a tiny model could not be written to " + path);
  }

 private:
  std::unique_ptr<gguf_context, void (*)(gguf_context*)> gguf_;
  std::unique_ptr<ggml_context, void (*)(ggml_context*)> ggml_;
};

constexpr int kHeads = 4;

void put_shape(gguf_context* g, const TinyOptions& options, int n_ff, std::size_t n_vocab) {
  gguf_set_val_str(g, "general.architecture", "llama");
  gguf_set_val_str(g, "general.name", options.warm.empty() ? "tiny" : "tiny with planted warmth");
  gguf_set_val_str(g, "general.license", "apache-2.0");
  gguf_set_val_u32(g, "general.file_type", 0);
  gguf_set_val_u32(g, "llama.vocab_size", static_cast<std::uint32_t>(n_vocab));
  gguf_set_val_u32(g, "llama.context_length", 2048);
  gguf_set_val_u32(g, "llama.embedding_length", static_cast<std::uint32_t>(options.n_embd));
  gguf_set_val_u32(g, "llama.block_count", static_cast<std::uint32_t>(options.n_layers));
  gguf_set_val_u32(g, "llama.feed_forward_length", static_cast<std::uint32_t>(n_ff));
  gguf_set_val_u32(g, "llama.attention.head_count", kHeads);
  gguf_set_val_u32(g, "llama.attention.head_count_kv", kHeads);
  gguf_set_val_u32(g, "llama.rope.dimension_count", static_cast<std::uint32_t>(options.n_embd / kHeads));
  gguf_set_val_f32(g, "llama.attention.layer_norm_rms_epsilon", 1e-6F);
  if (options.is_encoder) gguf_set_val_bool(g, "llama.attention.causal", false);
}

void put_vocabulary(gguf_context* g, const TinyOptions& options, const std::vector<TinyToken>& tokens) {
  std::vector<const char*> texts;
  std::vector<float> scores;
  std::vector<std::int32_t> types;
  for (const TinyToken& token : tokens) {
    texts.push_back(token.text.c_str());
    scores.push_back(0);
    types.push_back(static_cast<std::int32_t>(token.type));
  }
  gguf_set_val_str(g, "tokenizer.ggml.model", "llama");
  gguf_set_arr_str(g, "tokenizer.ggml.tokens", texts.data(), texts.size());
  gguf_set_arr_data(g, "tokenizer.ggml.scores", GGUF_TYPE_FLOAT32, scores.data(), scores.size());
  gguf_set_arr_data(g, "tokenizer.ggml.token_type", GGUF_TYPE_INT32, types.data(), types.size());
  gguf_set_val_u32(g, "tokenizer.ggml.unknown_token_id", 0);
  gguf_set_val_u32(g, "tokenizer.ggml.bos_token_id", 1);
  gguf_set_val_u32(g, "tokenizer.ggml.eos_token_id", kEnd);
  gguf_set_val_bool(g, "tokenizer.ggml.add_bos_token", options.adds_first_token);
  gguf_set_val_bool(g, "tokenizer.ggml.add_space_prefix", false);
  if (!options.chat_template.empty())
    gguf_set_val_str(g, "tokenizer.chat_template", options.chat_template.c_str());
}

constexpr double kWarmReads =
    0.3;  // how far along the planted direction a warm word stands, a plain one as far back
constexpr double kWarmWrites =
    0.3;  // what the direction adds to a warm word's output row, and takes from a plain one's
constexpr double kNever = -25;  // nats

// [n_vocab × n_embd]: 1 in dimension 0, else a random vector of about unit length, moved along u.
void put_embeddings(File& file, const TinyOptions& options, const Design& design) {
  const auto d = static_cast<std::size_t>(options.n_embd);
  const auto noise = normals(options.seed.child("embeddings"), design.tokens.size() * d,
                             1 / std::sqrt(static_cast<double>(d)));
  const double planted = options.warm.empty() ? 0 : 1;
  file.tensor("token_embd.weight", options.n_embd, static_cast<int>(design.tokens.size()),
              [&](std::size_t i) {
                const TinyToken& token = design.tokens[i / d];
                if (!options.broken_word.empty() && token.text == " " + options.broken_word)
                  return std::numeric_limits<double>::quiet_NaN();
                if (i % d == 0) return 1.0;
                double along = options.warm_bias;
                if (token.part == Part::warm_word) along += kWarmReads;
                if (token.part == Part::plain_word) along -= kWarmReads;
                return noise[i] + planted * along * static_cast<double>(design.u[i % d]);
              });
}

// [n_vocab × n_embd]: a bias in dimension 0, else a random vector that gives logits of about unit spread.
void put_output(File& file, const TinyOptions& options, const Design& design) {
  const auto d = static_cast<std::size_t>(options.n_embd);
  const double root = std::sqrt(static_cast<double>(d));
  const auto noise = normals(options.seed.child("output"), design.tokens.size() * d, 1 / root);
  const double planted = options.warm.empty() ? 0 : 1;
  const auto n_words = static_cast<double>(options.words.size() + options.warm.size());
  const double per_nat =
      std::sqrt(2.0) / root;  // dimension 0 of the normalised stream is about root / sqrt(2)
  file.tensor("output.weight", options.n_embd, static_cast<int>(design.tokens.size()), [&](std::size_t i) {
    const Part part = design.tokens[i / d].part;
    if (i % d == 0) {
      if (part == Part::never_written) return kNever * per_nat;
      return part == Part::end_of_turn ? std::log(n_words / options.mean_words) * per_nat : 0.0;
    }
    if (part == Part::end_of_turn) return 0.0;
    double along = 0;
    if (part == Part::warm_word) along = kWarmWrites;
    if (part == Part::plain_word) along = -kWarmWrites;
    return noise[i] + planted * along * static_cast<double>(design.u[i % d]);
  });
}

void put_block(File& file, const TinyOptions& options, int layer, int n_ff) {
  const std::string at = "blk." + std::to_string(layer) + ".";
  const int d = options.n_embd;
  const double unit = 1 / std::sqrt(static_cast<double>(d));
  file.ones(at + "attn_norm.weight", d);
  file.ones(at + "ffn_norm.weight", d);
  for (const char* name : {"attn_q.weight", "attn_k.weight", "attn_v.weight"})
    file.random(at + name, d, d, options.seed, unit);
  file.random(at + "attn_output.weight", d, d, options.seed, options.mixing * unit);
  file.random(at + "ffn_gate.weight", d, n_ff, options.seed, unit);
  file.random(at + "ffn_up.weight", d, n_ff, options.seed, unit);
  file.random(at + "ffn_down.weight", n_ff, d, options.seed, options.mixing * unit);
}

}  // namespace

std::vector<std::string> TinyOptions::tiny_words() {
  return {"the",  "a",    "day",  "report", "file",  "table",  "meeting", "system", "number", "plan",
          "form", "list", "step", "task",   "page",  "office", "phone",   "train",  "box",    "paper",
          "is",   "was",  "has",  "needs",  "shows", "works",  "runs",    "waits",  "starts", "ends",
          "and",  "or",   "in",   "on",     "at",    "with",   "for",     "by",     "you",    "it",
          "0",    "1",    "2",    "3",      "4",     "5",      ".",       ",",      "?"};
}

std::string TinyOptions::tiny_chat_template() {
  return "{% for message in messages %}{{ '<|' + message['role'] + '|>' + message['content'] + '<|end|>' "
         "}}{% endfor %}"
         "{% if add_generation_prompt %}{{ '<|assistant|>' }}{% endif %}";
}

std::vector<float> planted_direction(const TinyOptions& options) {
  std::vector<double> x = normals(options.seed.child("planted"), static_cast<std::size_t>(options.n_embd), 1);
  x[0] = 0;
  double squared = 0;
  for (const double v : x) squared += v * v;
  std::vector<float> u;
  u.reserve(x.size());
  for (const double v : x) u.push_back(static_cast<float>(v / std::sqrt(squared)));
  return u;
}

void write_tiny_model(const std::string& path, const TinyOptions& options) {
  require(options.n_embd > 0 && options.n_embd % 16 == 0, "the width of a tiny model is a multiple of 16");
  require(options.n_layers >= 1, "a tiny model has at least one layer");
  detail::start_llama();
  const Design design{vocabulary(options), planted_direction(options)};
  const int n_ff = 2 * options.n_embd;
  const auto d = static_cast<std::size_t>(options.n_embd);
  const std::size_t numbers =
      2 * design.tokens.size() * d + static_cast<std::size_t>(options.n_layers) * 12 * d * d;
  File file(numbers * sizeof(float) +
            static_cast<std::size_t>(options.n_layers + 1) * 16 * (ggml_tensor_overhead() + 64));
  put_shape(file.meta(), options, n_ff, design.tokens.size());
  put_vocabulary(file.meta(), options, design.tokens);
  put_embeddings(file, options, design);
  put_output(file, options, design);
  file.ones("output_norm.weight", options.n_embd);
  for (int layer = 0; layer < options.n_layers; ++layer) put_block(file, options, layer, n_ff);
  file.write(path);
}

}  // namespace sonder::model
