#include "model/catalogue.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "base/error.h"
#include "model/detail/recipe.h"

namespace sonder::model {
namespace fs = std::filesystem;
namespace {

using detail::Recipe;

std::string folder_of(const std::string& name) { return models_dir() + "/" + name; }

// How far `typed` is from `name`: four for each letter inserted, deleted or exchanged, one for each letter of
// the name that was not typed yet. So "smolm2" is nearer to "smollm2-135m" than to "minilm".
std::size_t distance(const std::string& typed, const std::string& name) {
  constexpr std::size_t kWrong = 4;
  std::vector<std::size_t> row(name.size() + 1);
  for (std::size_t j = 0; j < row.size(); ++j) row[j] = kWrong * j;
  for (std::size_t i = 1; i <= typed.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = kWrong * i;
    for (std::size_t j = 1; j < row.size(); ++j) {
      const std::size_t exchanged = diagonal + (typed[i - 1] == name[j - 1] ? 0 : kWrong);
      diagonal = row[j];
      row[j] = std::min({exchanged, row[j] + kWrong, row[j - 1] + kWrong});
    }
  }
  for (std::size_t j = 0; j < row.size(); ++j) row[j] += name.size() - j;
  return *std::min_element(row.begin(), row.end());
}

const Recipe* find_recipe(const std::string& name) {
  for (const Recipe& recipe : detail::recipes())
    if (recipe.known.name == name) return &recipe;
  return nullptr;
}

const Recipe& recipe_of(const std::string& name) {
  if (const Recipe* found = find_recipe(name)) return *found;
  const auto& all = detail::recipes();
  const auto nearest = std::min_element(all.begin(), all.end(), [&](const Recipe& a, const Recipe& b) {
    return distance(name, a.known.name) < distance(name, b.known.name);
  });
  std::string names;
  for (const Recipe& recipe : all) names += (names.empty() ? "" : ", ") + recipe.known.name;
  throw Error(ErrorKind::bad_input, "no model is called '" + name + "'; the nearest is '" +
                                        nearest->known.name + "' (known: " + names +
                                        "). The path of a .gguf file works too");
}

// Cheap, so that a wrong path is named before anything is loaded.
void require_gguf(const std::string& path) {
  std::error_code ignored;
  require(!fs::is_directory(path, ignored), "expected a GGUF file, found the folder '" + path + "'");
  require(fs::is_regular_file(path, ignored), "there is no model file at '" + path + "'");
  std::ifstream file(path, std::ios::binary);
  require(file.good(), "the model file '" + path + "' cannot be read: no permission");
  std::string magic(4, '\0');
  file.read(magic.data(), 4);
  require(magic == "GGUF",
          "expected a GGUF file, found something else at '" + path + "'; name a .gguf model");
}

}  // namespace

std::vector<Known> known_models() {
  std::vector<Known> all;
  for (const Recipe& recipe : detail::recipes()) all.push_back(recipe.known);
  return all;
}

std::string models_dir() {
  const auto variable = [](const char* name) {
    const char* value = std::getenv(name);
    return std::string(value == nullptr ? "" : value);
  };
  if (const std::string cache = variable("SONDER_CACHE"); !cache.empty())
    return fs::absolute(cache).string() + "/models";
  const std::string home = variable("HOME");
  require(!home.empty(),
          "neither SONDER_CACHE nor HOME is set, so there is no place for models; set SONDER_CACHE");
  return home + "/.cache/sonder/models";
}

std::optional<Pulled> find_pulled(const std::string& name) {
  const Recipe* recipe = find_recipe(name);
  return recipe == nullptr ? std::nullopt : detail::find_made(*recipe, folder_of(name));
}

std::string terms_of(const std::string& name, const PullOptions& options) {
  return detail::terms_of(recipe_of(name), folder_of(name), options);
}

Pulled pull(const std::string& name, const PullOptions& options, const OnProgress& progress,
            const Cancel& cancel) {
  return detail::make(recipe_of(name), folder_of(name), options, progress, cancel);
}

std::string resolve(const std::string& name_or_path) {
  if (name_or_path.ends_with(".gguf") || name_or_path.find('/') != std::string::npos) {
    require_gguf(name_or_path);
    return name_or_path;
  }
  const Recipe& recipe = recipe_of(name_or_path);
  if (const auto pulled = find_pulled(name_or_path)) return pulled->path;
  const std::string advice = "run `sonder model pull " + name_or_path + "`";
  if (fs::exists(folder_of(name_or_path) + "/" + recipe.file))
    throw Error(ErrorKind::corrupt, "the file of '" + name_or_path + "' is not as it was pulled; " + advice +
                                        ", which makes it again");
  throw Error(ErrorKind::bad_input, "'" + name_or_path + "' is not here yet; " + advice);
}

}  // namespace sonder::model
