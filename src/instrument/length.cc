#include <limits>
#include <sstream>

#include "instrument/instrument.h"

namespace sonder::instrument {
namespace {

// Words by white space. A control: it must never carry a claim about empathy.
class Length final : public Instrument {
 public:
  std::string name() const override { return "length"; }
  std::string family() const override { return "length"; }
  std::string unit() const override { return "words"; }
  bool control_only() const override { return true; }
  double highest() const override { return std::numeric_limits<double>::infinity(); }
  double lowest() const override { return 0; }
  double step() const override { return 1; }
  std::string fingerprint() const override { return "length 1"; }

  std::vector<Measured<double>> score(const std::string& /*facet*/, std::span<const BlindReply> replies,
                                      const OnProgress& /*progress*/, const Cancel& /*cancel*/) override {
    std::vector<Measured<double>> scores;
    for (const BlindReply& reply : replies) {
      std::istringstream stream(reply.words());
      double n = 0;
      for (std::string word; stream >> word;) ++n;
      scores.emplace_back(n);
    }
    return scores;
  }
};

}  // namespace

std::unique_ptr<Instrument> length() { return std::make_unique<Length>(); }

}  // namespace sonder::instrument
