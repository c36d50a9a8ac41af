// Opening a GGUF and what its metadata says.
#pragma once

#include <llama-cpp.h>

#include <string>

#include "model/model.h"

namespace sonder::model::detail {

// Throws as Model::load does.
llama_model_ptr open(const std::string& path);
Card card_of(const llama_model* model, const std::string& path);

}  // namespace sonder::model::detail
