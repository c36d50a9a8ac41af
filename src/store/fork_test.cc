#include "store/fork.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <functional>

#include "base/error.h"
#include "base/hash.h"
#include "store/resume.h"

namespace sonder::store {
namespace {

RunHeader header(const std::string& plan, const std::string& program = "1", const std::string& model = "a") {
  return {plan, sha256(plan),
          R"({"sonder":")" + program + R"(","llama.cpp":"b1","model":")" + model + R"("})",
          "2026-01-01T00:00:00Z"};
}

const std::vector<std::string> kKinds = {"reply"};

std::unique_ptr<Ledger> memory() { return Ledger::open(":memory:"); }

// An old run of three replies and a finding.
std::unique_ptr<Ledger> old_run() {
  auto ledger = memory();
  const RunId run = ledger->open_run(header("{}"));
  const std::vector<Entry> entries = {
      {"reply", "a", "1"}, {"reply", "b", "2"}, {"reply", "c", "3"}, {"finding", "f", "old"}};
  ledger->append(run, entries);
  return ledger;
}

TEST(Fork, TakesOverWhatIsAskedForAndNothingElse) {
  const RunHeader now = header(R"({"x":1})", "1", "another model");
  const Forked forked = fork(memory(), old_run(), "old", now, kKinds);
  const RunId run = forked.ledger->open_run(now);
  EXPECT_EQ(forked.ledger->find(run, "reply", "a"), "1");
  EXPECT_EQ(forked.ledger->find(run, "reply", "a"), "1");  // the same cell again, before it was kept
  EXPECT_EQ(forked.ledger->find(run, "reply", "none"), std::nullopt);
  EXPECT_EQ(forked.ledger->find(run, "finding", "f"), std::nullopt);  // not content-addressed
  EXPECT_EQ(forked.reused(), 1);
  EXPECT_EQ(forked.ledger->count(run, "reply"), 1);
  EXPECT_EQ(forked.ledger->count(run, "finding"), 0);
  const std::vector<Entry> fresh = {{"reply", "new", "4"}};
  EXPECT_EQ(forked.ledger->find(run, "reply", "b"), "2");
  forked.ledger->append(run, fresh);
  EXPECT_EQ(forked.ledger->entries(run, "reply"),
            (std::vector<Entry>{{"reply", "a", "1"}, {"reply", "b", "2"}, {"reply", "new", "4"}}));
}

TEST(Fork, IsItsOwnRunAfterwards) {
  const std::string path = testing::TempDir() + "/sonder_fork_test.sonder";
  for (const char* tail : {"", "-wal", "-shm"}) std::filesystem::remove(path + tail);
  const RunHeader now = header(R"({"x":1})");
  {
    const Forked forked = fork(Ledger::open(path), old_run(), "old", now, kKinds);
    const RunId run = forked.ledger->open_run(now);
    for (const char* key : {"a", "b", "c"}) forked.ledger->find(run, "reply", key);
    forked.ledger->append(run, {});
  }
  const auto alone = Ledger::open(path);
  EXPECT_EQ(alone->count(alone->open_run(now), "reply"), 3);
  for (const char* tail : {"", "-wal", "-shm"}) std::filesystem::remove(path + tail);
}

std::string said(const std::function<void()>& call) {
  try {
    call();
  } catch (const Error& error) {
    return error.what();
  }
  return "nothing was refused";
}

TEST(Fork, RefusesAnotherProgramAndAnEmptyFile) {
  EXPECT_EQ(
      said([] { fork(memory(), old_run(), "old", header("{}", "2"), kKinds); }),
      "old was made with Sonder 1, and this is Sonder 2; its cells are not taken over: run without --fork");
  EXPECT_EQ(said([] { fork(memory(), memory(), "old", header("{}"), kKinds); }),
            "'old' holds no run yet; there is nothing to take over from it");
  EXPECT_EQ(said([] { require_same_program("old", header("{}", "1", "x"), header("{\"y\":2}", "1", "y")); }),
            "nothing was refused");
}

}  // namespace
}  // namespace sonder::store
