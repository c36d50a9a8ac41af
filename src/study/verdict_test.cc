#include "study/verdict.h"

#include <gtest/gtest.h>

#include "base/seed.h"

namespace sonder::study {
namespace {

Witness witness(stats::Interval ci95, stats::Interval ci90, bool certified = true) {
  Witness w;
  w.name = "one";
  w.family = "word list";
  w.certified = certified;
  if (!certified) w.failures = {"INSENSITIVE_WITHIN"};
  w.spent = w.measured = true;
  w.ci95 = ci95;
  w.ci90 = ci90;
  w.sign_flip_p = ci95.low > 0 || ci95.high < 0 ? 0.001 : 0.5;
  w.placebo_p = 0.01;
  w.monotone = w.bidirectional = w.facet_specific = true;
  return w;
}

std::string control(const std::vector<Witness>& witnesses) { return rule({}, witnesses, {}).control; }

// Source: methods.md 7.5, row by row.
TEST(Verdict, MatchesTheTruthTable) {
  const Witness partial = witness({.058, .256}, {.081, .236});
  EXPECT_EQ(control({partial}), "PARTIAL");

  Witness placebo = partial;
  placebo.placebo_p = 0.20;
  EXPECT_EQ(rule({}, {placebo}, {}), (Ruling{"CONFOUNDED", {"non-specific"}}));

  Witness longer = partial;
  longer.length_fires = true;
  EXPECT_EQ(rule({}, {longer}, {}), (Ruling{"CONFOUNDED", {"length"}}));

  EXPECT_EQ(control({witness({.055, .75}, {.10, .70}, false)}), "UNMEASURABLE");
  EXPECT_EQ(control({witness({-.06, .07}, {-.05, .06})}), "NO_EFFECT_EQUIVALENT");
  EXPECT_EQ(control({witness({-.06, .07}, {-.05, .06}, false)}), "UNMEASURABLE");
  EXPECT_EQ(control({witness({-.12, .10}, {-.10, .08})}), "INCONCLUSIVE");
  EXPECT_EQ(control({witness({-.11, .09}, {-.099, .08})}), "NO_EFFECT_EQUIVALENT");
  EXPECT_EQ(control({witness({.01, .09}, {.016, .084})}), "TRIVIAL");

  const Witness strong = witness({.55, .81}, {.57, .79});
  Witness second = strong;
  second.name = "two";
  second.family = "embedding";
  EXPECT_EQ(control({strong, second}), "CONTROLS");
  EXPECT_EQ(control({strong}), "PARTIAL");

  EXPECT_EQ(control({witness({-.30, -.12}, {-.29, -.13})}), "REVERSED");

  Witness unbounded = partial;
  unbounded.unbounded = true;
  EXPECT_EQ(rule({}, {unbounded}, {}), (Ruling{"UNMEASURABLE", {"NO_ANCHOR"}}));

  EXPECT_EQ(control({witness({.06, .3}, {.08, .28}), witness({-.3, -.1}, {-.28, -.12})}), "CONFLICT");
}

TEST(Verdict, EachSideConditionOfControlsIsNeeded) {
  const Witness strong = witness({.55, .81}, {.57, .79});
  Witness other = strong;
  other.name = "two";
  other.family = "embedding";
  const auto spoiled = [&](auto spoil) {
    Witness w = other;
    spoil(w);
    return control({strong, w});
  };
  EXPECT_EQ(spoiled([](Witness&) {}), "CONTROLS");
  EXPECT_EQ(spoiled([](Witness& w) { w.monotone = false; }), "PARTIAL");
  EXPECT_EQ(spoiled([](Witness& w) { w.bidirectional = false; }), "PARTIAL");
  EXPECT_EQ(spoiled([](Witness& w) { w.facet_specific = false; }), "PARTIAL");
  EXPECT_EQ(spoiled([](Witness& w) { w.anti_steerable_excess = .21; }), "PARTIAL");
  EXPECT_EQ(spoiled([](Witness& w) { w.family = "word list"; }), "PARTIAL");
  EXPECT_EQ(spoiled([](Witness& w) { w.ci95.low = .49; }), "PARTIAL");
}

TEST(Verdict, SaysFirstWhetherTheRunAndTheDosesWereSound) {
  const Witness partial = witness({.058, .256}, {.081, .236});
  EXPECT_EQ(rule({.integrity = "missing replies"}, {partial}, {}).control, "RUN_INVALID");
  EXPECT_EQ(
      rule({.integrity = "", .some_dose_admissible = false, .moves_at_larger_dose = true}, {partial}, {}),
      (Ruling{"CONFOUNDED", {"degeneration"}}));
  EXPECT_EQ(rule({.integrity = "", .some_dose_admissible = false}, {partial}, {}),
            (Ruling{"RUN_INVALID", {"no admissible dose"}}));
  EXPECT_EQ(rule({}, {}, {}).control, "UNMEASURABLE");
}

TEST(Verdict, FewPlacebosSpeakThroughTheirContrastOnly) {
  Witness w = witness({.058, .256}, {.081, .236});
  w.placebo_p.reset();
  EXPECT_EQ(control({w}), "PARTIAL");
  w.placebo_contrast_positive = false;
  EXPECT_EQ(control({w}), "CONFOUNDED");
}

TEST(Verdict, ACertifiedInstrumentThatCouldNotBeReadKeepsOthersFromSpeakingForAll) {
  const Witness nothing = witness({-.06, .07}, {-.05, .06});
  Witness silent = nothing;
  silent.name = "two";
  silent.measured = false;
  EXPECT_EQ(control({nothing}), "NO_EFFECT_EQUIVALENT");
  EXPECT_EQ(control({nothing, silent}), "INCONCLUSIVE");
  silent.certified = false;
  EXPECT_EQ(control({nothing, silent}), "INCONCLUSIVE");
  silent.spent = false;
  EXPECT_EQ(control({nothing, silent}), "NO_EFFECT_EQUIVALENT");
}

TEST(Verdict, AClaimThatDoesNotSurviveHolmIsInconclusive) {
  Witness weak = witness({.01, .256}, {.03, .236});
  weak.sign_flip_p = 0.03;
  EXPECT_EQ(control({weak}), "PARTIAL");
  Witness idle = witness({-.2, .2}, {-.18, .18});
  EXPECT_EQ(control({weak, idle}), "INCONCLUSIVE");
}

// methods.md 7.2: removing a certificate must never turn a verdict into NO_EFFECT_EQUIVALENT.
TEST(Verdict, RemovingACertificateNeverCreatesAZero) {
  Stream random(Seed(7).child("certificates"));
  int zeros = 0;
  for (int trial = 0; trial < 20000; ++trial) {
    std::vector<Witness> witnesses;
    const auto n = 1 + random.below(4);
    for (std::uint64_t i = 0; i < n; ++i) {
      const double centre = (random.uniform() - 0.5) * (random.coin() ? 0.1 : 1.0);
      const double half = 0.02 + 0.2 * random.uniform();
      Witness w = witness({centre - half, centre + half}, {centre - 0.83 * half, centre + 0.83 * half},
                          random.uniform() < 0.8);
      w.name = std::to_string(i);
      w.family = random.coin() ? "word list" : "embedding";
      w.unbounded = random.uniform() < 0.05;
      witnesses.push_back(w);
    }
    const std::string before = control(witnesses);
    zeros += before == "NO_EFFECT_EQUIVALENT";
    for (Witness& w : witnesses) {
      if (!w.certified) continue;
      w.certified = false;
      const std::string after = control(witnesses);
      if (after == "NO_EFFECT_EQUIVALENT") {
        EXPECT_EQ(before, "NO_EFFECT_EQUIVALENT") << "trial " << trial;
      }
      w.certified = true;
    }
  }
  EXPECT_GT(zeros, 100);  // the property was put to the test
}

}  // namespace
}  // namespace sonder::study
