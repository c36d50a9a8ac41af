#include "planted.h"

#include <algorithm>
#include <limits>
#include <set>
#include <sstream>

#include "base/hash.h"
#include "base/seed.h"

namespace sonder::stories {
namespace {

std::string sentence(Stream& random, int n_words, int n_warm, const model::TinyOptions& options) {
  std::vector<std::string> words;
  std::vector<std::string> plain;
  for (const std::string& word : options.words)
    if (word.size() > 2) plain.push_back(word);
  for (int i = 0; i < n_words; ++i)
    words.push_back(i < n_warm ? options.warm[random.below(options.warm.size())]
                               : plain[random.below(plain.size())]);
  random.shuffle(words);
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : " ") + word;
  return text;
}

std::string reordered(Stream& random, const std::string& text) {
  std::istringstream stream(text);
  std::vector<std::string> words;
  for (std::string word; stream >> word;) words.push_back(word);
  random.shuffle(words);
  std::string out;
  for (const std::string& word : words) out += (out.empty() ? "" : " ") + word;
  return out;
}

store::Scenario scenario(int i, store::Split split, bool shuffled) {
  const model::TinyOptions options = planted_options();
  Stream random(Seed(11).child("scenario").child(static_cast<std::uint64_t>(i)));
  const auto warm = [&](int n) { return sentence(random, 16, n, options); };
  store::Scenario s;
  s.id = "s" + std::to_string(i);
  s.family = "f" + std::to_string(i / 2) +
             (split == store::Split::fit   ? "a"
              : split == store::Split::dev ? "b"
                                           : "c");
  s.split = split;
  s.area = "planted";
  s.message = sentence(random, 10, 0, options);
  s.neu = warm(1);
  store::FacetTexts& texts = s.facets["affective"];
  texts.emp = warm(12);
  if (shuffled && random.coin()) std::swap(s.neu, texts.emp);
  for (const int n : {3, 5, 8, 11}) texts.ladder.push_back(warm(n));
  s.rephrase_of_neu = reordered(random, s.neu);
  s.rephrase_of_emp["affective"] = reordered(random, texts.emp);
  s.pad = s.neu + " " + warm(0);
  s.formal = warm(1);
  return s;
}

int count_warm(const std::string& text) {
  static const std::set<std::string> warm = [] {
    const auto words = planted_options().warm;
    return std::set<std::string>(words.begin(), words.end());
  }();
  std::istringstream stream(text);
  int n = 0;
  for (std::string word; stream >> word;) n += warm.contains(word) ? 1 : 0;
  return n;
}

class Planted final : public instrument::Instrument {
 public:
  explicit Planted(std::string name) : name_(std::move(name)) {}
  std::string name() const override { return name_; }
  std::string family() const override { return name_ == "echo" ? "embedding" : "word list"; }
  std::string unit() const override { return "words"; }
  double highest() const override { return std::numeric_limits<double>::infinity(); }
  double lowest() const override { return -1; }
  double step() const override { return 1; }
  std::string fingerprint() const override { return "planted " + name_; }
  std::vector<Measured<double>> score(const std::string& /*facet*/,
                                      std::span<const instrument::BlindReply> replies,
                                      const OnProgress& /*progress*/, const Cancel& /*cancel*/) override {
    std::vector<Measured<double>> scores;
    for (const instrument::BlindReply& reply : replies)
      scores.emplace_back(
          name_ == "blind"
              ? static_cast<double>(std::stoul(sha256(reply.words()).substr(0, 4), nullptr, 16)) / 4096
              : static_cast<double>(count_warm(reply.words())));
    return scores;
  }

 private:
  std::string name_;
};

class Obedient final : public model::Model {
 public:
  Obedient(model::Model& inner, const model::TinyOptions& options)
      : inner_(inner), u_(model::planted_direction(options)) {
    for (const std::string& word : options.warm)
      for (const std::string& form : {word, " " + word})
        for (const model::Token token : inner.tokenise_plain(form)) warm_.insert(token);
  }
  const model::Card& card() const override { return inner_.card(); }
  std::string render(std::span<const model::Message> turns, model::Template form) const override {
    return inner_.render(turns, form);
  }
  std::vector<model::Token> tokenise(const std::string& text) const override { return inner_.tokenise(text); }
  std::vector<model::Token> tokenise_plain(const std::string& text) const override {
    return inner_.tokenise_plain(text);
  }
  std::string detokenise(std::span<const model::Token> tokens) const override {
    return inner_.detokenise(tokens);
  }
  void reply(std::span<const model::Request> requests, const OnReply& done, const Cancel& cancel) override {
    std::vector<model::Request> pushed(requests.begin(), requests.end());
    for (model::Request& r : pushed)
      if (r.hook.empty() &&
          std::any_of(r.prompt.begin(), r.prompt.end(), [&](model::Token t) { return warm_.contains(t); }))
        r.hook = {{{model::Site{1}, model::EditKind::push, u_, 1.2F}}, model::Span::reply};
    inner_.reply(pushed, done, cancel);
  }
  void read(std::span<const model::Passage> passages, const model::Hook& hook, const model::Want& want,
            const OnReading& done, const Cancel& cancel) override {
    inner_.read(passages, hook, want, done, cancel);
  }
  std::vector<model::Choices> choose(std::span<const model::Passage> passages,
                                     std::span<const std::string> answers, const Cancel& cancel) override {
    return inner_.choose(passages, answers, cancel);
  }
  Rows embed(std::span<const std::string> texts, const Cancel& cancel) override {
    return inner_.embed(texts, cancel);
  }
  model::Counts counts() const override { return inner_.counts(); }

 private:
  model::Model& inner_;
  std::vector<float> u_;
  std::set<model::Token> warm_;
};

}  // namespace

model::TinyOptions planted_options() {
  model::TinyOptions options;
  options.warm = {"sorry", "feel",   "care",    "hug",    "dear",     "hope",  "kind",
                  "heart", "gentle", "hold",    "soft",   "love",     "tears", "close",
                  "safe",  "friend", "comfort", "listen", "together", "warm"};
  return options;
}

store::Bank planted_bank(bool shuffled) {
  store::Bank bank;
  bank.name = "planted";
  for (int i = 0; i < 48; ++i) {
    const store::Split split = i < 12 ? store::Split::fit : i < 16 ? store::Split::dev : store::Split::test;
    bank.scenarios.push_back(scenario(i, split, shuffled));
  }
  Stream random(Seed(12));
  for (int i = 0; i < 8; ++i) bank.unrelated.push_back(sentence(random, 8, 0, planted_options()));
  for (int i = 0; i < 4; ++i) bank.padding.push_back(sentence(random, 8, 0, planted_options()));
  bank.sha256 = sha256(shuffled ? "planted, shuffled" : "planted");
  return bank;
}

std::unique_ptr<instrument::Instrument> planted_instrument(const std::string& name) {
  return std::make_unique<Planted>(name);
}

std::unique_ptr<model::Model> obedient(model::Model& inner, const model::TinyOptions& options) {
  return std::make_unique<Obedient>(inner, options);
}

}  // namespace sonder::stories
