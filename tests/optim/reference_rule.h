#pragma once

#include <functional>
#include <vector>

#include "optim/optimizer.h"

namespace ultr::testing {

/// An update rule for one number in double precision, which a test writes from its formula.
struct ReferenceRule {
  struct Step {
    double learning_rate, number;  // steps are numbered from 1
    bool decays;
  };
  int states = 1;
  std::function<void(double& x, std::vector<double>& state, double gradient, const Step&)> update;
};

/// The rows of a table that a step updates: those that it read, or all.
enum class Laziness : std::uint8_t { lazy, dense };

/// Expects that many steps on a dense parameter follow the rule, with and without weight decay, and
/// with a learning rate that changes.
void expect_dense_follows(const OptimizerOptions& options, const ReferenceRule& rule);

/// Expects that many steps on a table with `columns` numbers per row follow the rule. Each step
/// reads some of the rows, possibly several times.
void expect_table_follows(const OptimizerOptions& options, const ReferenceRule& rule,
                          std::int64_t columns, Laziness laziness);

/// Expects all of the above: for a dense parameter, scalar rows and wide rows, lazily and densely.
void expect_follows(const OptimizerOptions& options, const ReferenceRule& rule);

}  // namespace ultr::testing
