// Does everything that a study reads and writes fit into the model?
#pragma once

#include "study/lab.h"

namespace sonder::study {

// Every prompt of every arm with a whole reply after it, every text of the bank that the model reads, every
// unrelated prompt. Asked before the run: nothing is computed here. Throws Error(bad_input) that names the
// place of the longest, the tokens it needs and the tokens there are.
void require_room(const Lab& lab);

}  // namespace sonder::study
