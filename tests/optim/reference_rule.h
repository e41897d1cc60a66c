#pragma once

#include <functional>
#include <vector>

#include "optim/optimizer.h"

namespace ultr::testing {

/// An update rule for one number, in double precision, as a test writes it from its formula.
struct ReferenceRule {
  struct Step {
    double learning_rate, number;  // steps are numbered from 1
    bool decays;
  };
  int states = 1;
  std::function<void(double& x, std::vector<double>& state, double gradient, const Step&)> update;
};

/// Whether a table is updated only where it was read.
enum class Laziness : std::uint8_t { lazy, dense };

/// Many steps on a dense parameter give what the rule gives, for one that decays and one that does
/// not, with a learning rate that changes.
void expect_dense_follows(const OptimizerOptions& options, const ReferenceRule& rule);

/// The same for a table of rows of `columns` numbers, of which each step reads some, several times
/// perhaps, and other rows in each.
void expect_table_follows(const OptimizerOptions& options, const ReferenceRule& rule,
                          std::int64_t columns, Laziness laziness);

/// All of the above: dense, scalar rows and wide rows, lazily and densely.
void expect_follows(const OptimizerOptions& options, const ReferenceRule& rule);

}  // namespace ultr::testing
