#include "instrument/detail/meter.h"

#include <algorithm>

#include "instrument/detail/lists.h"

namespace sonder::instrument::detail {
namespace {

constexpr double kShrink = 20;    // words added to the length: a single hit in three words is no proof
constexpr double kNegated = 0.3;  // of its weight is left to a feeling under "not": it was still spoken of
constexpr double kShared = 1;     // a feeling in a sentence that also says I, or "with you"; each
constexpr double kEcho = 0.5;     // a word of the message taken up
constexpr std::size_t kMostEcho = 4;  // words
constexpr std::size_t kEchoLetters = 5;

double per_100_words(double sum, std::size_t n_words) {
  return 100 * sum / (static_cast<double>(n_words) + kShrink);
}

// Distinct long words of the message that the reply uses outside its hits, at most kMostEcho.
double echo(const text::Words& words, const text::Hits& hits, Desk& desk) {
  desk.echoed.clear();
  auto hit = hits.list.begin();
  for (std::size_t i = 0; i < words.size(); ++i) {
    while (hit != hits.list.end() && hit->first + hit->n <= i) ++hit;
    if (hit != hits.list.end() && hit->first <= i) continue;
    const std::string_view word = words[i];
    if (word.size() < kEchoLetters || !std::binary_search(desk.asked.begin(), desk.asked.end(), word))
      continue;
    if (std::find(desk.echoed.begin(), desk.echoed.end(), word) == desk.echoed.end())
      desk.echoed.push_back(word);
    if (desk.echoed.size() == kMostEcho) break;
  }
  return kEcho * static_cast<double>(desk.echoed.size());
}

void read_message(std::string_view message, Desk& desk) {
  if (message == desk.message) return;
  desk.message = message;
  const text::Words& words = desk.message_splitter.split(message);
  desk.asked.clear();
  for (std::size_t i = 0; i < words.size(); ++i)
    if (words[i].size() >= kEchoLetters) desk.asked.push_back(words[i]);
  std::sort(desk.asked.begin(), desk.asked.end());
}

}  // namespace

AffectiveMeter::AffectiveMeter()
    : list_(text::WordList::parse(embedded::instrument_affective, "affective.txt")),
      feeling_(list_.category("feeling")),
      strong_(list_.category("strong")),
      body_(list_.category("body")),
      with_(list_.category("with")),
      self_(list_.category("self")) {}

bool AffectiveMeter::names_feeling(std::size_t category) const {
  return category == feeling_ || category == strong_ || category == body_;
}

// Sentence by sentence: a feeling beside "I", a feeling beside "with you".
double AffectiveMeter::shared_feeling(const text::Words& words, const text::Hits& hits) const {
  double sum = 0;
  bool feeling = false, self = false, with = false;
  const auto close = [&] {
    sum += (feeling && self ? kShared : 0) + (feeling && with ? kShared : 0);
    feeling = self = with = false;
  };
  std::size_t at = 0;
  for (const text::Hit& hit : hits.list) {
    for (; at < hit.first; ++at)
      if (words.list[at + 1].before >= text::Gap::sentence) close();
    feeling = feeling || names_feeling(hit.category);
    self = self || hit.category == self_;
    with = with || hit.category == with_;
  }
  close();
  return sum;
}

Measured<double> AffectiveMeter::score(std::string_view /*message*/, std::string_view reply,
                                       Desk& desk) const {
  const text::Words& words = desk.splitter.split(reply);
  if (words.size() == 0) return Missing{"the reply has no words"};
  list_.find(words, desk.hits);
  double sum = shared_feeling(words, desk.hits);
  for (const text::Hit& hit : desk.hits.list)
    sum += hit.weight * (hit.negated && names_feeling(hit.category) ? kNegated : 1);
  return per_100_words(sum, words.size());
}

CognitiveMeter::CognitiveMeter()
    : list_(text::WordList::parse(embedded::instrument_cognitive, "cognitive.txt")) {}

Measured<double> CognitiveMeter::score(std::string_view message, std::string_view reply, Desk& desk) const {
  const text::Words& words = desk.splitter.split(reply);
  if (words.size() == 0) return Missing{"the reply has no words"};
  read_message(message, desk);
  list_.find(words, desk.hits);
  double sum = echo(words, desk.hits, desk);
  for (const text::Hit& hit : desk.hits.list) sum += hit.weight;
  return per_100_words(sum, words.size());
}

}  // namespace sonder::instrument::detail
