// llama.cpp made silent and its back ends started, once per process. Call before anything else of llama.cpp.
#pragma once

namespace sonder::model::detail {

void start_llama();

}  // namespace sonder::model::detail
