// What the model room's tests share: tiny models on disk, replies as plain values, logits of every cell as a
// hash.
#pragma once

#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/hash.h"
#include "model/detail/llama_model.h"
#include "model/model.h"
#include "model/tiny.h"

namespace sonder::model::detail {

inline std::unique_ptr<Model> tiny(const TinyOptions& options,
                                   const Options& how = {.n_threads = 1, .n_slots = 7}) {
  const auto* test = testing::UnitTest::GetInstance()->current_test_info();
  const std::string path =
      testing::TempDir() + "sonder_" + test->test_suite_name() + "_" + test->name() + ".gguf";
  write_tiny_model(path, options);
  return Model::load(path, how);
}

// Blocks that matter: for tests of arithmetic, not of stories.
inline TinyOptions mixed() {
  TinyOptions options;
  options.mixing = 0.3;
  return options;
}

inline std::vector<float> unit(int n_embd, Seed seed) {
  TinyOptions options;
  options.n_embd = n_embd;
  options.seed = seed;
  return planted_direction(options);
}

struct Cell {
  Measured<Reply> reply = Missing{"not written"};
  std::string logits;  // SHA-256 over the logits of every token of the reply, in order
  bool operator==(const Cell&) const = default;
};

inline std::vector<Cell> write_all(Model& model, std::span<const Request> requests,
                                   const Cancel& cancel = {}) {
  std::map<std::size_t, std::string> bytes;
  std::vector<Cell> cells(requests.size());
  auto& inside = dynamic_cast<LlamaModel&>(model);
  inside.watch([&](std::size_t i, std::size_t, std::span<const float> row) {
    bytes[i] = sha256(bytes[i] + sha256({reinterpret_cast<const char*>(row.data()), row.size_bytes()}));
  });
  model.reply(
      requests, [&](std::size_t i, Measured<Reply> reply) { cells[i].reply = std::move(reply); }, cancel);
  inside.watch({});
  for (auto& [i, hash] : bytes) cells[i].logits = hash;
  return cells;
}

inline std::vector<Reading> read_all(Model& model, std::span<const Passage> passages, const Hook& hook,
                                     const Want& want) {
  std::vector<Reading> readings(passages.size());
  model.read(passages, hook, want, [&](std::size_t i, const Reading& reading) { readings[i] = reading; }, {});
  return readings;
}

}  // namespace sonder::model::detail
