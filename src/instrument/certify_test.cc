#include "instrument/certify.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace sonder::instrument {
namespace {

using Scores = std::vector<Measured<double>>;

// A planted instrument on planted texts: NEU 0, ladder .2 .4 .6 .8 of the gap, EMP 1, on a scale from 0 to 5.
struct Planted {
  int n = 32;
  double noise = 0.1;   // sd, in gaps
  double gap = 1;       // points of NEU to EMP
  double step = 0.2;    // of the ladder, in gaps
  double rephrase = 0;  // shift, in gaps
  double prompt = 0.4;  // shift, in gaps
  double base = 2;      // points
  std::uint64_t seed = 1;
};

CertificateScores scores_of(const Planted& p) {
  Stream random(Seed(p.seed).child("scores"));
  const auto column = [&](double points) {
    Scores scores;
    for (int i = 0; i < p.n; ++i) scores.emplace_back(2 + points + p.noise * random.normal());
    return scores;
  };
  CertificateScores s;
  s.neu = column(0);
  s.emp = column(p.gap);
  for (int k = 1; k <= 4; ++k) s.ladder.push_back(column(0.1 + p.step * k));
  s.rephrase_neu = column(p.rephrase);
  s.rephrase_emp = column(p.gap + p.rephrase);
  s.pad = column(0);
  s.base = column(p.base - 2);
  s.prompted = column(p.base - 2 + p.prompt);
  return s;
}

CertificateLimits limits() {
  CertificateLimits l;
  l.lowest = 0, l.highest = 5, l.step = 1;
  return l;
}

std::string failures(const CertificateResult& r) {
  std::string all;
  for (const GateResult& g : r.gates)
    if (!g.passed) all += (all.empty() ? "" : " ") + g.code + ":" + (g.taken ? g.failure : "not taken");
  return all;
}

TEST(Certify, APerfectInstrumentPassesEveryGate) {
  const CertificateResult r = certify(scores_of({}), limits());
  EXPECT_EQ(failures(r), "");
  EXPECT_TRUE(r.certified);
  ASSERT_EQ(r.gates.size(), 5U);
  EXPECT_EQ(r.gates[0].code + r.gates[1].code + r.gates[2].code + r.gates[3].code + r.gates[4].code,
            "V1V2V4V5V6");
  EXPECT_NEAR(r.natural_gap, 1, 0.1);
  EXPECT_EQ(r.n_scenarios, 32);
  EXPECT_EQ(r.missing_share, 0);
  for (const GateResult& g : r.gates) EXPECT_FALSE(g.detail.empty()) << g.code;
}

TEST(Certify, ItsLadderIsToldInSharesOfTheGap) {
  const CertificateResult r = certify(scores_of({}), limits());
  ASSERT_EQ(r.ladder.size(), 6U);
  const double expected[] = {0, 0.3, 0.5, 0.7, 0.9, 1};
  for (std::size_t k = 0; k < 6; ++k) {
    EXPECT_EQ(r.ladder[k].level, static_cast<int>(k));
    EXPECT_NEAR(r.ladder[k].mean, expected[k], 0.1);
    EXPECT_NEAR(r.ladder[k].se, 0.1 / std::sqrt(32), 0.01);
  }
}

// It tells NEU from EMP and sees nothing in between: the founding paper's cognitive instruments.
TEST(Certify, AnInstrumentThatIsBlindWithinIsNeverCertified) {
  int n_certified = 0;
  int n_insensitive = 0;
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    const CertificateResult r = certify(scores_of({.step = 0, .seed = seed}), limits());
    n_certified += r.certified ? 1 : 0;
    n_insensitive += r.gates[1].failure == "INSENSITIVE_WITHIN" ? 1 : 0;
  }
  EXPECT_EQ(n_certified, 0);
  EXPECT_EQ(n_insensitive, 200);
}

TEST(Certify, AConstantInstrumentFailsWithoutAFault) {
  const CertificateResult r = certify(scores_of({.noise = 0, .gap = 0, .step = 0, .prompt = 0}), limits());
  EXPECT_FALSE(r.certified);
  EXPECT_EQ(r.gates[0].failure, "NO_ANCHOR");
  EXPECT_EQ(r.gates[1].failure, "INSENSITIVE_WITHIN");
  EXPECT_EQ(r.gates[2].failure, "POSITIVE_CONTROL_FAILED");
  EXPECT_EQ(r.gates[3].failure, "UNSTABLE");
  EXPECT_TRUE(r.ladder.empty());
}

TEST(Certify, AnchorsThatDoNotSeparateAreNoAnchor) {
  EXPECT_EQ(certify(scores_of({.gap = 0}), limits()).gates[0].failure, "NO_ANCHOR");
  EXPECT_EQ(certify(scores_of({.gap = -1}), limits()).gates[0].failure, "NO_ANCHOR");
  // On average apart, but in too few scenarios.
  EXPECT_EQ(certify(scores_of({.noise = 0.7}), limits()).gates[0].failure, "NO_ANCHOR");
}

TEST(Certify, AScaleThatIsUsedUpIsACeilingOrAFloor) {
  EXPECT_EQ(failures(certify(scores_of({.base = 4.9}), limits())), "V6:CEILING");
  EXPECT_EQ(failures(certify(scores_of({.base = 0.2}), limits())), "V6:FLOOR");
  CertificateLimits open = limits();
  open.lowest = -std::numeric_limits<double>::infinity();
  open.highest = std::numeric_limits<double>::infinity();
  EXPECT_EQ(failures(certify(scores_of({.base = 4.9}), open)), "");
}

TEST(Certify, AnInstrumentThatARephrasingMovesIsUnstable) {
  EXPECT_EQ(failures(certify(scores_of({.rephrase = 0.2}), limits())), "V5:UNSTABLE");
  EXPECT_EQ(failures(certify(scores_of({.rephrase = -0.2}), limits())), "V5:UNSTABLE");
}

TEST(Certify, AFallOfOneRephrasingCannotHideARiseOfTheOther) {
  CertificateScores s = scores_of({});
  for (auto& score : s.rephrase_neu) score = *score + 0.2;
  for (auto& score : s.rephrase_emp) score = *score - 0.2;
  const CertificateResult r = certify(s, limits());
  EXPECT_EQ(failures(r), "V5:UNSTABLE");
  EXPECT_NE(r.gates[3].detail.find("NEU alone +0."), std::string::npos) << r.gates[3].detail;
  EXPECT_NE(r.gates[3].detail.find("EMP alone -0."), std::string::npos) << r.gates[3].detail;
}

// `agree` scenarios in which EMP scores above NEU, then `tie` in which both score the same.
GateResult anchor_of(int agree, int tie) {
  CertificateScores s = scores_of({.n = agree + tie, .noise = 0.02});
  for (int i = agree; i < agree + tie; ++i)
    s.emp[static_cast<std::size_t>(i)] = s.neu[static_cast<std::size_t>(i)];
  return certify_anchor(s, limits()).gates[0];
}

// methods.md 4.5, V1: the lower 95 % limit of the concordance is at least .90. With no disagreement it is the
// exact bound of 2.4, the least share that still yields n agreements of n with probability .05.
TEST(Certify, TwentyEightAgreementsAreTooFewForTheAnchorAndTwentyNineEnough) {
  int enough = 0;  // second route: multiply until so many agreements are too unlikely at .90
  for (double likely = 1; likely > .05; likely *= .90) ++enough;
  EXPECT_EQ(enough, 29);
  for (int n = 6; n < 40; ++n) EXPECT_EQ(anchor_of(n, 0).passed, n >= enough) << n;
}

TEST(Certify, ATieNeverHelpsTheAnchor) {
  for (int n_ties = 1; n_ties < 12; ++n_ties) EXPECT_FALSE(anchor_of(28, n_ties).passed) << n_ties;
  EXPECT_FALSE(anchor_of(27, 1).passed);
  EXPECT_FALSE(anchor_of(29, 1).passed);
  for (int n = 29, last = 0; n < 60; ++n) {  // enough agreements outweigh one tie, and more still do
    const int passed = anchor_of(n, 1).passed ? 1 : 0;
    EXPECT_GE(passed, last) << n;
    last = passed;
  }
  EXPECT_TRUE(anchor_of(40, 1).passed);
}

TEST(Certify, TheAnchorAloneDecidesV1AsTheWholeDoesAndNothingElse) {
  for (const double gap : {0.0, 1.0}) {
    const CertificateScores s = scores_of({.gap = gap});
    const CertificateResult whole = certify(s, limits());
    const CertificateResult anchor = certify_anchor(s, limits());
    EXPECT_EQ(anchor.gates[0].passed, gap > 0);
    EXPECT_EQ(anchor.gates[0].detail, whole.gates[0].detail);
    EXPECT_EQ(anchor.natural_gap, whole.natural_gap);
    EXPECT_FALSE(anchor.certified);
    for (std::size_t g = 1; g < 5; ++g) EXPECT_FALSE(anchor.gates[g].taken) << anchor.gates[g].code;
  }
}

// The margin is a twentieth of the gap: noise that the other gates bear is too much for 32 scenarios here.
TEST(Certify, AnUnsteadyInstrumentIsToldHowManyScenariosItLacks) {
  const CertificateResult r = certify(scores_of({.noise = 0.3}), limits());
  EXPECT_EQ(r.gates[3].failure, "UNSTABLE");
  EXPECT_NE(r.gates[3].detail.find("too unsteady for 32 scenarios, about"), std::string::npos)
      << r.gates[3].detail;
}

TEST(Certify, AnInstrumentThatDoesNotSeeThePromptFailsItsPositiveControl) {
  EXPECT_EQ(failures(certify(scores_of({.prompt = 0}), limits())), "V4:POSITIVE_CONTROL_FAILED");
  EXPECT_EQ(failures(certify(scores_of({.prompt = 0.1}), limits())), "V4:POSITIVE_CONTROL_FAILED");
}

TEST(Certify, AGateThatCannotBeTakenIsNotPassed) {
  CertificateScores s = scores_of({});
  s.prompted.clear();
  s.rephrase_emp.clear();
  const CertificateResult r = certify(s, limits());
  EXPECT_FALSE(r.certified);
  EXPECT_EQ(failures(r), "V4:not taken V5:not taken");
  s.base.clear();
  EXPECT_EQ(failures(certify(s, limits())), "V4:not taken V5:not taken V6:not taken");
}

TEST(Certify, MissingScoresAreCountedAndLeftOut) {
  CertificateScores s = scores_of({});
  s.neu[3] = Missing{"planted"};
  s.base[5] = Missing{"planted"};
  s.ladder[2][8] = Missing{"planted"};
  const CertificateResult r = certify(s, limits());
  EXPECT_EQ(r.n_scenarios, 31);
  EXPECT_NEAR(r.missing_share, 3.0 / (11 * 32), 1e-12);
  EXPECT_TRUE(r.certified) << failures(r);
}

TEST(Certify, NobodyIsCertifiedOnTheTextsThatSuitHim) {
  CertificateScores s = scores_of({.noise = 0.05});
  for (std::size_t i = 0; i < 8; ++i)
    for (Scores* column : {&s.neu, &s.emp, &s.ladder[0], &s.ladder[1], &s.ladder[2], &s.ladder[3],
                           &s.rephrase_neu, &s.rephrase_emp, &s.pad})
      (*column)[i] = Missing{"planted"};
  const CertificateResult r = certify(s, limits());
  EXPECT_FALSE(r.certified);
  EXPECT_EQ(failures(r), "V1:NO_ANCHOR");
  EXPECT_NE(r.gates[0].detail.find("25 %"), std::string::npos) << r.gates[0].detail;
}

TEST(Certify, FewScenariosProveNothing) {
  for (int n : {0, 1, 2, 5}) {
    const CertificateResult r = certify(scores_of({.n = n}), limits());
    EXPECT_FALSE(r.certified) << n;
    EXPECT_EQ(r.gates[0].failure, "NO_ANCHOR") << n;
    EXPECT_FALSE(r.gates[3].passed) << n;
  }
}

TEST(Certify, ColumnsOfDifferentLengthAreRefused) {
  CertificateScores s = scores_of({});
  s.emp.pop_back();
  EXPECT_THROW(certify(s, limits()), Error);
  s = scores_of({});
  s.ladder.pop_back();
  EXPECT_THROW(certify(s, limits()), Error);
}

}  // namespace
}  // namespace sonder::instrument
