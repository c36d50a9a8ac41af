// A model and a ledger are resources: neither can be copied.
// expect: use of deleted function
#include "model/model.h"

void keep(const sonder::model::Card& card);

void take(const sonder::model::Model& model) {
#ifdef PLANT
  struct Copy : sonder::model::Model {
    explicit Copy(const sonder::model::Model& other) : sonder::model::Model(other) {}
  };
#endif
  keep(model.card());
}
