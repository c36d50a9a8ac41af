// Is a bank fit to measure with? Whoever reads only the surface of its replies must not be able to tell them
// apart.
#pragma once

#include <string>
#include <vector>

#include "store/bank.h"

namespace sonder::store {

// Means over the replies of one kind ("NEU", "EMP affective", "affective 1" for the lowest level of a ladder,
// …). Tokens are words and punctuation marks; sentences are runs of . ? ! and …
struct SurfaceRow {
  std::string kind;
  int n = 0;  // replies
  double tokens = 0, sentences = 0, commas = 0, questions = 0, exclamations = 0;
  double i_words = 0, you_words = 0;  // "I", "I'm", …; "you", "your", …
  std::string first_word;             // the commonest, in small letters
  double first_share = 0;             // of the replies that begin with it
};

// How often a surface feature is larger in the higher of two replies to the same scenario, ties counted half:
// .5 when it says nothing. For "first word": how often a rule learnt from the other scenarios' first words
// picks the higher one (leave one scenario out), so that below .5 is harmless.
struct Separation {
  std::string facet;
  std::string pair;     // of dev and test: "NEU to EMP", "level 1 to 2", …; of fit: "NEU to EMP in fit"
  std::string feature;  // "tokens", "commas", …
  double concordance = 0.5;
  double allowed = 0;  // largest distance from .5, see kAllowed
  int n = 0;           // scenarios
  bool told_apart() const;
};

// Length and punctuation: .20, so that at best 7 in 10 are guessed right. "I", "you" and the first word carry
// part of the meaning and cannot be balanced as closely: .30. In a small bank chance alone goes further, so
// no less than 1 / sqrt(n) is allowed, two standard errors of a fair coin.
constexpr double kAllowed = 0.20;
constexpr double kAllowedWords = 0.30;

struct Surface {
  std::vector<SurfaceRow> rows;
  std::vector<Separation> separations;
};

Surface surface(const Bank& bank);

// Problems of the design; the file is named without its folder, the line is the scenario's.
// Each scenario: a message of 20 to 90 words; NEU, EMP, levels and rephrasings (fit: the formal reply) within
// 10 % of their median length in tokens; PAD 1.25 to 1.8 times as long as NEU; no exclamation mark; no reply
// twice. Each kind of reply: no four-word opening in more than 2 % (two are needed), no first word in more
// than 25 % (four). The bank: scenarios in every split, families within one split, ids once, a rubric for
// each facet, no unrelated prompt twice, and no Separation that tells apart.
std::vector<Problem> bank_checks(const Bank& bank);

}  // namespace sonder::store
