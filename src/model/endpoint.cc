#include "model/endpoint.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <map>

#include "base/address.h"
#include "base/error.h"
#include "model/detail/http.h"
#include "model/detail/retry.h"

namespace sonder::model {
namespace {

using detail::HttpEnd;
using detail::Trouble;

constexpr int kDown = 5;         // questions that fail in a row before the endpoint counts as down
constexpr double kGlance = 0.1;  // seconds between looks at a wish to stop

double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

std::string with_status(const std::string& words, int status) {
  return words + " (HTTP " + std::to_string(status) + ")";
}

struct Item {
  std::size_t i = 0;
  int failed = 0;
  std::string body;
  std::int64_t tokens = 0;
};

class HttpEndpoint final : public Endpoint {
 public:
  HttpEndpoint(const EndpointOptions& options, const Address& address, Seed jitter)
      : options_(options),
        host_(address.host),
        http_(address, address.base + "/chat/completions", options.key, options.timeout),
        chance_(jitter) {
    options_.key.clear();  // only the header keeps it
  }

  void ask(std::span<const Question> questions, const OnAnswer& on_answer, const OnGone& on_gone,
           const Cancel& cancel) override {
    struct Leave {
      HttpEndpoint& self;
      ~Leave() { self.http_.abandon(), self.waiting_.clear(), self.under_way_.clear(), self.expected_ = 0; }
    } const leave{*this};
    on_answer_ = &on_answer, on_gone_ = &on_gone;
    for (std::size_t i = 0; i < questions.size(); ++i)
      waiting_.emplace(0.0, Item{i, 0, questions[i].body, questions[i].tokens});
    while (!waiting_.empty() || !under_way_.empty()) {
      cancel.check();
      launch();
      const double due = waiting_.empty() ? now() + kGlance : std::max(waiting_.begin()->first, pause_);
      for (HttpEnd& end : http_.wait(std::min(kGlance, std::max(0.001, due - now())))) take(std::move(end));
    }
  }

  Traffic traffic() const override { return traffic_; }

 private:
  bool affordable(const Item& item) const {
    return options_.tokens == 0 || traffic_.tokens + expected_ + item.tokens <= options_.tokens;
  }

  void launch() {
    while (!waiting_.empty() && under_way_.size() < static_cast<std::size_t>(options_.concurrency)) {
      const auto first = waiting_.begin();
      if (std::max(first->first, pause_) > now()) return;
      if (!affordable(first->second)) {
        if (!under_way_.empty()) return;  // their true cost may leave room
        throw Error(ErrorKind::io,
                    "the judge's budget of " + std::to_string(options_.tokens) + " tokens is spent (" +
                        std::to_string(traffic_.tokens) + " used, " + std::to_string(waiting_.size()) +
                        " questions open); what was answered is kept: run again to go on with a "
                        "fresh budget, or raise endpoint.tokens");
      }
      Item item = std::move(first->second);
      waiting_.erase(first);
      http_.send(item.i, item.body);
      expected_ += item.tokens;
      ++traffic_.sent;
      traffic_.again += item.failed > 0 ? 1 : 0;
      under_way_.emplace(item.i, std::move(item));
    }
  }

  void take(HttpEnd end) {
    const auto found = under_way_.find(end.tag);
    Item item = std::move(found->second);
    under_way_.erase(found);
    expected_ -= item.tokens;
    if (end.trouble != Trouble::none) return take_trouble(std::move(item), end.trouble);
    reached_ = true;
    if ((end.status >= 200 && end.status < 300) || end.status == 400 || end.status == 422)
      return take_answer(std::move(item), {end.status, std::move(end.body)});
    take_status(std::move(item), end);
  }

  void take_trouble(Item item, Trouble trouble) {
    const std::string words = detail::in_words(trouble);
    // The endpoint may have worked for it, and will count what it did.
    if (trouble == Trouble::late || trouble == Trouble::broken || trouble == Trouble::large) {
      traffic_.tokens += item.tokens;
      reached_ = true;
    }
    if (trouble == Trouble::unsafe) throw Error(ErrorKind::io, at_host() + ": " + words);
    if (trouble == Trouble::large || trouble == Trouble::other)
      return give_up(item, "the endpoint could not be asked: " + words, true);
    fail(std::move(item), words, {});
  }

  void take_answer(Item item, const HttpAnswer& answer) {
    Handling reading = (*on_answer_)(item.i, answer);
    const bool spent = answer.status < 300;
    traffic_.tokens += reading.tokens.value_or(spent ? item.tokens : 0);
    switch (reading.next) {
      case Handling::Next::done:
        failed_in_a_row_ = 0, useful_ = true;
        return;
      case Handling::Next::again:
        return fail(std::move(item), reading.reason, {});
      case Handling::Next::gone:
        return give_up(item, reading.reason, !useful_);
      case Handling::Next::instead:
        item.body = std::move(reading.body);
        waiting_.emplace(0.0, std::move(item));
        return;
    }
  }

  void take_status(Item item, const HttpEnd& end) {
    const int status = end.status;
    if (status == 401) throw Error(ErrorKind::bad_input, with_status(key_refused(), status));
    if (status == 404)
      throw Error(
          ErrorKind::bad_input,
          with_status(at_host() + " has no such model, or its address is another; see endpoint.url and model",
                      status));
    if (status >= 300 && status < 400)
      throw Error(
          ErrorKind::bad_input,
          with_status(at_host() + " wants to be asked at another address, and Sonder does not follow; write "
                                  "that one under endpoint.url",
                      status));
    if (status == 402 || (status == 429 && end.body.find("insufficient_quota") != std::string::npos))
      throw Error(ErrorKind::io, with_status(at_host() + " says that the account has no quota left", status));
    if (!detail::passes(status)) {
      const std::string why = status == 403   ? "the endpoint does not allow this question"
                              : status == 413 ? "the text is too long for the endpoint"
                                              : "the endpoint refused the question";
      return give_up(item, with_status(why, status), !useful_);
    }
    fail(std::move(item),
         with_status(status == 429 ? "the endpoint was asked too often" : "the endpoint failed", status),
         end.retry_after);
  }

  void fail(Item item, const std::string& words, std::optional<double> asked) {
    if (asked && *asked > options_.retry.most_asked)
      throw Error(ErrorKind::io, at_host() + " asks to wait " + std::to_string(std::llround(*asked)) +
                                     " seconds; what was answered is kept, run again then");
    ++item.failed;
    const auto wait = detail::wait_after(options_.retry, item.failed, asked, chance_.uniform());
    if (!wait) {
      if (!reached_) throw Error(ErrorKind::io, at_host() + " cannot be reached: " + words);
      return give_up(
          item, words + ", " + std::to_string(item.failed) + (item.failed == 1 ? " time" : " times"), true);
    }
    if (asked) pause_ = std::max(pause_, now() + *asked);
    waiting_.emplace(now() + *wait, std::move(item));
  }

  // `down`: that may be the endpoint's own state. A single text that it refuses says nothing about the
  // others.
  void give_up(const Item& item, const std::string& reason, bool down) {
    (*on_gone_)(item.i, reason);
    if (down && ++failed_in_a_row_ >= kDown)
      throw Error(ErrorKind::io, at_host() + " left " + std::to_string(kDown) +
                                     " questions in a row unanswered, the last: " + reason +
                                     "; what was answered is kept, run again to go on");
  }

  std::string at_host() const { return "the endpoint at " + host_; }

  std::string key_refused() const {
    if (options_.key_env.empty())
      return at_host() + " wants a key; name the environment variable that holds it under endpoint.key_env";
    return at_host() + " did not accept the key; set the environment variable " + options_.key_env +
           " to a valid one";
  }

  EndpointOptions options_;
  std::string host_;
  detail::Http http_;
  Stream chance_;
  const OnAnswer* on_answer_ = nullptr;
  const OnGone* on_gone_ = nullptr;
  std::multimap<double, Item> waiting_;    // by the time from which they may be asked
  std::map<std::size_t, Item> under_way_;  // by question
  std::int64_t expected_ = 0;              // tokens of what is under way
  double pause_ = 0;                       // nobody is asked before
  int failed_in_a_row_ = 0;
  bool useful_ = false;   // was an answer ever of use?
  bool reached_ = false;  // did anybody ever answer?
  Traffic traffic_;
};

}  // namespace

std::unique_ptr<Endpoint> Endpoint::open(const EndpointOptions& options, Seed jitter) {
  const Measured<Address> address = read_address(options.url);
  require(address.has_value(), "endpoint.url: " + address.reason());
  require(
      address->secure || address->loopback || options.allow_http,
      "endpoint.url: expected https://, because plain http to another machine can be read and changed on the "
      "way; endpoint.allow_http: true permits it");
  require(options.key.size() <= 4096 &&
              std::all_of(options.key.begin(), options.key.end(), [](char c) { return c > ' ' && c < 0x7f; }),
          "the environment variable " + options.key_env +
              " holds white space or letters that no key has; set it to the key alone");
  require(options.concurrency >= 1 && options.timeout > 0 && options.retry.tries >= 1,
          "an endpoint needs at least one question at a time, one try and some time to answer");
  return std::make_unique<HttpEndpoint>(options, *address, jitter);
}

}  // namespace sonder::model
