#include "trust_pbm.h"

#include "commands/program.h"

/// Runs ultr-run with one more model.
int main(int argc, char** argv) {
  ultr::Registry registry = ultr::built_in_registry();
  registry.add(ultr::model_type<TrustPbm>("trust_pbm", "Position-based model with trust bias."));
  return ultr::run_program(argc, argv, std::move(registry));
}
