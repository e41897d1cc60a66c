#pragma once

#include <ostream>
#include <string>
#include <vector>

#include "dsl/programs/click_program.h"
#include "losses/losses.h"
#include "testing/model_inputs.h"

namespace ultr::testing {

/// A ranking loss with options to test it with. PROPENSITIES in the options stands for a file with
/// the propensities of six positions, BIAS for one with α and β of each.
struct LossVariant {
  std::string name, type, options;
};

/// Prints the name of the variant in messages of GoogleTest.
inline void PrintTo(const LossVariant& variant, std::ostream* out) { *out << variant.name; }

/// All losses of ultr: the variants that loss_variants.cpp lists, and all other types with their
/// defaults.
std::vector<LossVariant> loss_variants();

/// The propensities in the file PROPENSITIES.
std::vector<double> test_propensities();

/// The content of the file BIAS.
std::string test_bias();

/// Returns the type of loss called `name`.
const ModelType& loss_type(const std::string& name);

/// Builds a loss with options in YAML.
TrainableModel build_loss(const std::string& type, const ModelSetting& setting,
                          const std::string& options = "{}");
TrainableModel build_loss(const LossVariant& variant, const ModelSetting& setting);

}  // namespace ultr::testing
