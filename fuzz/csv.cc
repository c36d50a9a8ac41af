#include "store/csv.h"

#include <cmath>

#include "fuzz.h"

// Every number of a table that is read is finite, and every row has a label where labels are.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return fuzz::refused_or_read(data, size, [&](const std::string& text) {
    const sonder::store::Csv csv = sonder::store::parse_csv(text, "t.csv");
    for (const std::string& column : csv.columns()) {
      fuzz::refused_or_read(data, size, [&](const std::string&) {
        fuzz::insist(csv.labels(column).of_row.size() == csv.n_rows());
        for (const auto& value : csv.numbers(column)) fuzz::insist(!value || std::isfinite(*value));
      });
    }
  });
}
