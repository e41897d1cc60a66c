#pragma once

#include <ostream>
#include <string>
#include <vector>

#include "losses/losses.h"
#include "models/click_program.h"
#include "testing/model_inputs.h"

namespace ultr::testing {

/// A ranking loss with options to test it with, in which PROPENSITIES stands for a file of six
/// positions' propensities.
struct LossVariant {
  std::string name, type, options;
};

/// How GoogleTest shows it.
inline void PrintTo(const LossVariant& variant, std::ostream* out) { *out << variant.name; }

/// Every loss that ultr has: those of a type that the list in loss_variants.cpp names, and all
/// others with their defaults.
std::vector<LossVariant> loss_variants();

/// The propensities of PROPENSITIES.
std::vector<double> test_propensities();

/// The type of loss called `name`.
const ModelType& loss_type(const std::string& name);

/// Builds a loss, with options in YAML.
TrainableModel build_loss(const std::string& type, const ModelSetting& setting,
                          const std::string& options = "{}");
TrainableModel build_loss(const LossVariant& variant, const ModelSetting& setting);

}  // namespace ultr::testing
