// Detection: what is inside the model, per facet, and the directions that steering uses.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "latent/capture.h"
#include "latent/direction.h"
#include "study/findings.h"
#include "study/lab.h"

namespace sonder::study {

// Residuals of the bank's texts, read once for all facets. One row per scenario of the split, one table per
// layer.
struct Texts {
  std::vector<int> layers;
  std::map<std::string, latent::Captured> fit;   // "NEU", "EMP affective", "EMP cognitive", "formal"
  std::map<std::string, latent::Captured> test;  // "NEU", "EMP affective", "EMP cognitive"
};
Texts read_texts(Lab& lab);

struct Inside {
  std::string facet;
  Detection detection;
  latent::Direction direction;                                   // difference of means at the study's layer
  std::vector<latent::Direction> per_layer;                      // the same at every layer: mean ablation
  std::vector<std::vector<latent::Direction>> random_per_layer;  // random twins
  std::vector<latent::Direction> placebos;                       // P1, P2, P3, P5
};
std::vector<Inside> look_inside(Lab& lab, const Texts& texts);

// The steering direction of a facet as the ledger keeps it, and back; lossless.
std::string as_json(const latent::Direction& direction);
latent::Direction direction_from_json(const std::string& json);

}  // namespace sonder::study
