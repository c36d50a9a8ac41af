#include "model/detail/quiet.h"

#include <llama.h>
#include <log.h>

namespace sonder::model::detail {
namespace {

void say_nothing(ggml_log_level /*level*/, const char* /*text*/, void* /*user*/) {}

bool start_once() {
  llama_log_set(say_nothing, nullptr);
  common_log_set_verbosity_thold(-1);  // below LOG_LEVEL_OUTPUT, so that common's own log thread never starts
  llama_backend_init();
  return true;
}

}  // namespace

void start_llama() { [[maybe_unused]] static const bool started = start_once(); }

}  // namespace sonder::model::detail
