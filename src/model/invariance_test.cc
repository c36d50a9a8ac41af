// A cell's bits do not depend on how it was computed: randomised schedules of the same cells are compared to
// the last bit. docs/invariance.md says what holds, why, and what cannot be had.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <iostream>

#include "base/error.h"
#include "model/catalogue.h"
#include "model/detail/tiny_fixture.h"

namespace sonder::model {
namespace {

using detail::Cell;

// One way to compute the same cells: how many at a time and on how many threads, in which order, among which
// strangers, in how many calls, and whether a call is interrupted and taken up again.
struct Schedule {
  Options options;
  std::vector<std::size_t> order;  // of cells and strangers; strangers are numbered after the cells
  std::vector<Request> strangers;
  std::size_t n_calls = 1;
  std::size_t stop_after = 0;  // replies after which the first call is told to stop; 0: it is not
  std::vector<std::size_t> reading_order;
};

std::ostream& operator<<(std::ostream& out, const Schedule& s) {
  out << s.options.n_slots << " slots, " << s.options.n_threads << " threads, " << s.n_calls
      << " calls, stop after " << s.stop_after << ", " << s.strangers.size() << " strangers, order";
  for (const std::size_t i : s.order) out << " " << i;
  return out;
}

// The cells to compare, texts to read, and what strangers are made of.
struct Work {
  std::vector<Request> requests;
  std::vector<Passage> passages;
  Hook hook;  // under which passages are read
  Want want;
  std::vector<std::vector<Token>> stranger_prompts;
  std::vector<Hook> stranger_hooks;
};

struct Outcome {
  std::vector<Cell> cells;
  std::vector<std::string> readings;  // SHA-256 of all that was read of each passage
};

Schedule draw_schedule(const Work& work, Stream& random) {
  static const std::vector<int> kSlots = {1, 7, 60, 1, 7, 60, 2, 13};
  Schedule s;
  s.options.n_slots = kSlots[random.below(kSlots.size())];
  s.options.n_threads = 1 + static_cast<int>(random.below(2));
  for (std::size_t k = random.below(10); k > 0; --k) {
    Request stranger;
    stranger.prompt = work.stranger_prompts[random.below(work.stranger_prompts.size())];
    stranger.hook = work.stranger_hooks[random.below(work.stranger_hooks.size())];
    stranger.seed = Seed(random.below(1000));
    stranger.n_max = 1 + static_cast<int>(random.below(12));
    s.strangers.push_back(stranger);
  }
  for (std::size_t i = 0; i < work.requests.size() + s.strangers.size(); ++i) s.order.push_back(i);
  random.shuffle(s.order);
  s.n_calls = 1 + random.below(3);
  if (random.coin()) s.stop_after = 1 + random.below(s.order.size());
  for (std::size_t i = 0; i < work.passages.size(); ++i) s.reading_order.push_back(i);
  random.shuffle(s.reading_order);
  return s;
}

std::string hash_of_table(const Rows& rows) {
  return sha256({reinterpret_cast<const char*>(rows.data.data()), rows.data.size() * sizeof(float)});
}

class Player {
 public:
  Player(std::string path, const Work& work) : path_(std::move(path)), work_(work) {}

  Outcome play(const Schedule& schedule) {
    // Models are kept, so that most schedules begin in caches that others have left full.
    auto& model = models_[{schedule.options.n_slots, schedule.options.n_threads}];
    if (!model) model = Model::load(path_, schedule.options);
    Outcome outcome;
    outcome.cells.resize(work_.requests.size());
    std::vector<std::size_t> open = schedule.order;
    std::size_t n_calls = schedule.n_calls;
    if (schedule.stop_after > 0) write(*model, schedule, open, open.size(), schedule.stop_after, outcome);
    for (; n_calls > 0; --n_calls)
      write(*model, schedule, open, (open.size() + n_calls - 1) / n_calls, 0, outcome);
    read(*model, schedule, outcome);
    return outcome;
  }

 private:
  // Writes the first n of `open`, or as many as are done when the call stops; takes them out of `open`.
  void write(Model& model, const Schedule& schedule, std::vector<std::size_t>& open, std::size_t n,
             std::size_t stop_after, Outcome& outcome) {
    const std::size_t n_cells = work_.requests.size();
    std::vector<Request> requests;
    for (std::size_t k = 0; k < n; ++k)
      requests.push_back(open[k] < n_cells ? work_.requests[open[k]] : schedule.strangers[open[k] - n_cells]);
    std::map<std::size_t, std::string> logits;
    std::vector<bool> done(open.size());
    std::size_t n_done = 0;
    Cancel cancel;
    auto& inside = dynamic_cast<detail::LlamaModel&>(model);
    inside.watch([&](std::size_t k, std::size_t, std::span<const float> row) {
      logits[k] = sha256(logits[k] + sha256({reinterpret_cast<const char*>(row.data()), row.size_bytes()}));
    });
    const auto keep = [&](std::size_t k, const Measured<Reply>& reply) {
      done[k] = true;
      if (open[k] < n_cells) outcome.cells[open[k]] = {reply, logits[k]};
      if (++n_done == stop_after) cancel.ask();
    };
    try {
      model.reply(requests, keep, cancel);
    } catch (const Error& error) {
      ASSERT_EQ(error.kind(), ErrorKind::cancelled) << error.what();
    }
    inside.watch({});
    std::vector<std::size_t> left;
    for (std::size_t k = 0; k < open.size(); ++k)
      if (!done[k]) left.push_back(open[k]);
    open = left;
  }

  void read(Model& model, const Schedule& schedule, Outcome& outcome) {
    outcome.readings.resize(work_.passages.size());
    std::vector<Passage> passages;
    for (const std::size_t i : schedule.reading_order) passages.push_back(work_.passages[i]);
    const auto keep = [&](std::size_t k, const Reading& reading) {
      std::string bytes = hash_of_table(reading.logits);
      for (const Rows& table : reading.residuals) bytes += hash_of_table(table);
      bytes += sha256({reinterpret_cast<const char*>(reading.log_probs.data()),
                       reading.log_probs.size() * sizeof(double)});
      outcome.readings[schedule.reading_order[k]] = sha256(bytes);
    };
    model.read(passages, work_.hook, work_.want, keep, {});
  }

  std::string path_;
  const Work& work_;
  std::map<std::pair<int, int>, std::unique_ptr<Model>> models_;
};

Schedule plainly(const Work& work) {
  Schedule s;
  s.options = {.n_threads = 1, .n_slots = 2};
  for (std::size_t i = 0; i < work.requests.size(); ++i) s.order.push_back(i);
  for (std::size_t i = 0; i < work.passages.size(); ++i) s.reading_order.push_back(i);
  return s;
}

std::size_t n_different(const Outcome& a, const Outcome& b) {
  std::size_t n = 0;
  for (std::size_t i = 0; i < a.cells.size(); ++i) n += a.cells[i] == b.cells[i] ? 0 : 1;
  for (std::size_t i = 0; i < a.readings.size(); ++i) n += a.readings[i] == b.readings[i] ? 0 : 1;
  return n;
}

// Prints how much was compared.
void compare_schedules(const std::string& path, const Work& work, int n_schedules, Seed seed) {
  Player player(path, work);
  const Outcome expected = player.play(plainly(work));
  for (const Cell& cell : expected.cells) ASSERT_TRUE(cell.reply.has_value()) << cell.reply.reason();
  std::size_t n_compared = 0;
  std::size_t n_wrong = 0;
  for (int i = 0; i < n_schedules; ++i) {
    Stream random(seed.child(static_cast<std::uint64_t>(i)));
    const Schedule schedule = draw_schedule(work, random);
    const std::size_t n = n_different(player.play(schedule), expected);
    EXPECT_EQ(n, 0U) << "schedule " << i << ": " << schedule;
    n_wrong += n;
    n_compared += work.requests.size() + work.passages.size();
  }
  EXPECT_EQ(n_compared,
            static_cast<std::size_t>(n_schedules) * (work.requests.size() + work.passages.size()));
  std::cout << n_schedules << " schedules, " << n_compared << " cells and readings compared, " << n_wrong
            << " different\n";
}

Hook two_edits(int n_embd, int first, int second, float amount, Span span) {
  return {{{Site{first}, EditKind::push, detail::unit(n_embd, Seed(3)), amount},
           {Site{second}, EditKind::ablate, detail::unit(n_embd, Seed(4)), 0.1F}},
          span};
}

Passage passage_of(const Model& model, const std::vector<Token>& prompt, const std::string& reply) {
  Passage passage{prompt, {static_cast<int>(prompt.size())}, static_cast<int>(prompt.size())};
  for (const Token token : model.tokenise_plain(reply)) passage.tokens.push_back(token);
  return passage;
}

std::vector<Token> repeated(const Model& model, const std::string& words, int n) {
  std::string text = "<|user|>";
  for (int i = 0; i < n; ++i) text += words;
  return model.tokenise(text);
}

// Prompts of 1 token, of a few, of more than 64 rows (another attention kernel) and of more than 256 cells (a
// longer cache for all who decode beside it); hooks of every span.
Work tiny_work(const Model& model) {
  Work work;
  work.stranger_hooks = {{}};
  for (const Span span : {Span::reply, Span::last_prompt, Span::all})
    work.stranger_hooks.push_back(two_edits(model.card().n_embd, 1, 3, 0.8F, span));
  const std::vector<std::vector<Token>> prompts = {model.tokenise(""), repeated(model, " the plan", 2),
                                                   repeated(model, " the report needs", 25),
                                                   repeated(model, " it was", 140)};
  for (std::size_t p = 0; p < prompts.size(); ++p) {
    for (std::size_t h = 0; h < work.stranger_hooks.size(); ++h) {
      Request request;
      request.prompt = prompts[p];
      request.hook = work.stranger_hooks[h];
      request.sampler.temperature = h == 1 ? 0 : 1;
      request.seed = Seed(11).child(p);
      request.n_max = static_cast<int>(1 + (5 * p + 3 * h) % 11);
      work.requests.push_back(request);
    }
    work.passages.push_back(passage_of(model, prompts[p], " the day waits on the table"));
  }
  work.hook = work.stranger_hooks[2];
  work.want = {.layers = {0, 1, 3}, .log_probs = true, .logits = true};
  work.stranger_prompts = prompts;
  for (const int n : {1, 5, 30, 70}) work.stranger_prompts.push_back(repeated(model, " a box", n));
  return work;
}

// A hundred where SONDER_SCHEDULES says so (ctest's story.invariance); a few under the sanitizers.
TEST(Invariance, ManySchedulesOfTheSameCellsAgreeToTheLastBit) {
  const char* wanted = std::getenv("SONDER_SCHEDULES");
  const auto model = detail::tiny(detail::mixed());
  compare_schedules(model->card().path, tiny_work(*model), wanted == nullptr ? 4 : std::atoi(wanted),
                    Seed(2026));
}

TEST(Invariance, TheComparisonSeesTheSmallestChangeInOneCellOnly) {
  const auto model = detail::tiny(detail::mixed());
  const Work work = tiny_work(*model);
  Player player(model->card().path, work);
  const Outcome expected = player.play(plainly(work));

  Work spoiled = work;  // one push longer by the last bit of a float
  float& amount = spoiled.requests[7].hook.edits[0].amount;
  amount = std::nextafter(amount, 2.0F);
  Player other(model->card().path, spoiled);
  Stream random(Seed(5));
  const Outcome got = other.play(draw_schedule(spoiled, random));
  EXPECT_EQ(n_different(got, expected), 1U);
  EXPECT_NE(got.cells[7].logits, expected.cells[7].logits);
}

TEST(RealInvariance, FiveSchedulesOfTheDefaultModelAgreeToTheLastBit) {
  if (std::getenv("SONDER_MODELS") == nullptr) GTEST_SKIP() << "takes minutes: set SONDER_MODELS=1";
  if (!find_pulled("smollm2-135m"))
    GTEST_SKIP() << "smollm2-135m is not here; run sonder model pull smollm2-135m";
  const std::string path = resolve("smollm2-135m");
  const auto model = Model::load(path, {.n_threads = 1, .n_slots = 2});
  Work work;
  work.stranger_hooks = {{}};
  for (const Span span : {Span::reply, Span::last_prompt, Span::all})
    work.stranger_hooks.push_back(two_edits(model->card().n_embd, 16, 29, 40, span));
  std::string history = "I lost my job last week and I do not know how to tell my family. ";
  for (int i = 0; i < 4; ++i) history += history.substr(0, 66);
  for (const std::string& words : {std::string("My cat is ill."), history}) {
    const std::vector<Message> turns = {{"user", words}};
    const std::vector<Token> prompt = model->tokenise(model->render(turns, Template::chat));
    for (std::size_t h = 0; h < work.stranger_hooks.size(); ++h) {
      Request request;
      request.prompt = prompt;
      request.hook = work.stranger_hooks[h];
      request.seed = Seed(11);
      request.n_max = static_cast<int>(2 + (h + work.requests.size()) % 5);
      work.requests.push_back(request);
    }
    work.passages.push_back(passage_of(*model, prompt, "I am so sorry to hear that."));
    work.stranger_prompts.push_back(prompt);
  }
  work.stranger_prompts.push_back(model->tokenise("Write one sentence about trains."));
  work.hook = work.stranger_hooks[2];
  work.want = {.layers = {0, 16, 29}, .log_probs = true, .logits = true};
  compare_schedules(path, work, 5, Seed(2027));
}

}  // namespace
}  // namespace sonder::model
