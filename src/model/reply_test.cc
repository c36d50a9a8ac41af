// Replies: the same bytes whatever is written beside them; ends of every kind; counts.
#include <gtest/gtest.h>

#include <algorithm>

#include "base/error.h"
#include "model/detail/tiny_fixture.h"

namespace sonder::model {
namespace {

using detail::Cell;
using detail::tiny;
using detail::write_all;

constexpr int kWidth = 64;

// Replies of several lengths to prompts short, long (more than 64 rows use another attention kernel) and of
// one token, under hooks of every span.
std::vector<Request> cells(const Model& model) {
  std::string long_prompt = "<|user|>";
  for (int i = 0; i < 40; ++i) long_prompt += " the report needs";
  const std::vector<std::string> prompts = {"<|user|> the plan<|end|><|assistant|>", long_prompt, "",
                                            "<|user|> it was the paper<|end|><|assistant|>"};
  std::vector<Hook> hooks(1);
  for (const Span span : {Span::reply, Span::last_prompt, Span::all})
    hooks.push_back({{{Site{1}, EditKind::push, detail::unit(kWidth, Seed(3)), 0.8F},
                      {Site{3}, EditKind::ablate, detail::unit(kWidth, Seed(4)), 0.1F}},
                     span});
  std::vector<Request> requests;
  for (std::size_t p = 0; p < prompts.size(); ++p) {
    for (std::size_t h = 0; h < hooks.size(); ++h) {
      Request request;
      request.prompt = model.tokenise(prompts[p]);
      request.hook = hooks[h];
      request.sampler.temperature = h == 1 ? 0 : 1;
      request.seed = Seed(11).child(p);
      request.n_max = static_cast<int>(3 + 4 * p + h);
      requests.push_back(request);
    }
  }
  return requests;
}

TEST(Reply, IsTheSameToTheLastBitWhateverIsWrittenBesideIt) {
  const auto model = tiny(detail::mixed(), {.n_threads = 1, .n_slots = 7});
  const std::vector<Request> requests = cells(*model);
  const std::vector<Cell> expected = write_all(*model, requests);
  for (const Cell& cell : expected) ASSERT_TRUE(cell.reply.has_value());

  for (const Options& how : {Options{.n_threads = 1, .n_slots = 1}, Options{.n_threads = 1, .n_slots = 2},
                             Options{.n_threads = 2, .n_slots = 60}}) {
    const auto other = Model::load(model->card().path, how);
    EXPECT_EQ(write_all(*other, requests), expected)
        << how.n_slots << " slots, " << how.n_threads << " threads";
  }
  std::vector<std::size_t> order(requests.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  Stream(Seed(1)).shuffle(order);
  std::vector<Request> shuffled;
  shuffled.reserve(order.size());
  for (const std::size_t i : order) shuffled.push_back(requests[i]);
  const std::vector<Cell> got = write_all(*model, shuffled);
  for (std::size_t k = 0; k < order.size(); ++k) EXPECT_EQ(got[k], expected[order[k]]) << order[k];
  for (std::size_t i = 0; i < requests.size(); ++i)
    EXPECT_EQ(write_all(*model, {&requests[i], 1})[0], expected[i]) << "alone: " << i;
}

TEST(Reply, DependsOnItsSeedAndItsHook) {
  const auto model = tiny(detail::mixed());
  std::vector<Request> requests(3, cells(*model)[0]);
  for (Request& request : requests) request.n_max = 20;
  requests[1].seed = Seed(12345);
  requests[2].hook = cells(*model)[1].hook;
  const std::vector<Cell> got = write_all(*model, requests);
  EXPECT_NE(got[0].reply, got[1].reply);
  EXPECT_NE(got[0].logits, got[2].logits);
}

TEST(Reply, ReadsAPromptOnceForAllWhoShareIt) {
  const auto model = tiny({});
  std::vector<Request> requests;
  const std::vector<Token> one = model->tokenise("<|user|> the plan is on the table<|end|><|assistant|>");
  const std::vector<Token> two = model->tokenise("<|user|> it waits<|end|><|assistant|>");
  for (int i = 0; i < 10; ++i) {
    Request request;
    request.prompt = i % 2 == 0 ? one : two;  // not side by side
    request.n_max = 1;
    request.seed = Seed(static_cast<std::uint64_t>(i));
    if (i % 3 == 0)
      request.hook = {{{Site{1}, EditKind::push, detail::unit(kWidth, Seed(3)), 1}}, Span::last_prompt};
    requests.push_back(request);
  }
  model->reply(requests, [](std::size_t, const Measured<Reply>&) {}, {});
  EXPECT_EQ(model->counts().prefilled,
            static_cast<std::int64_t>(one.size() - 1 + two.size() - 1 + requests.size()));
  EXPECT_EQ(model->counts().decoded, 0);  // the only token of each reply is drawn from its prompt

  requests[0].hook.span = Span::all;  // reads the prompt anew
  const Counts before = model->counts();
  model->reply({requests.data(), 1}, [](std::size_t, const Measured<Reply>&) {}, {});
  EXPECT_EQ(model->counts().prefilled - before.prefilled, static_cast<std::int64_t>(one.size()));
}

TEST(Reply, TheFirstTokenOfASteeredReplyComesFromTheUntouchedPrompt) {
  const auto model = tiny(detail::mixed());
  std::vector<Request> requests(2, cells(*model)[0]);
  for (Request& request : requests) request.n_max = 1;
  requests[1].hook = {{{Site{1}, EditKind::push, detail::unit(kWidth, Seed(3)), 5}}, Span::reply};
  std::vector<Cell> got = write_all(*model, requests);
  EXPECT_EQ(got[0], got[1]);
  requests[1].hook.span = Span::last_prompt;
  got = write_all(*model, requests);
  EXPECT_NE(got[0].logits, got[1].logits);
}

TEST(Reply, MayEndAtOnceByItself) {
  TinyOptions options;
  options.mean_words = 1e-9;  // the end is all but certain
  const auto model = tiny(options);
  Request request;
  request.prompt = model->tokenise("<|user|> the plan<|end|><|assistant|>");
  const std::vector<Cell> got = write_all(*model, {&request, 1});
  EXPECT_EQ(*got[0].reply, (Reply{"", {}, Stopped::end_of_turn}));
}

TEST(Reply, EndsAtItsLimitAndAtAStop) {
  const auto model = tiny({});
  Request request;
  request.prompt = model->tokenise("<|user|> the plan<|end|><|assistant|>");
  request.n_max = 3;
  Reply reply = *write_all(*model, {&request, 1})[0].reply;
  ASSERT_EQ(reply.stopped, Stopped::limit);
  ASSERT_EQ(reply.tokens.size(), 3U);
  EXPECT_EQ(reply.text, model->detokenise(reply.tokens));

  request.stop = {model->detokenise({&reply.tokens[1], 1})};  // the second word
  const Reply shorter = *write_all(*model, {&request, 1})[0].reply;
  EXPECT_EQ(shorter.stopped, Stopped::stop_text);
  EXPECT_EQ(shorter.tokens, std::vector<Token>({reply.tokens[0]}));
  EXPECT_EQ(shorter.text, model->detokenise({&reply.tokens[0], 1}));
}

TEST(Reply, IsMissingWhenTheLogitsAreNotFiniteAndHarmsNoOther) {
  TinyOptions options = detail::mixed();
  options.broken_word = "form";
  const auto model = tiny(options);
  std::string poison = "<|user|>";
  std::string healthy = "<|user|>";
  for (int i = 0; i < 80; ++i) poison += " form";  // more cells than the healthy prompt covers
  for (int i = 0; i < 70; ++i) healthy += " plan";
  std::vector<Request> requests(6);
  for (std::size_t i = 0; i < requests.size(); ++i) {
    requests[i].prompt = model->tokenise(i == 1 || i == 3 ? poison : healthy + (i % 2 == 0 ? " is" : " was"));
    requests[i].seed = Seed(i);
    requests[i].n_max = 5;
  }
  const std::vector<Cell> together = write_all(*model, requests);
  const auto fresh = Model::load(model->card().path, {.n_threads = 1, .n_slots = 2});
  const std::vector<Cell> few = write_all(*fresh, requests);
  for (std::size_t i = 0; i < requests.size(); ++i) {
    EXPECT_EQ(together[i].reply.has_value(), i != 1 && i != 3) << i;
    if (i == 1 || i == 3) {
      EXPECT_EQ(together[i].reply.reason(), "the model's logits were not finite");
      continue;
    }
    EXPECT_EQ(few[i], together[i]) << i;
    EXPECT_EQ(write_all(*model, {&requests[i], 1})[0], together[i]) << i;
  }
}

TEST(Reply, FinishesTheBatchAtHandWhenCancelled) {
  const auto model = tiny({}, {.n_threads = 1, .n_slots = 3});
  std::vector<Request> requests(10, cells(*model)[0]);
  for (std::size_t i = 0; i < requests.size(); ++i) requests[i].n_max = 2 + static_cast<int>(i % 3);
  Cancel cancel;
  std::size_t n = 0;
  const auto on_reply = [&](std::size_t, const Measured<Reply>& reply) {
    EXPECT_TRUE(reply.has_value());
    ++n;
    cancel.ask();
  };
  EXPECT_THROW(model->reply(requests, on_reply, cancel), Error);
  EXPECT_EQ(n, 3U);
}

TEST(Reply, RefusesWhatItCannotDoBeforeAnythingIsRead) {
  const auto model = tiny({});
  const auto refuses = [&](const std::function<void(Request&)>& spoil) {
    std::vector<Request> requests(2, cells(*model)[0]);
    spoil(requests[1]);
    EXPECT_THROW(model->reply(requests, [](std::size_t, const Measured<Reply>&) {}, {}), Error);
  };
  refuses([](Request& r) { r.prompt.clear(); });
  refuses([](Request& r) { r.prompt.push_back(1000000); });
  refuses([](Request& r) { r.prompt.assign(2048, 5); });  // no room for a reply
  refuses([](Request& r) { r.n_max = 0; });
  refuses([](Request& r) { r.stop = {""}; });
  refuses([](Request& r) { r.sampler.top_p = 0; });
  refuses([](Request& r) {
    r.hook = {{{Site{4}, EditKind::push, detail::unit(kWidth, Seed(3)), 1}}, Span::all};
  });
  refuses([](Request& r) {
    r.hook = {{{Site{-1}, EditKind::push, detail::unit(kWidth, Seed(3)), 1}}, Span::all};
  });
  refuses([](Request& r) {
    r.hook = {{{Site{1}, EditKind::push, detail::unit(32, Seed(3)), 1}}, Span::all};
  });
  refuses([](Request& r) {
    r.hook = {{{Site{1}, EditKind::push, std::vector<float>(kWidth, 1.0F), 1}}, Span::all};
  });
  EXPECT_EQ(model->counts().passes, 0);
}

TEST(Reply, DropsALetterThatTheLimitCutsInTwo) {
  TinyOptions options;
  options.words = {"\xC3"};  // half a letter is the only word
  options.mean_words = 1e6;
  const auto model = tiny(options);
  Request request;
  request.prompt = model->tokenise("<|user|>x<|end|><|assistant|>");
  request.n_max = 1;
  const Reply reply = *write_all(*model, {&request, 1})[0].reply;
  EXPECT_EQ(reply.tokens.size(), 1U);
  EXPECT_EQ(reply.text, " ");
}

}  // namespace
}  // namespace sonder::model
