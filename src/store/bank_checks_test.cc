#include "store/bank_checks.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "base/seed.h"
#include "store/detail/surface_text.h"

namespace sonder::store {
namespace {

using detail::surface_text;

constexpr int kScenarios = 42;  // 2 fit, 8 dev, 32 test: dev and test are 40

// A sentence of n words that says nothing, another one each time.
std::string sentence(Stream& random, int n) {
  std::string text;
  for (int i = 0; i < n; ++i) {
    std::string word;
    for (int k = 0; k < 6; ++k) word += static_cast<char>('a' + random.below(26));
    text += (i > 0 ? " " : "") + word;
  }
  return text + ".";
}

std::string reply(Stream& random) { return sentence(random, 15) + " " + sentence(random, 15); }

// A bank without any surface difference, as far as chance allows.
Bank plain_bank(std::uint64_t seed = 1) {
  Stream random{Seed(seed)};
  Bank bank;
  for (int i = 0; i < kScenarios; ++i) {
    Scenario s;
    s.id = "s-" + std::to_string(i);
    s.family = "f-" + std::to_string(i / 2);
    s.split = i < 2 ? Split::fit : i < 10 ? Split::dev : Split::test;
    s.area = "work";
    s.message = sentence(random, 30);
    s.neu = reply(random);
    for (const char* facet : {"affective", "cognitive"}) {
      FacetTexts& texts = s.facets[facet];
      texts.emp = reply(random);
      s.rephrase_of_emp[facet] = "";
      if (s.split == Split::fit) continue;
      for (int level = 0; level < 4; ++level) texts.ladder.push_back(reply(random));
      s.rephrase_of_emp[facet] = reply(random);
    }
    if (s.split == Split::fit) {
      s.formal = reply(random);
    } else {
      s.rephrase_of_neu = reply(random);
      s.pad = s.neu + " " + sentence(random, 15);
    }
    bank.scenarios.push_back(std::move(s));
  }
  bank.rubrics = {{"affective", "x"}, {"cognitive", "y"}};
  bank.unrelated = {"p", "q"};
  return bank;
}

std::string after(const std::function<void(Bank&)>& change) {
  Bank bank = plain_bank();
  change(bank);
  return to_text(bank_checks(bank));
}
bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

// Adds `text` to one level of the affective ladder.
auto with(std::size_t level, const std::function<std::string(const std::string&)>& change) {
  return [=](Bank& bank) {
    for (Scenario& s : bank.scenarios) {
      if (s.split != Split::fit)
        s.facets["affective"].ladder[level] = change(s.facets["affective"].ladder[level]);
    }
  };
}

TEST(BankChecks, FindNothingInABankWithoutDifferences) {
  for (const std::uint64_t seed : {1U, 2U, 3U}) EXPECT_EQ(to_text(bank_checks(plain_bank(seed))), "") << seed;
}

TEST(BankChecks, FindEachPlantedSurfaceDifference) {
  const auto comma = [](std::string t) { return t.replace(t.find(' '), 1, ", "); };
  EXPECT_TRUE(has(after(with(2, comma)),
                  "affective, level 2 to 3: told apart by commas; the higher reply has more in 100 % of "
                  "40 scenarios (ties half), expected 30 % to 70 %"));
  EXPECT_TRUE(has(after(with(2, comma)),
                  "affective, level 3 to 4: told apart by commas; the higher reply has more in 0 %"));
  const auto question = [](std::string t) { return t.replace(t.size() - 1, 1, "?"); };
  EXPECT_TRUE(has(after(with(0, question)), "level 1 to 2: told apart by question marks"));
  const auto longer = [](std::string t) { return t.insert(0, "Quite so "); };
  EXPECT_TRUE(has(after(with(3, longer)), "level 3 to 4: told apart by tokens"));
  const auto split = [](std::string t) { return t.replace(t.find(' '), 1, ". "); };
  EXPECT_TRUE(has(after(with(1, split)), "level 1 to 2: told apart by sentences"));
  const auto i = [](std::string t) { return t.replace(t.find(' '), 1, " I "); };
  EXPECT_TRUE(has(after(with(1, i)), "told apart by the word I"));
  const auto you = [](std::string t) { return t.replace(t.find(' '), 1, " your "); };
  EXPECT_TRUE(has(after(with(1, you)), "told apart by the word you"));
  EXPECT_TRUE(has(after([](Bank& bank) {
                    for (Scenario& s : bank.scenarios) s.neu.insert(0, "Well well, ");
                  }),
                  "cognitive, NEU to EMP: told apart by commas"));
}

TEST(BankChecks, TheFirstWordIsARuleLearntFromTheOtherScenarios) {
  int n = 0;
  const auto word = [&](const std::string& t) {
    return (n++ % 2 == 0 ? "So " : "Well ") + t.substr(t.find(' ') + 1);
  };
  const std::string found = after(with(3, word));
  EXPECT_TRUE(has(found, "affective, level 3 to 4: told apart by first word")) << found;
  EXPECT_TRUE(has(found, "affective 4: the same first word in 20 of 40 replies")) << found;
}

TEST(BankChecks, ASmallBankIsAllowedWhatChanceDoes) {
  Bank bank = plain_bank();
  bank.scenarios.resize(6);  // 2 fit, 4 dev
  for (const Separation& s : surface(bank).separations) {
    EXPECT_DOUBLE_EQ(s.allowed, has(s.pair, "fit") ? 1 / std::sqrt(2.0) : 0.5) << s.pair;
  }
}

TEST(BankChecks, StockOpeningsAreNamedByTheirScenarios) {
  const std::string found = after([](Bank& bank) {
    for (const std::size_t i : {10U, 20U})
      bank.scenarios[i].facets["cognitive"].emp.replace(0, 27, "That sounds really hard");
  });
  EXPECT_TRUE(has(found, "EMP cognitive: the same four words open 2 of 42 replies (s-10, s-20)")) << found;
  EXPECT_FALSE(has(found, "sounds")) << "no text of a reply is repeated";
}

TEST(BankChecks, LengthsStayWithinTenPercentOfTheMedian) {
  EXPECT_TRUE(
      has(after([](Bank& bank) { bank.scenarios[4].facets["affective"].emp += " One two three four."; }),
          "scenarios.jsonl:5: s-4: EMP affective: expected a length within 10 % of the scenario's median, 32 "
          "tokens; found 37"));
  EXPECT_EQ(after([](Bank& bank) { bank.scenarios[4].facets["affective"].emp += " One two."; }), "");
  EXPECT_TRUE(has(after([](Bank& bank) { bank.scenarios[4].pad = bank.scenarios[4].neu + " More."; }),
                  "PAD: expected 1.25 to 1.8"));
  EXPECT_TRUE(has(after([](Bank& bank) { bank.scenarios[4].message = "Too short."; }),
                  "message: expected 20 to 90 words, found 2"));
}

TEST(BankChecks, EachScenarioIsWhole) {
  EXPECT_TRUE(has(after([](Bank& bank) { bank.scenarios[4].neu.back() = '!'; }), "NEU: an exclamation mark"));
  EXPECT_TRUE(has(after([](Bank& bank) { bank.scenarios[4].rephrase_of_neu = bank.scenarios[4].neu; }),
                  "REPHRASE of NEU: the same text as NEU"));
  EXPECT_TRUE(
      has(after([](Bank& bank) { bank.scenarios[9].family = "f-0"; }), "the family 'f-0' crosses splits"));
  EXPECT_TRUE(has(after([](Bank& bank) { bank.scenarios[9].id = "s-0"; }), "'s-0' is an id twice"));
  EXPECT_TRUE(has(after([](Bank& bank) { bank.rubrics.pop_back(); }), "found none for cognitive"));
  EXPECT_TRUE(has(after([](Bank& bank) { bank.unrelated.push_back("p"); }), "unrelated.jsonl:3"));
  EXPECT_TRUE(
      has(after([](Bank& bank) { bank.scenarios.erase(bank.scenarios.begin(), bank.scenarios.begin() + 2); }),
          "found none in fit"));
  EXPECT_NO_THROW(bank_checks(Bank{}));
}

TEST(Surface, TheTableHoldsTheMeansOfEachKind) {
  Bank bank = plain_bank();
  for (Scenario& s : bank.scenarios) s.neu = "I see, you and I. Really? Fine!";
  const Surface found = surface(bank);
  const auto row =
      std::find_if(found.rows.begin(), found.rows.end(), [](const SurfaceRow& r) { return r.kind == "NEU"; });
  ASSERT_NE(row, found.rows.end());
  EXPECT_EQ(row->n, kScenarios);
  EXPECT_DOUBLE_EQ(row->tokens, 11);
  EXPECT_DOUBLE_EQ(row->sentences, 3);
  EXPECT_DOUBLE_EQ(row->commas, 1);
  EXPECT_DOUBLE_EQ(row->questions, 1);
  EXPECT_DOUBLE_EQ(row->exclamations, 1);
  EXPECT_DOUBLE_EQ(row->i_words, 2);
  EXPECT_DOUBLE_EQ(row->you_words, 1);
  EXPECT_EQ(row->first_word, "i");
  EXPECT_DOUBLE_EQ(row->first_share, 1);
}

TEST(SurfaceText, CountsAsTheRuleSays) {
  const auto text = surface_text(
      "I'm sure you\xE2\x80\x99ve tried: caf\xC3\xA9, \xE4\xB8\x96\xE7\x95\x8C… \xF0\x9F\x99\x82 Yours?! It");
  EXPECT_EQ(text.words, (std::vector<std::string>{"I'm", "sure", "you\xE2\x80\x99ve", "tried", "caf\xC3\xA9",
                                                  "\xE4\xB8\x96\xE7\x95\x8C", "Yours", "It"}));
  EXPECT_EQ(text.tokens, 8 + 6);  // : , … the face ? !
  EXPECT_EQ(text.sentences, 2);
  EXPECT_EQ(text.i_words, 1);
  EXPECT_EQ(text.you_words, 2);
  EXPECT_EQ(text.opening(2), "i'm sure");
  EXPECT_EQ(surface_text("").tokens, 0);
  EXPECT_EQ(surface_text("'tis o' \xC3").words.size(), 3U);
  EXPECT_EQ(surface_text("Wait... what?!").sentences, 2);
}

}  // namespace
}  // namespace sonder::store
