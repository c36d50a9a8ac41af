// The probability of short answers as the next words, over every way in which the vocabulary spells them.
// Source: methods.md 4.2, rule 1.
#pragma once

#include <map>
#include <span>
#include <string>
#include <vector>

#include "model/detail/reader.h"
#include "model/detail/vocab.h"
#include "model/model.h"

namespace sonder::model::detail {

// The spellings of an answer: each single token that reads as the answer, with or without one space before
// it; a lone space token and then such a token; and, where the answer takes several tokens, the tokeniser's
// own cut of it, with and without the space. An answer that begins another ("1" and "10" where digits are
// tokens) counts the other's probability, too: choose answers of which none begins another.
class Chooser {
 public:
  // Throws Error(bad_input) when an answer is empty or stands twice.
  Chooser(const Vocab& vocab, std::span<const std::string> answers);

  std::size_t longest() const { return longest_; }  // tokens of the longest spelling

  // A passage whose reply part is empty.
  Choices choose(Reader& reader, const Passage& passage) const;

 private:
  struct Ending {
    Token token;
    std::size_t i_answer;
  };
  using Path = std::vector<Token>;

  void add(const Path& form, std::size_t i_answer);
  void visit(Reader& reader, const Passage& passage, const Path& path, double p_path, Choices& choices) const;

  std::size_t n_answers_;
  std::size_t longest_ = 0;
  std::map<Path, std::vector<Ending>> endings_;  // last token of a form, by the tokens before it
  std::map<Path, std::vector<Token>> branches_;  // tokens that lead on to longer forms
};

}  // namespace sonder::model::detail
