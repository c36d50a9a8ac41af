// What the arrangement of docs/invariance.md is for: the same rows through llama.cpp in the ways that Sonder
// does not use, and by how much their logits differ. Measures rather than tests; run it with
//   model_test --gtest_also_run_disabled_tests --gtest_filter='*Limits*'   (SONDER_LIMITS: a GGUF to measure
//   on)
#include <llama-cpp.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>

#include "model/detail/card.h"
#include "model/detail/tiny_fixture.h"

namespace sonder::model::detail {
namespace {

struct Way {
  const char* name;
  bool flash = true;
  bool unified = false;
  bool dummy = true;      // never one row alone
  bool together = false;  // company's prompts are read in the same pass
  int n_threads = 1;
  int n_company = 0;
  int n_chunk = 512;  // most rows of a pass
};

class Raw {
 public:
  Raw(llama_model* model, const Way& way, int n_ctx) : way_(way) {
    llama_context_params p = llama_context_default_params();
    p.n_seq_max = 16;
    p.n_ctx = static_cast<std::uint32_t>(16 * n_ctx);
    p.n_batch = p.n_ubatch = 2048;
    p.n_threads = p.n_threads_batch = way.n_threads;
    p.flash_attn_type = way.flash ? LLAMA_FLASH_ATTN_TYPE_ENABLED : LLAMA_FLASH_ATTN_TYPE_DISABLED;
    p.kv_unified = way.unified;
    p.no_perf = true;
    context_.reset(llama_init_from_model(model, p));
    n_vocab_ = static_cast<std::size_t>(llama_vocab_n_tokens(llama_model_get_vocab(model)));
  }

  // Logits of the last stream after its prompt and after each of `more`, beside company that does the same.
  std::vector<float> run(const std::vector<Token>& prompt, const std::vector<Token>& more) {
    const auto n_streams = 1 + static_cast<std::size_t>(way_.n_company);
    const std::size_t n = prompt.size() - 1;
    for (std::size_t from = 0; from < n; from += static_cast<std::size_t>(way_.n_chunk)) {
      const std::size_t to = std::min(n, from + static_cast<std::size_t>(way_.n_chunk));
      for (std::size_t s = 0; s < n_streams; ++s) {
        for (std::size_t i = from; i < to; ++i) add(prompt[i], s, i, false);
        if (!way_.together) decode();
      }
      if (way_.together) decode();
    }
    std::vector<float> all;
    for (std::size_t k = 0; k <= more.size(); ++k) {
      const Token token = k == 0 ? prompt.back() : more[k - 1];
      for (std::size_t s = 0; s < n_streams; ++s) add(token, s, n + k, true);
      if (way_.dummy && n_streams == 1) {
        llama_memory_seq_rm(llama_get_memory(context_.get()), 1, -1, -1);
        add(0, 1, 0, true);
      }
      decode();
      const float* row = llama_get_logits_ith(context_.get(), way_.n_company);
      all.insert(all.end(), row, row + n_vocab_);
    }
    return all;
  }

 private:
  void add(Token token, std::size_t stream, std::size_t pos, bool output) {
    token_.push_back(token);
    pos_.push_back(static_cast<llama_pos>(pos));
    stream_.push_back(static_cast<llama_seq_id>(stream));
    output_.push_back(output ? 1 : 0);
  }
  void decode() {
    std::vector<llama_seq_id*> at;
    for (llama_seq_id& id : stream_) at.push_back(&id);
    std::vector<std::int32_t> ones(token_.size(), 1);
    llama_batch batch{};
    batch.n_tokens = static_cast<std::int32_t>(token_.size());
    batch.token = token_.data();
    batch.pos = pos_.data();
    batch.n_seq_id = ones.data();
    batch.seq_id = at.data();
    batch.logits = output_.data();
    ASSERT_EQ(llama_decode(context_.get(), batch), 0);
    token_.clear(), pos_.clear(), stream_.clear(), output_.clear();
  }

  Way way_;
  llama_context_ptr context_;
  std::size_t n_vocab_ = 0;
  std::vector<llama_token> token_;
  std::vector<llama_pos> pos_;
  std::vector<llama_seq_id> stream_;
  std::vector<std::int8_t> output_;
};

TEST(Limits, DISABLED_HowMuchEachForbiddenWayDiffers) {
  const char* named = std::getenv("SONDER_LIMITS");
  const std::string path = named != nullptr ? named : tiny(mixed())->card().path;
  const llama_model_ptr model = open(path);
  const int n_vocab = llama_vocab_n_tokens(llama_model_get_vocab(model.get()));
  for (const std::size_t length : {std::size_t{40}, std::size_t{700}}) {
    Stream random(Seed(9));
    const auto any = [&] {
      return static_cast<Token>(300 + random.below(static_cast<std::uint64_t>(n_vocab - 300)));
    };
    std::vector<Token> prompt;
    std::vector<Token> more;
    for (std::size_t i = 0; i < length; ++i) prompt.push_back(any());
    for (int i = 0; i < 4; ++i) more.push_back(any());
    const auto logits = [&](const Way& way) { return Raw(model.get(), way, 1024).run(prompt, more); };
    // Each pair asks whether one thing changes the bits.
    const std::vector<std::pair<Way, Way>> pairs = {
        {{.name = "as Sonder does: alone or beside 7, 1 or 2 threads"},
         {.name = "", .n_threads = 2, .n_company = 7}},
        {{.name = "one row alone, beside 7"}, {.name = "", .dummy = false}},
        {{.name = "one row alone, 1 or 2 threads", .dummy = false},
         {.name = "", .dummy = false, .n_threads = 2}},
        {{.name = "flash attention off, alone or beside 7", .flash = false},
         {.name = "", .flash = false, .n_company = 7}},
        {{.name = "flash attention off, prompts read alone or with 2 more", .flash = false, .n_company = 2},
         {.name = "", .flash = false, .together = true, .n_company = 2}},
        {{.name = "unified cache, alone or beside 7", .unified = true},
         {.name = "", .unified = true, .n_company = 7}},
        {{.name = "prompts read alone or with 2 more", .n_company = 2},
         {.name = "", .together = true, .n_company = 2}},
        {{.name = "chunks of 512 or 40 rows"}, {.name = "", .n_chunk = 40}},
    };
    std::printf("prompt of %zu tokens, 5 rows of logits: largest |difference| / largest |logit|\n", length);
    for (const auto& [one, other] : pairs) {
      const std::vector<float> x = logits(one);
      const std::vector<float> y = logits(other);
      double most = 0;
      double scale = 0;
      std::size_t n_unequal = 0;
      for (std::size_t i = 0; i < x.size(); ++i) {
        most = std::max(most, std::abs(static_cast<double>(x[i]) - static_cast<double>(y[i])));
        scale = std::max(scale, std::abs(static_cast<double>(x[i])));
        n_unequal += x[i] != y[i] ? 1 : 0;
      }
      std::printf("  %-58s %.1e  (%.0f %% of logits)\n", one.name, most / scale,
                  100 * static_cast<double>(n_unequal) / static_cast<double>(x.size()));
    }
  }
}

}  // namespace
}  // namespace sonder::model::detail
