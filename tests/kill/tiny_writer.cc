// Writes a tiny model with random weights: tiny_writer FILE
#include "model/tiny.h"

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  sonder::model::write_tiny_model(argv[1], {});
}
