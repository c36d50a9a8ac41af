// What a design will probably say: the tables of `sonder simulate` and `sonder power`, as text, JSON and
// page. Nothing is computed here.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "study/foresight.h"
#include "study/operating.h"

namespace sonder::report {

// Everything the two commands found.
struct Forecast {
  std::string title;  // "the lattice of methods 7.4", or the plan's name
  std::string sentence;
  study::Limits limits;
  int runs = 0;
  std::uint64_t seed = 0;
  std::vector<study::Outlook> outlooks;
  // `sonder power` only
  int n_scenarios = 0;  // that the plan uses
  double power = 0.80;
  std::vector<study::Needed> needed;
  std::vector<study::Pilot> pilots;
  struct Smallest {
    double sd = 0;
    double mde = 0;  // the smallest shift found with `power` by n_scenarios
  };
  std::vector<Smallest> smallest;
};

// width: columns; below 40 counts as 40.
std::string forecast_text(const Forecast& forecast, int width);
std::string forecast_json(const Forecast& forecast);  // every number in full; ends with a line break
// One self-contained page without any script.
std::string forecast_page(const Forecast& forecast);

}  // namespace sonder::report
