#include "model/catalogue.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "base/error.h"
#include "model/detail/pull_fixture.h"

namespace sonder::model {
namespace {

namespace fs = std::filesystem;

std::string refusal(const std::function<void()>& work) {
  try {
    work();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::bad_input);
    return error.what();
  }
  ADD_FAILURE() << "nothing was refused";
  return "";
}

bool holds(const std::string& text, const std::string& words) {
  return text.find(words) != std::string::npos;
}

class Catalogue : public ::testing::Test {
 protected:
  detail::Folder folder_;
  detail::Variable cache_{"SONDER_CACHE", folder_.path()};
};

TEST_F(Catalogue, KnowsEveryModelByOneNameWithItsPins) {
  std::vector<std::string> names;
  for (const Known& known : known_models()) names.push_back(known.name);
  EXPECT_EQ(names, (std::vector<std::string>{"smollm2-135m", "minilm", "gemma-3-270m"}));
  for (const detail::Recipe& recipe : detail::recipes()) {
    EXPECT_EQ(recipe.source_sha256.size(), 64U) << recipe.known.name;
    for (const detail::Package& package : recipe.packages)
      EXPECT_EQ(package.sha256.size(), 64U) << package.name;
    for (const detail::Member& member : recipe.source) EXPECT_LT(member.package, recipe.packages.size());
    EXPECT_EQ(recipe.known.asks_first, !recipe.terms.empty()) << "who must accept something can read it";
  }
}

TEST_F(Catalogue, KeepsModelsWhereTheEnvironmentSays) {
  EXPECT_EQ(models_dir(), folder_.path() + "/models");
  const detail::Variable no_cache("SONDER_CACHE", "");
  const detail::Variable home("HOME", "/home/somebody");
  EXPECT_EQ(models_dir(), "/home/somebody/.cache/sonder/models");
  const detail::Variable no_home("HOME", "");
  EXPECT_TRUE(holds(refusal([] { models_dir(); }), "set SONDER_CACHE"));
}

TEST_F(Catalogue, AnUnknownNameNamesTheNearestAndSaysThatAPathWorks) {
  const auto nearest = [](const std::string& name) { return refusal([&] { resolve(name); }); };
  EXPECT_TRUE(holds(nearest("smolm2"), "nearest is 'smollm2-135m'"));
  EXPECT_TRUE(holds(nearest("SmolLM2-135M"), "nearest is 'smollm2-135m'")) << "names are compared exactly";
  EXPECT_TRUE(holds(nearest("mini-lm"), "nearest is 'minilm'"));
  EXPECT_TRUE(holds(nearest("gemma"), "nearest is 'gemma-3-270m'"));
  EXPECT_TRUE(holds(nearest("gemma"), "path of a .gguf file works too"));
  EXPECT_TRUE(holds(refusal([] { pull("minilmm", {}, {}, {}); }), "nearest is 'minilm'"));
  EXPECT_TRUE(holds(refusal([] { terms_of("minilmm", {}); }), "nearest is 'minilm'"));
  EXPECT_FALSE(find_pulled("minilmm"));
}

TEST_F(Catalogue, AModelThatIsNotHereSaysHowToPullIt) {
  EXPECT_FALSE(find_pulled("smollm2-135m"));
  EXPECT_TRUE(holds(refusal([] { resolve("smollm2-135m"); }), "sonder model pull smollm2-135m"));
}

TEST_F(Catalogue, APathIsTakenAsItIs) {
  detail::write_text(folder_ / "mine.gguf", "GGUF");
  EXPECT_EQ(resolve(folder_ / "mine.gguf"), folder_ / "mine.gguf");
  EXPECT_TRUE(holds(refusal([&] { resolve(folder_ / "yours.gguf"); }), "no model file at"));
  EXPECT_TRUE(holds(refusal([] { resolve("yours.gguf"); }), "no model file at 'yours.gguf'"));
  EXPECT_TRUE(holds(refusal([&] { resolve(folder_ / ""); }), "found the folder"));
  detail::write_text(folder_ / "notes.gguf", "Dear diary");
  EXPECT_TRUE(
      holds(refusal([&] { resolve(folder_ / "notes.gguf"); }), "expected a GGUF file, found something"));
}

TEST_F(Catalogue, GemmaIsNotPulledBeforeItsTermsAreAccepted) {
  const std::string said = refusal([] { pull("gemma-3-270m", {}, {}, {}); });
  EXPECT_TRUE(holds(said, "--accept-licence")) << said;
  EXPECT_FALSE(fs::exists(folder_ / "models")) << "nothing is written before";
}

TEST_F(Catalogue, FreeModelsHaveNoTermsToAccept) {
  EXPECT_EQ(terms_of("smollm2-135m", {}), "");
  EXPECT_EQ(terms_of("minilm", {}), "");
}

TEST_F(Catalogue, AModelWithOtherBytesThanPulledIsCalledDamaged) {
  const std::string folder = folder_ / "models/minilm";
  fs::create_directories(folder);
  detail::write_text(folder + "/all-MiniLM-L6-v2.F32.gguf", "cut short");
  EXPECT_FALSE(find_pulled("minilm"));
  EXPECT_THROW(
      {
        try {
          resolve("minilm");
        } catch (const Error& error) {
          EXPECT_EQ(error.kind(), ErrorKind::corrupt);
          EXPECT_TRUE(holds(error.what(), "sonder model pull minilm"));
          throw;
        }
      },
      Error);
}

}  // namespace
}  // namespace sonder::model
