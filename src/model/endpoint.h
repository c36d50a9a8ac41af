// An OpenAI-compatible endpoint: many questions side by side over HTTP(S), asked patiently. It connects to
// the address that the plan names and to nothing else; it follows no redirect.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "base/cancel.h"
#include "base/seed.h"

namespace sonder::model {

// Waits between tries: first, doubled each time up to `most`, half of it by chance. Seconds.
struct RetryRule {
  int tries = 6;            // in all
  double first = 1;         // wait after the first failure
  double most = 60;         // longest wait by ourselves
  double most_asked = 300;  // longest wait that the endpoint may ask for (Retry-After)
};

struct EndpointOptions {
  std::string url;          // as far as "/v1"; questions go to url + "/chat/completions"
  std::string key;          // sent as a bearer token; empty: none. Never shown, logged or stored
  std::string key_env;      // the environment variable it came from, for messages; may be empty
  bool allow_http = false;  // plain http to another machine: anyone on the way can read and change it
  int concurrency = 4;      // questions under way at once, at most
  double timeout = 60;      // seconds until an answer must be complete
  RetryRule retry;
  std::int64_t tokens = 0;  // most tokens to spend while the object lives; 0: no limit
};

struct Question {
  std::string body;         // JSON
  std::int64_t tokens = 0;  // what it is expected to cost, counted until the true cost is known
};

struct HttpAnswer {
  int status = 0;    // 200..299, 400 or 422: what else there is, the endpoint deals with itself
  std::string body;  // whatever was sent, at most 4 MB
};

// What the asker makes of an answer.
struct Handling {
  enum class Next {
    done,     // it could be used
    again,    // it could not; ask again later, as after a failure
    instead,  // ask `body` in its place, at once; that is no failure
    gone,     // it could not, and asking again would not help
  };
  Next next = Next::done;
  std::string reason = {};                  // again, gone: in plain words, without the answer's text
  std::string body = {};                    // instead
  std::optional<std::int64_t> tokens = {};  // what it cost, when the answer says so
};

struct Traffic {
  std::int64_t sent = 0;    // requests
  std::int64_t again = 0;   // of them, repeated after a failure
  std::int64_t tokens = 0;  // spent, as reported; where not reported, as expected
};

class Endpoint {
 public:
  using OnAnswer = std::function<Handling(std::size_t i, const HttpAnswer& answer)>;
  using OnGone = std::function<void(std::size_t i, const std::string& reason)>;

  // Opens no connection yet. `jitter` decides the chance part of waits only. Throws Error(bad_input) for an
  // address that is none, plain http to another machine without allow_http, or a key that cannot be sent.
  static std::unique_ptr<Endpoint> open(const EndpointOptions& options, Seed jitter);
  virtual ~Endpoint() = default;
  Endpoint(const Endpoint&) = delete;
  Endpoint& operator=(const Endpoint&) = delete;

  // Asks every question, each until it is done or gone; calls in the order in which answers come. Failures of
  // the connection, time-outs, 408, 409, 425, 429 and 5xx are tried again by the rule; Retry-After is obeyed
  // by all questions. Throws Error(bad_input) for 401, 404 and redirects; Error(io) when the endpoint cannot
  // be reached at all, fails five questions in a row, asks for too long a wait, has no quota left, or the
  // tokens are spent; Error(cancelled). What was answered before has been handed over. No message holds a
  // question, an answer or the key.
  virtual void ask(std::span<const Question> questions, const OnAnswer& on_answer, const OnGone& on_gone,
                   const Cancel& cancel) = 0;
  virtual Traffic traffic() const = 0;

 protected:
  Endpoint() = default;
};

}  // namespace sonder::model
