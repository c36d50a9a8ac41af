// A model whose every answer is planted. For tests of instruments only.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "model/model.h"

namespace sonder::instrument::detail {

class FakeModel : public model::Model {
 public:
  // What it is asked is kept here; what it answers is taken from these.
  std::vector<model::Passage> passages;
  std::function<model::Choices(const std::string& text)> rate;           // of a passage's text
  std::function<std::vector<float>(const std::string& text)> vector_of;  // of a text to embed

  explicit FakeModel(bool is_encoder = false) { card_.is_encoder = is_encoder, card_.sha256 = "fake"; }

  const model::Card& card() const override { return card_; }
  std::string render(std::span<const model::Message> turns, model::Template /*form*/) const override {
    std::string text;
    for (const auto& turn : turns) text += "<" + turn.role + ">" + turn.content + "<end>";
    return text + "<assistant>";
  }
  // A token is a byte.
  std::vector<model::Token> tokenise(const std::string& rendered) const override {
    return {rendered.begin(), rendered.end()};
  }
  std::vector<model::Token> tokenise_plain(const std::string& text) const override { return tokenise(text); }
  std::string detokenise(std::span<const model::Token> tokens) const override {
    std::string text;
    for (const model::Token t : tokens) text.push_back(static_cast<char>(t));
    return text;
  }

  void reply(std::span<const model::Request>, const OnReply&, const Cancel&) override { refuse(); }
  void read(std::span<const model::Passage>, const model::Hook&, const model::Want&, const OnReading&,
            const Cancel&) override {
    refuse();
  }
  std::vector<model::Choices> choose(std::span<const model::Passage> asked, std::span<const std::string>,
                                     const Cancel&) override {
    std::vector<model::Choices> out;
    for (const auto& passage : asked) {
      passages.push_back(passage);
      out.push_back(rate(detokenise(passage.tokens)));
    }
    return out;
  }
  Rows embed(std::span<const std::string> texts, const Cancel&) override {
    Rows rows;
    for (const std::string& text : texts) rows.append(vector_of(text));
    return rows;
  }
  model::Counts counts() const override { return {}; }

 private:
  static void refuse() { throw Error(ErrorKind::bug, "an instrument only rates and embeds"); }
  model::Card card_;
};

}  // namespace sonder::instrument::detail
