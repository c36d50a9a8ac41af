#include <limits>

#include "base/hash.h"
#include "instrument/detail/lists.h"
#include "instrument/detail/meter.h"
#include "instrument/instrument.h"

namespace sonder::instrument {
namespace {

// Word lists and a few rules over them. Immutable after it is made.
class Lexicon final : public Instrument {
 public:
  std::string name() const override { return "lexicon"; }
  std::string family() const override { return "word list"; }
  std::string unit() const override { return "weighted hits per 100 words"; }
  // Advice and business count against a reply, so that the scale is open at both ends.
  double highest() const override { return std::numeric_limits<double>::infinity(); }
  double lowest() const override { return -std::numeric_limits<double>::infinity(); }
  double step() const override { return 1; }
  std::string fingerprint() const override {
    return sha256("lexicon 1|" + std::string(embedded::instrument_affective) + "|" +
                  std::string(embedded::instrument_cognitive));
  }

  std::vector<Measured<double>> score(const std::string& facet, std::span<const BlindReply> replies,
                                      const OnProgress& progress, const Cancel& cancel) override {
    require(facet == "affective" || facet == "cognitive",
            "the lexicon knows the facets affective and cognitive");
    const detail::Meter& meter =
        facet == "affective" ? static_cast<const detail::Meter&>(affective_) : cognitive_;
    detail::Desk desk;
    std::vector<Measured<double>> scores;
    scores.reserve(replies.size());
    for (const BlindReply& reply : replies) {
      cancel.check();
      scores.push_back(meter.score(reply.message(), reply.words(), desk));
    }
    const auto n = static_cast<std::int64_t>(replies.size());
    if (progress) progress({"", "texts", n, n});
    return scores;
  }

 private:
  detail::AffectiveMeter affective_;
  detail::CognitiveMeter cognitive_;
};

}  // namespace

std::unique_ptr<Instrument> lexicon() { return std::make_unique<Lexicon>(); }

}  // namespace sonder::instrument
