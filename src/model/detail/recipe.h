// How a known model is made ready, as data; and the one function that does it. Tests hand in recipes of their
// own.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "model/catalogue.h"
#include "model/detail/wheel.h"

namespace sonder::model::detail {

// One file inside one wheel.
struct Member {
  std::size_t package = 0;  // index into Recipe::packages
  std::string path;
};

enum class Making {
  f32,   // the source is a GGUF, decoded once into 32-bit floats
  bert,  // the source is a safetensors file; `beside` names vocab.txt and config.json
};

struct Recipe {
  Known known;
  std::vector<Package> packages;
  std::vector<Member> source;  // joined in this order they are the source file
  std::string source_sha256;
  std::vector<Member> beside;  // small files the conversion needs
  std::vector<Member> terms;   // shown before the first pull
  Making making = Making::f32;
  std::string file;         // name of the GGUF that runs
  std::uint64_t bytes = 0;  // about, of that file and its source
};

const std::vector<Recipe>& recipes();

// All of these work in `folder` (models_dir()/name), which need not exist yet.
std::optional<Pulled> find_made(const Recipe& recipe,
                                const std::string& folder);  // Missing or damaged: nothing
Pulled make(const Recipe& recipe, const std::string& folder, const PullOptions& options,
            const OnProgress& progress, const Cancel& cancel);
std::string terms_of(const Recipe& recipe, const std::string& folder, const PullOptions& options);

// The text of an HTML page's article (of the whole page when it has none): tags dropped, blocks on lines of
// their own.
std::string text_of_html(const std::string& html);

}  // namespace sonder::model::detail
