// Reading: numbering, hooks against llama.cpp's own control vectors, sharing, token probabilities, choices.
#include <gtest/gtest.h>
#include <llama-cpp.h>

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "model/detail/sampler.h"
#include "model/detail/tiny_fixture.h"

namespace sonder::model {
namespace {

using detail::read_all;
using detail::tiny;
using detail::unit;

constexpr int kWidth = 64;
constexpr int kLayers = 4;

Want everything() {
  Want want;
  want.layers = {0, 1, 2, 3};
  want.log_probs = true;
  want.logits = true;
  return want;
}

Passage passage_of(const Model& model, const std::string& prompt, const std::string& reply) {
  Passage passage;
  passage.tokens = model.tokenise(prompt);
  passage.n_prompt = static_cast<int>(passage.tokens.size());
  const std::vector<Token> more = model.tokenise_plain(reply);
  passage.tokens.insert(passage.tokens.end(), more.begin(), more.end());
  return passage;
}

Passage some_passage(const Model& model) {
  return passage_of(model, "<|user|> the plan is on the table<|end|><|assistant|>",
                    " the report was in the office .");
}

Hook push_at(int layer, float amount, Span span) {
  return {{{Site{layer}, EditKind::push, unit(kWidth, Seed(3)), amount}}, span};
}

bool same_rows(const Rows& a, const Rows& b, std::size_t begin, std::size_t end) {
  return std::equal(a.data.begin() + static_cast<std::ptrdiff_t>(begin * a.d),
                    a.data.begin() + static_cast<std::ptrdiff_t>(end * a.d),
                    b.data.begin() + static_cast<std::ptrdiff_t>(begin * b.d));
}

TEST(Read, APushAtLayerKChangesTheResidualFromKOnAndNowhereBefore) {
  const auto model = tiny(detail::mixed());
  const Passage passage = some_passage(*model);
  const std::size_t n = passage.tokens.size();
  const auto n_prompt = static_cast<std::size_t>(passage.n_prompt);
  const Reading base = read_all(*model, {&passage, 1}, {}, everything())[0];
  const std::vector<float> u = unit(kWidth, Seed(3));
  for (const Span span : {Span::reply, Span::last_prompt, Span::all}) {
    const std::size_t first = span == Span::all ? 0 : span == Span::reply ? n_prompt : n_prompt - 1;
    for (int k = 0; k < kLayers; ++k) {
      const Reading pushed = read_all(*model, {&passage, 1}, push_at(k, 2, span), everything())[0];
      for (int layer = 0; layer < kLayers; ++layer) {
        const auto at = static_cast<std::size_t>(layer);
        EXPECT_TRUE(same_rows(base.residuals[at], pushed.residuals[at], 0, layer < k ? n : first))
            << k << " " << layer;
        if (layer < k) continue;
        EXPECT_FALSE(same_rows(base.residuals[at], pushed.residuals[at], first, n)) << k << " " << layer;
      }
      const auto at = static_cast<std::size_t>(k);
      for (std::size_t i = first; i < n; ++i)
        for (std::size_t j = 0; j < u.size(); ++j)
          ASSERT_NEAR(pushed.residuals[at].row(i)[j] - base.residuals[at].row(i)[j], 2 * u[j], 1e-5);
      EXPECT_NE(base.logits, pushed.logits) << k;
    }
  }
}

// llama.cpp's own control vectors know no layer 0 and touch every token.
TEST(Read, APushGivesTheLogitsOfLlamasOwnControlVector) {
  const auto model = tiny(detail::mixed());
  const Passage passage = some_passage(*model);
  llama_model_ptr plain(llama_model_load_from_file(model->card().path.c_str(), llama_model_default_params()));
  for (int k = 1; k < kLayers; ++k) {
    const Hook hook = push_at(k, 2, Span::all);
    const Reading ours = read_all(*model, {&passage, 1}, hook, everything())[0];
    llama_context_params params = llama_context_default_params();
    params.n_ctx = 256;
    params.n_threads = params.n_threads_batch = 1;
    params.flash_attn_type = LLAMA_FLASH_ATTN_TYPE_ENABLED;
    llama_context_ptr context(llama_init_from_model(plain.get(), params));
    constexpr auto kColumns = static_cast<std::size_t>(kWidth);
    std::vector<float> table(kColumns * (kLayers - 1));
    for (std::size_t j = 0; j < kColumns; ++j)
      table[static_cast<std::size_t>(k - 1) * kColumns + j] = 2 * hook.edits[0].direction[j];
    ASSERT_EQ(llama_set_adapter_cvec(context.get(), table.data(), table.size(), kWidth, 1, kLayers - 1), 0);
    std::vector<Token> tokens = passage.tokens;
    llama_batch batch = llama_batch_init(static_cast<std::int32_t>(tokens.size()), 0, 1);
    for (std::size_t i = 0; i < tokens.size(); ++i) {
      batch.token[i] = tokens[i];
      batch.pos[i] = static_cast<llama_pos>(i);
      batch.n_seq_id[i] = 1;
      batch.seq_id[i][0] = 0;
      batch.logits[i] = 1;
    }
    batch.n_tokens = static_cast<std::int32_t>(tokens.size());
    ASSERT_EQ(llama_decode(context.get(), batch), 0);
    for (std::size_t row = 0; row < ours.logits.n; ++row) {
      const float* theirs = llama_get_logits_ith(context.get(), passage.n_prompt - 1 + static_cast<int>(row));
      EXPECT_TRUE(std::equal(theirs, theirs + ours.logits.d, ours.logits.row(row).begin()))
          << k << " " << row;
    }
    llama_batch_free(batch);
  }
}

TEST(Read, AnAblationLeavesTheAskedComponent) {
  const auto model = tiny(detail::mixed());
  const Passage passage = some_passage(*model);
  const std::vector<float> u = unit(kWidth, Seed(3));
  for (const float amount : {0.0F, 0.7F}) {
    const Hook hook = {{{Site{2}, EditKind::ablate, u, amount}}, Span::reply};
    const Reading reading = read_all(*model, {&passage, 1}, hook, everything())[0];
    for (std::size_t i = static_cast<std::size_t>(passage.n_prompt); i < passage.tokens.size(); ++i) {
      double along = 0;
      for (std::size_t j = 0; j < u.size(); ++j)
        along += double{reading.residuals[2].row(i)[j]} * double{u[j]};
      EXPECT_NEAR(along, amount, 1e-6);
    }
  }
}

TEST(Read, GivesTheSameBitsWhateverWasShared) {
  const auto model = tiny(detail::mixed());
  std::string rubric = "<|system|>";
  for (int i = 0; i < 90; ++i) rubric += " the list is the plan ,";
  std::vector<Passage> passages;
  for (const char* reply : {" it was", " it was on the table", " it was", " a", " it waits"}) {
    Passage passage = passage_of(*model, rubric + "<|end|><|assistant|>", reply);
    passage.cuts = {60, 61, passage.n_prompt};
    passages.push_back(passage);
  }
  passages[3].cuts = {60};  // another cut: another computation
  passages[3].n_prompt = 300;
  for (const Span span : {Span::reply, Span::last_prompt, Span::all}) {
    const Hook hook = push_at(1, 1.5F, span);
    const std::vector<Reading> together = read_all(*model, passages, hook, everything());
    for (std::size_t i = 0; i < passages.size(); ++i) {
      const Reading alone = read_all(*model, {&passages[i], 1}, hook, everything())[0];
      EXPECT_EQ(alone.residuals, together[i].residuals) << i;
      EXPECT_EQ(alone.logits, together[i].logits) << i;
      EXPECT_EQ(alone.log_probs, together[i].log_probs) << i;
      EXPECT_EQ(alone.residuals[0].n, passages[i].tokens.size());
      EXPECT_EQ(alone.logits.n,
                passages[i].tokens.size() - static_cast<std::size_t>(passages[i].n_prompt) + 1);
    }
  }
}

TEST(Read, ReadsSharedPartsOnce) {
  const auto model = tiny({});
  std::vector<Passage> passages;
  for (const char* reply : {" it was", " it is"}) {
    passages.push_back(passage_of(*model, "<|user|> the plan is on the table<|end|><|assistant|>", reply));
    passages.back().cuts = {passages.back().n_prompt};
  }
  read_all(*model, passages, push_at(1, 1, Span::reply), everything());
  EXPECT_EQ(model->counts().prefilled, passages[0].n_prompt + 4);
  const Counts before = model->counts();
  for (Passage& passage : passages) passage.cuts.clear();
  read_all(*model, passages, {}, everything());
  EXPECT_EQ(model->counts().prefilled - before.prefilled, 2 * (passages[0].n_prompt + 2));
}

TEST(Read, WhatIsWantedDoesNotChangeTheResiduals) {
  const auto model = tiny(detail::mixed());
  const Passage passage = some_passage(*model);
  const Reading all = read_all(*model, {&passage, 1}, {}, everything())[0];
  for (int layer = 0; layer < kLayers; ++layer) {
    Want want;
    want.layers = {layer};
    const Reading one = read_all(*model, {&passage, 1}, {}, want)[0];
    EXPECT_EQ(one.residuals[0], all.residuals[static_cast<std::size_t>(layer)]) << layer;
    want.log_probs = true;
    const Reading both = read_all(*model, {&passage, 1}, {}, want)[0];
    EXPECT_EQ(both.residuals[0], all.residuals[static_cast<std::size_t>(layer)]) << layer;
    EXPECT_EQ(both.log_probs, all.log_probs) << layer;
  }
}

TEST(Read, LogProbsAreThoseOfTheLogits) {
  const auto model = tiny(detail::mixed());
  const Passage passage = some_passage(*model);
  const Reading reading = read_all(*model, {&passage, 1}, {}, everything())[0];
  for (std::size_t i = 0; i < reading.log_probs.size(); ++i) {
    double total = 0;
    for (const float x : reading.logits.row(i)) total += std::exp(double{x});
    const Token token = passage.tokens[static_cast<std::size_t>(passage.n_prompt) + i];
    EXPECT_NEAR(reading.log_probs[i],
                double{reading.logits.row(i)[static_cast<std::size_t>(token)]} - std::log(total), 1e-9);
  }
}

TEST(Read, SaysWhenANumberIsNotFiniteAndForgetsIt) {
  TinyOptions options = detail::mixed();
  options.broken_word = "form";
  const auto model = tiny(options);
  std::string many;
  for (int i = 0; i < 80; ++i) many += " plan";
  const Passage healthy = passage_of(*model, "<|user|>" + many, " it");
  const Passage broken = passage_of(*model, "<|user|>" + many + " it" + many + " form", " it");
  const Reading expected = read_all(*model, {&healthy, 1}, {}, everything())[0];
  EXPECT_THROW(read_all(*model, {&broken, 1}, {}, everything()), Error);
  Want only_residuals;
  only_residuals.layers = {1};
  EXPECT_THROW(read_all(*model, {&broken, 1}, {}, only_residuals), Error);
  EXPECT_EQ(read_all(*model, {&healthy, 1}, {}, everything())[0].logits, expected.logits);
}

TEST(Read, RefusesWhatItCannotRead) {
  const auto model = tiny({});
  const Passage passage = some_passage(*model);
  const auto refuses = [&](Passage spoiled, const Want& want) {
    EXPECT_THROW(read_all(*model, {&spoiled, 1}, {}, want), Error);
  };
  Passage spoiled = passage;
  spoiled.cuts = {5, 5};
  refuses(spoiled, everything());
  spoiled = passage;
  spoiled.n_prompt = 0;
  refuses(spoiled, everything());
  spoiled = passage;
  spoiled.tokens.clear();
  spoiled.n_prompt = 0;
  refuses(spoiled, {});
  Want want;
  want.layers = {kLayers};
  refuses(passage, want);
}

TEST(Choose, SumsOverTheWaysToSpellAnAnswer) {
  TinyOptions options = detail::mixed();
  const auto model = tiny(options);
  Passage passage = passage_of(*model, "<|user|> the number is<|end|><|assistant|>", "");
  const std::vector<std::string> answers = {"0", "3", "plan"};
  const Choices got = model->choose({&passage, 1}, answers, {})[0];

  // The referee: every spelling by hand. A lone space is a token, too, so " " then "3" counts.
  Want want;
  want.logits = true;
  const auto p_after = [&](const std::vector<Token>& more, Token next) {
    Passage longer = passage;
    for (const Token token : more) {  // one token at a time, as a model would be asked
      longer.cuts.push_back(static_cast<int>(longer.tokens.size()));
      longer.tokens.push_back(token);
    }
    longer.n_prompt = static_cast<int>(longer.tokens.size());
    const Reading reading = read_all(*model, {&longer, 1}, {}, want)[0];
    return std::exp(double{reading.logits.row(0)[static_cast<std::size_t>(next)]} -
                    detail::log_sum_exp(reading.logits.row(0)));
  };
  const auto spelled = [&](const std::string& text) {  // every token that reads so
    std::vector<Token> tokens;
    for (Token t = 0; t < model->card().n_vocab; ++t)
      if (model->detokenise({&t, 1}) == text) tokens.push_back(t);
    return tokens;
  };
  ASSERT_EQ(spelled(" ").size(), 2U);  // the tokeniser's own and the byte
  ASSERT_EQ(spelled("3").size(), 2U);
  double mass = 0;
  for (std::size_t i = 0; i < answers.size(); ++i) {
    double p = 0;
    for (const std::string& text : {answers[i], " " + answers[i]})
      for (const Token token : spelled(text)) p += p_after({}, token);
    for (const Token space : spelled(" ")) {
      const double p_space = p_after({}, space);
      if (p_space < 1e-6) continue;
      for (const Token token : spelled(answers[i])) p += p_space * p_after({space}, token);
    }
    EXPECT_NEAR(got.p[i], p, 1e-12) << answers[i];
    EXPECT_GT(p, 0);
    mass += p;
  }
  EXPECT_NEAR(got.mass, mass, 1e-12);
}

TEST(Choose, FollowsAnAnswerOfSeveralTokens) {
  TinyOptions options = detail::mixed();
  options.words = {"ab", "c"};
  const auto model = tiny(options);
  const Passage passage = passage_of(*model, "<|user|> c<|end|><|assistant|>", "");
  const std::vector<std::string> answers = {"ab c"};  // " ab", then " c"
  const Choices got = model->choose({&passage, 1}, answers, {})[0];
  double p = 0;
  for (const char* text : {" ab c", "ab c"}) {
    Passage whole = passage_of(*model, "<|user|> c<|end|><|assistant|>", text);
    whole.cuts = {whole.n_prompt, whole.n_prompt + 1};
    Want want;
    want.log_probs = true;
    const Reading reading = read_all(*model, {&whole, 1}, {}, want)[0];
    ASSERT_EQ(reading.log_probs.size(), 2U);
    p += std::exp(reading.log_probs[0] + reading.log_probs[1]);
  }
  EXPECT_NEAR(got.p[0], p, 1e-12);
  EXPECT_GT(got.p[0], 0.01);
}

TEST(Choose, DoesNotDependOnTheOtherPassages) {
  const auto model = tiny(detail::mixed());
  std::vector<Passage> passages;
  for (const char* text : {" the number is", " the number was", " it"}) {
    passages.push_back(passage_of(*model, "<|user|> the list ." + std::string(text), ""));
    passages.back().cuts = {4};
  }
  const std::vector<std::string> answers = {"0", "1", "2", "3", "4", "5"};
  const std::vector<Choices> together = model->choose(passages, answers, {});
  for (std::size_t i = 0; i < passages.size(); ++i) {
    const Choices alone = model->choose({&passages[i], 1}, answers, {})[0];
    EXPECT_EQ(alone.p, together[i].p);
  }
  EXPECT_THROW(model->choose(passages, std::vector<std::string>{"1", "1"}, {}), Error);
  EXPECT_THROW(model->choose(passages, std::vector<std::string>{""}, {}), Error);
}

TEST(Manipulation, ShowsTheAskedShiftAndNothingElse) {
  const auto model = tiny(detail::mixed());
  const Passage passage = some_passage(*model);
  for (const Span span : {Span::reply, Span::last_prompt, Span::all}) {
    for (int layer = 0; layer < kLayers; ++layer) {
      const Manipulation m = check_manipulation(*model, passage, push_at(layer, 2, span), {});
      EXPECT_NEAR(m.asked, 2, 1e-5);
      EXPECT_NEAR(m.got, 2, 1e-5);
      EXPECT_LT(m.worst_relative_error, 1e-5);
      EXPECT_EQ(m.change_before, 0);
      EXPECT_GT(m.kl, 0);
    }
  }
  Hook hook = push_at(0, 1, Span::reply);
  for (int layer = 1; layer < kLayers; ++layer)
    hook.edits.push_back({Site{layer}, EditKind::ablate, unit(kWidth, Seed(5)), 0});
  hook.edits.push_back({Site{kLayers - 1}, EditKind::push, unit(kWidth, Seed(6)), 1});
  const Manipulation m = check_manipulation(*model, passage, hook, {});
  EXPECT_LT(m.worst_relative_error, 1e-3);
  EXPECT_EQ(m.change_before, 0);
  EXPECT_NEAR(m.got, m.asked, 1e-4);
}

TEST(Manipulation, APushOfNothingShiftsNothing) {
  const auto model = tiny({});
  const Manipulation m = check_manipulation(*model, some_passage(*model), push_at(1, 0, Span::all), {});
  EXPECT_EQ(m.got, 0);
  EXPECT_EQ(m.kl, 0);
}

// A model that forgets the hook on every second row must not pass.
TEST(Manipulation, FindsAHookThatDoesNotReachEveryRow) {
  class Leaky : public Model {
   public:
    explicit Leaky(Model& inner) : inner_(inner) {}
    const Card& card() const override { return inner_.card(); }
    std::string render(std::span<const Message> t, Template f) const override { return inner_.render(t, f); }
    std::vector<Token> tokenise(const std::string& t) const override { return inner_.tokenise(t); }
    std::vector<Token> tokenise_plain(const std::string& t) const override {
      return inner_.tokenise_plain(t);
    }
    std::string detokenise(std::span<const Token> t) const override { return inner_.detokenise(t); }
    void reply(std::span<const Request>, const OnReply&, const Cancel&) override {}
    void read(std::span<const Passage> p, const Hook& h, const Want& w, const OnReading& done,
              const Cancel& c) override {
      const auto leak = [&](std::size_t i, Reading reading) {
        for (std::size_t k = 0; k < reading.before.size(); ++k)
          for (std::size_t row = 1; row < reading.before[k].n; row += 2)
            std::copy(reading.before[k].row(row).begin(), reading.before[k].row(row).end(),
                      reading.residuals[k].row(row).begin());
        done(i, reading);
      };
      inner_.read(p, h, w, leak, c);
    }
    std::vector<Choices> choose(std::span<const Passage>, std::span<const std::string>,
                                const Cancel&) override {
      return {};
    }
    Rows embed(std::span<const std::string>, const Cancel&) override { return {}; }
    Counts counts() const override { return inner_.counts(); }

   private:
    Model& inner_;
  };
  const auto model = tiny({});
  Leaky leaky(*model);
  EXPECT_GT(
      check_manipulation(leaky, some_passage(*model), push_at(1, 1, Span::all), {}).worst_relative_error,
      0.9);
}

// Source: methods.md M11. Jensen–Shannon: half of both divergences from the middle.
TEST(Golden, M11_Divergences) {
  const auto logits = [](std::initializer_list<double> p) {
    std::vector<float> out;
    for (const double one : p) out.push_back(static_cast<float>(std::log(one)));
    return out;
  };
  const auto p = logits({.36, .48, .16});
  const auto even = logits({1. / 3, 1. / 3, 1. / 3});
  const auto middle = logits({(.36 + 1. / 3) / 2, (.48 + 1. / 3) / 2, (.16 + 1. / 3) / 2});
  // Logits are floats: their rounding, 6e-8 of a logit, moves a divergence by as much.
  EXPECT_NEAR(kl_divergence(p, even), .0852996013, 1e-7);
  EXPECT_NEAR(kl_divergence(even, p), .0974550068, 1e-7);
  EXPECT_NEAR((kl_divergence(p, middle) + kl_divergence(even, middle)) / 2, .0224598604, 1e-7);
}

TEST(Kl, IsZeroForTheSameRowAndKnownForTwoCoins) {
  const std::vector<float> fair = {0, 0};
  const std::vector<float> biased = {std::log(3.0F), 0};
  EXPECT_EQ(kl_divergence(fair, fair), 0);
  EXPECT_NEAR(kl_divergence(fair, biased), 0.5 * std::log(0.5 / 0.75) + 0.5 * std::log(0.5 / 0.25), 1e-7);
  EXPECT_NEAR(kl_divergence(biased, fair), 0.75 * std::log(0.75 / 0.5) + 0.25 * std::log(0.25 / 0.5), 1e-7);
  EXPECT_THROW(kl_divergence(fair, std::vector<float>{0}), Error);
}

}  // namespace
}  // namespace sonder::model
