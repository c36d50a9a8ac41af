// What the word lists make of one text. Private to the room; the rules in words: lists/README.md.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/measured.h"
#include "text/word_list.h"

namespace sonder::instrument::detail {

// Buffers of one reader of texts.
struct Desk {
  text::Splitter splitter;
  text::Splitter message_splitter;
  text::Hits hits;
  std::string message;                   // the one read last: replies to one message come together
  std::vector<std::string_view> asked;   // its words
  std::vector<std::string_view> echoed;  // of them in the reply
};

// Scores one facet. Immutable; one Desk per thread.
class Meter {
 public:
  virtual ~Meter() = default;
  // Weighted hits per 100 words. Missing when the reply has no words.
  virtual Measured<double> score(std::string_view message, std::string_view reply, Desk& desk) const = 0;
};

class AffectiveMeter final : public Meter {
 public:
  AffectiveMeter();
  Measured<double> score(std::string_view message, std::string_view reply, Desk& desk) const override;

 private:
  double shared_feeling(const text::Words& words, const text::Hits& hits) const;
  bool names_feeling(std::size_t category) const;

  text::WordList list_;
  std::size_t feeling_, strong_, body_, with_, self_;
};

class CognitiveMeter final : public Meter {
 public:
  CognitiveMeter();
  Measured<double> score(std::string_view message, std::string_view reply, Desk& desk) const override;

 private:
  text::WordList list_;
};

}  // namespace sonder::instrument::detail
