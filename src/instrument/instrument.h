// Instruments: anything that scores a reply. They see words only; the arm and the dose cannot reach them.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/cancel.h"
#include "base/measured.h"
#include "base/progress.h"
#include "base/seed.h"
#include "model/endpoint.h"
#include "model/model.h"

namespace sonder::instrument {

// What a judge may see: the person's message and the reply. Made only by blind() below.
class BlindReply {
 public:
  const std::string& message() const { return message_; }
  const std::string& words() const { return words_; }

 private:
  BlindReply(std::string message, std::string words)
      : message_(std::move(message)), words_(std::move(words)) {}
  friend BlindReply blind(const std::string& message, const model::Reply& reply);
  friend BlindReply blind_text(const std::string& message, const std::string& bank_text);
  std::string message_;
  std::string words_;
};

BlindReply blind(const std::string& message, const model::Reply& reply);
BlindReply blind_text(const std::string& message,
                      const std::string& bank_text);  // exemplars, ladders, controls

class Instrument {
 public:
  virtual ~Instrument() = default;
  Instrument(const Instrument&) = delete;
  Instrument& operator=(const Instrument&) = delete;

  virtual std::string name() const = 0;                // "lexicon", "embedding", "judge", "length"
  virtual std::string family() const = 0;              // "word list", "embedding", "judge", "length"
  virtual std::string unit() const = 0;                // "hits per 100 words", "points 0..5", …
  virtual bool control_only() const { return false; }  // reported, never a witness
  virtual double highest() const = 0;                  // of its scale; +infinity when open
  virtual double lowest() const = 0;
  virtual double step() const = 0;  // smallest meaningful step, for the headroom gate
  // What decides its scores, for the ledger's content address: versions, hashes of fitted weights and
  // rubrics.
  virtual std::string fingerprint() const = 0;

  // One score per reply, in order; facet "affective" or "cognitive". Missing when the reply cannot be scored.
  virtual std::vector<Measured<double>> score(const std::string& facet, std::span<const BlindReply> replies,
                                              const OnProgress& progress, const Cancel& cancel) = 0;

 protected:
  Instrument() = default;
};

std::unique_ptr<Instrument> lexicon();
std::unique_ptr<Instrument> length();

// Ridge on sentence vectors, one head per facet, fitted here on `examples` (the bank's fit split), lambda by
// leave-one-scenario-out. `encoder` must outlive the instrument.
struct Example {
  int scenario = 0;
  std::string message;
  std::string text;
  double affective = 0;  // target: 0 neutral … 1 fully empathic
  double cognitive = 0;
};
std::unique_ptr<Instrument> embedding(model::Model& encoder, std::span<const Example> examples,
                                      const Cancel& cancel);

// A local model rates 0 to 5; expected score over token probabilities, mass below .8 is Missing
// (methods.md 4.2). `rubric_*`: instructions, end before the message. `model` must outlive the instrument.
struct JudgeOptions {
  std::string rubric_affective;
  std::string rubric_cognitive;
  model::Template form = model::Template::plain;
};
std::unique_ptr<Instrument> judge(model::Model& model, const JudgeOptions& options);

// A model behind an OpenAI-compatible endpoint rates in the same words. Where the endpoint gives token
// probabilities at the rating, the expected score over them, mass below .8 is Missing; else the mean of
// `samples` answers, each a draw of its own at temperature 1, Missing when fewer than half of them hold a
// level. An answer that cannot be read is Missing with its reason, never 0. `endpoint` must outlive the
// instrument; errors as model::Endpoint::ask.
struct RemoteJudgeOptions {
  std::string url;    // of the endpoint, for the fingerprint
  std::string model;  // as the endpoint calls it
  std::string rubric_affective;
  std::string rubric_cognitive;
  int samples = 5;
};
std::unique_ptr<Instrument> remote_judge(model::Endpoint& endpoint, const RemoteJudgeOptions& options);

}  // namespace sonder::instrument
