#include "model/detail/tap.h"

#include <ggml.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <memory>
#include <string>

#include "base/error.h"

namespace sonder::model::detail {
namespace {

constexpr int kLayers = 3;
constexpr int kWidth = 4;

// A graph's tensors by hand.
class TapTest : public testing::Test {
 protected:
  ggml_tensor* tensor(const std::string& name, int rows, int width = kWidth) {
    ggml_tensor* t = ggml_new_tensor_2d(ggml_.get(), GGML_TYPE_F32, width, rows);
    ggml_set_name(t, name.c_str());
    for (std::int64_t i = 0; i < ggml_nelements(t); ++i)
      static_cast<float*>(t->data)[i] = static_cast<float>(i);
    return t;
  }
  // As llama.cpp would offer it. False: the graph stops here, or nobody wanted it.
  bool offer(ggml_tensor* t) { return Tap::on_tensor(t, true, &tap_) && Tap::on_tensor(t, false, &tap_); }
  static float at(const ggml_tensor* t, int row, int column) {
    return static_cast<float*>(t->data)[row * kWidth + column];
  }

  std::unique_ptr<ggml_context, void (*)(ggml_context*)> ggml_{ggml_init({1 << 16, nullptr, false}),
                                                               ggml_free};
  Tap tap_{kLayers, kWidth};
  Hook hook_{{{Site{1}, EditKind::push, {0, 1, 0, 0}, 10}}, Span::all};
  Pass pass_;
};

TEST_F(TapTest, EditsOnlyTheRowsOfTheHook) {
  pass_.hooks = {nullptr, &hook_};
  tap_.begin(pass_);
  ggml_tensor* below = tensor("l_out-0", 2);
  ggml_tensor* here = tensor("l_out-1", 2);
  EXPECT_FALSE(Tap::on_tensor(below, true, &tap_));  // not even asked for
  EXPECT_TRUE(offer(here));
  tap_.settle();
  EXPECT_EQ(at(here, 0, 1), 1);
  EXPECT_EQ(at(here, 1, 1), 15);
  EXPECT_EQ(at(here, 1, 0), 4);
}

TEST_F(TapTest, AsksForNothingWhenNothingIsDone) {
  pass_.hooks = {nullptr, nullptr};
  tap_.begin(pass_);
  for (const char* name : {"l_out-0", "l_out-1", "l_out-2", "ffn_out-1"})
    EXPECT_FALSE(Tap::on_tensor(tensor(name, 2), true, &tap_)) << name;
  EXPECT_NO_THROW(tap_.settle());
}

TEST_F(TapTest, CapturesBeforeAndAfterAnEdit) {
  std::vector<float> before(std::size_t{2} * kWidth);
  std::vector<float> after(std::size_t{2} * kWidth);
  pass_.hooks = {nullptr, &hook_};
  pass_.n_captured = 2;
  pass_.captures = {{1, after.data(), before.data()}};
  tap_.begin(pass_);
  EXPECT_TRUE(offer(tensor("l_out-1", 2)));
  tap_.settle();
  EXPECT_EQ(before[5], 5);
  EXPECT_EQ(after[5], 15);
}

TEST_F(TapTest, StopsTheGraphWhenOnlyResidualsAreWanted) {
  std::vector<float> after(std::size_t{2} * kWidth);
  pass_.hooks = {nullptr, nullptr};
  pass_.n_captured = 2;
  pass_.captures = {{1, after.data(), nullptr}};
  pass_.residuals_only = true;
  tap_.begin(pass_);
  EXPECT_FALSE(offer(tensor("l_out-1", 2)));
  EXPECT_NO_THROW(tap_.settle());
}

TEST_F(TapTest, FindsTheOutputRowsInTheLastLayer) {
  hook_.edits[0].site.layer = 2;
  pass_.hooks = {nullptr, &hook_, &hook_};
  pass_.outputs = {0, 2};
  tap_.begin(pass_);
  ggml_tensor* last = tensor("l_out-2", 2);  // rows 0 and 2 of three
  EXPECT_TRUE(offer(last));
  tap_.settle();
  EXPECT_EQ(at(last, 0, 1), 1);
  EXPECT_EQ(at(last, 1, 1), 15);
}

TEST_F(TapTest, ComplainsWhenALayerWasNotSeen) {
  pass_.hooks = {&hook_, &hook_};
  tap_.begin(pass_);
  offer(tensor("l_out-0", 2));
  offer(tensor("l_out-1 (view)", 2));
  EXPECT_THROW(tap_.settle(), Error);
}

TEST_F(TapTest, ComplainsWhenALayerComesTwice) {
  pass_.hooks = {&hook_, &hook_};
  tap_.begin(pass_);
  EXPECT_TRUE(offer(tensor("l_out-1", 2)));
  EXPECT_FALSE(offer(tensor("l_out-1", 2)));
  EXPECT_THROW(tap_.settle(), Error);
}

TEST_F(TapTest, ComplainsAboutAnUnexpectedShape) {
  pass_.hooks = {&hook_, &hook_, &hook_};
  tap_.begin(pass_);
  EXPECT_FALSE(offer(tensor("l_out-1", 2)));  // three rows were sent, and layer 1 is not the last
  EXPECT_THROW(tap_.settle(), Error);
  tap_.begin(pass_);
  EXPECT_FALSE(offer(tensor("l_out-1", 3, kWidth + 1)));
  EXPECT_THROW(tap_.settle(), Error);
}

}  // namespace
}  // namespace sonder::model::detail
