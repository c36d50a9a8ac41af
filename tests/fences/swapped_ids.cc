// Ids of different things cannot be swapped.
// expect: could not convert|no known conversion|cannot convert|invalid initialization
#include "base/id.h"

struct PromptTag {};
struct RunTag {};
void take(sonder::Id<RunTag> run);

void give() {
#ifdef PLANT
  take(sonder::Id<PromptTag>{1});
#else
  take(sonder::Id<RunTag>{1});
#endif
}
