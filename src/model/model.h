// A language model that runs here: read, reply, score, embed. The only door to llama.cpp.
// Everything is deterministic: a cell's bytes do not depend on the batch, the slot, the order or the threads.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/cancel.h"
#include "base/measured.h"
#include "base/rows.h"
#include "base/seed.h"
#include "model/hook.h"

namespace sonder::model {

using Token = std::int32_t;

// One turn of a conversation. role: "system", "user" or "assistant".
struct Message {
  std::string role;
  std::string content;
  bool operator==(const Message&) const = default;
};

// How a conversation becomes text.
enum class Template {
  chat,   // the template stored in the file, exactly as transformers renders it
  plain,  // "User: …\n\nAssistant: …", for base models
};

struct Card {  // what `sonder model show` prints
  std::string path;
  std::string sha256;  // of the file that runs
  std::string architecture;
  std::string name;
  std::string format;  // "F32", "Q8_0", …
  std::string licence;
  int n_layers = 0;
  int n_embd = 0;  // width of the residual stream
  int n_vocab = 0;
  int n_ctx_train = 0;
  int n_ctx =
      0;  // most tokens of one text here: n_ctx_train, or Options::n_ctx if that is less; 0: not known
  std::int64_t n_params = 0;
  bool has_chat_template = false;
  bool is_encoder = false;  // can embed, cannot reply
};

struct Sampler {
  double temperature = 0.7;  // 0: greedy, lowest token id on a tie
  double top_p = 1.0;
  double min_p = 0.0;
  bool operator==(const Sampler&) const = default;
};

// One reply to be written. A step draws one uniform from `seed`'s stream and inverts the distribution
// function in token order, so that arms that share a seed share their random numbers.
struct Request {
  std::vector<Token> prompt;  // >= 1 token
  Hook hook;
  Sampler sampler;
  Seed seed{0};
  int n_max = 48;                 // most new tokens
  std::vector<std::string> stop;  // the reply ends before the first of these
};

enum class Stopped { end_of_turn, stop_text, limit };

struct Reply {
  std::string text;           // valid UTF-8: bytes of a letter cut by the limit are dropped
  std::vector<Token> tokens;  // without the end-of-turn token
  Stopped stopped = Stopped::limit;
  bool operator==(const Reply&) const = default;
};

// A text whose tokens are known, to be read rather than written: prompt, then reply.
struct Passage {
  std::vector<Token> tokens;
  std::vector<int>
      cuts;  // where the text may be cut for sharing: ascending token counts; parts before a cut are read
             // once for all passages that begin alike. The bytes do not depend on what was shared.
  int n_prompt = 0;  // reply tokens are tokens[n_prompt ..]; a hook's span refers to this
};

struct Want {
  std::vector<int> layers;  // residuals of these layers (0-based)
  bool before = false;      // the same residuals just before a hook's edits at their layer
  bool log_probs = false;   // log p(token i | tokens before i) of each reply token
  bool logits = false;      // all logits that predict each reply token, and the one after the last
};

struct Reading {
  std::vector<Rows> residuals;    // one per wanted layer: [tokens of the passage × n_embd], f32
  std::vector<Rows> before;       // like residuals; empty unless wanted
  std::vector<double> log_probs;  // [reply tokens], nats
  Rows logits;                    // [reply tokens + 1 × n_vocab]
};

// The probability of each of several answers right after a prompt, summed over all surface forms
// (with or without a leading space, in one token or several). Of the answers none may begin another. Source:
// methods.md 4.2.
struct Choices {
  std::vector<double> p;  // one per answer, not normalised
  double mass = 0;        // their sum: below .8 the item is missing
};

struct Options {
  int n_threads = 0;  // 0: all cores
  int n_slots = 60;   // sequences that decode side by side
  int n_ctx = 0;      // most tokens of one sequence; 0: as many as the work at hand needs
};

struct Counts {                // since the model was loaded
  std::int64_t prefilled = 0;  // prompt tokens read
  std::int64_t decoded = 0;    // reply tokens computed
  std::int64_t passes = 0;     // calls of llama_decode
};

// Why a reply is Missing.
inline constexpr char kNotFinite[] = "the model's logits were not finite";

class Model {
 public:
  // Throws Error(io) when the file is absent, Error(corrupt) when it is no GGUF or is cut short,
  // Error(engine) when llama.cpp does not know the architecture.
  static std::unique_ptr<Model> load(const std::string& path, const Options& options = {});
  virtual ~Model() = default;
  Model(const Model&) = delete;
  Model& operator=(const Model&) = delete;

  virtual const Card& card() const = 0;

  // Throws Error(corrupt) naming both hashes when the file was written to since it was loaded: the weights
  // are read from it while the model runs. A file that was replaced or removed does no harm. Costs a look at
  // the file's time stamp; call it before results are kept.
  virtual void require_unchanged() const {}

  // The text of a conversation, ready for a reply. Throws Error(bad_input) for Template::chat on a model
  // without one.
  virtual std::string render(std::span<const Message> turns, Template form) const = 0;
  // Special tokens in rendered text are recognised; no token is added in front of a rendered template that
  // has one.
  virtual std::vector<Token> tokenise(const std::string& rendered) const = 0;
  // A person's or a reply's text: special tokens are not recognised, nothing is added.
  virtual std::vector<Token> tokenise_plain(const std::string& text) const = 0;
  virtual std::string detokenise(std::span<const Token> tokens) const = 0;

  // Writes all replies; `done(i, reply)` is called once per request as soon as it is finished, in an order
  // that is not promised. A prompt is read once for all requests that share it. Throws Error(cancelled) after
  // finishing the batch at hand. A request whose prompt is too long for the model: Error(bad_input), before
  // anything is read.
  using OnReply =
      std::function<void(std::size_t i, Measured<Reply>)>;  // Missing when the logits were not finite
  virtual void reply(std::span<const Request> requests, const OnReply& done, const Cancel& cancel) = 0;

  // Reads passages under a hook. `done(i, reading)` in order of i.
  using OnReading = std::function<void(std::size_t i, const Reading& reading)>;  // lent for the call
  virtual void read(std::span<const Passage> passages, const Hook& hook, const Want& want,
                    const OnReading& done, const Cancel& cancel) = 0;

  // p of each answer (e.g. "0" … "5") as the next token(s) after each passage (whose reply part is empty).
  virtual std::vector<Choices> choose(std::span<const Passage> passages, std::span<const std::string> answers,
                                      const Cancel& cancel) = 0;

  // Sentence vectors [texts × n_embd], unit length, for an encoder such as MiniLM.
  virtual Rows embed(std::span<const std::string> texts, const Cancel& cancel) = 0;

  virtual Counts counts() const = 0;

 protected:
  Model() = default;
};

// What one hook really does, measured on one passage: the manipulation check of every run.
// `asked` and `got` are lengths of the shift at the edited sites on the touched rows (residual units).
struct Manipulation {
  double asked = 0;
  double got = 0;
  double worst_relative_error =
      0;  // max over touched rows of |got - asked| / |asked|, as vectors; a shift below 1e-4 of
          // the residual's length is measured against that, so that rounding is no error
  double change_before = 0;  // largest change below the first edit and on rows outside the span; must be 0
  double kl = 0;  // mean KL(base || hooked) of the next token after each touched reply position, nats
};
Manipulation check_manipulation(Model& model, const Passage& passage, const Hook& hook, const Cancel& cancel);

// KL(P || Q) in nats of two rows of logits, log-sum-exp in f64. Source: methods.md 3.4.
double kl_divergence(std::span<const float> base_logits, std::span<const float> other_logits);

}  // namespace sonder::model
