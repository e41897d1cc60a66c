#pragma once

#include <memory>
#include <span>
#include <vector>

#include "layers/parameter.h"
#include "options/fields.h"

namespace ultr {

/// An optimizer: updates parameters from their gradients.
///
/// A step is `begin_step`, followed by one update of each parameter. Dense parameters are updated
/// as a whole. Tables are updated lazily or densely:
///
/// - Lazily, only the rows that the step read are updated, so a step costs the same in a table of
///   any size. The rule's effect on a row with gradient 0 is skipped. In steps that do not read a
///   row, its moments do not decay and its weights do not shrink, as in SparseAdam and lazy AdamW
///   elsewhere, while bias corrections count all steps. Lazy and dense updates agree exactly where
///   gradient 0 changes nothing: for SGD without momentum and for Adagrad, both without weight
///   decay. They also agree for every rule if each step reads every row.
/// - Densely, every row is updated in every step, as in the rule's paper.
class Optimizer {
 public:
  virtual ~Optimizer() = default;

  /// Makes room in the parameters for this optimizer's state, all 0.
  void attach(std::span<Parameter* const> parameters) const;
  /// Starts the next step with this learning rate, which the schedule gives.
  virtual void begin_step(double learning_rate) = 0;
  /// Number of steps begun so far. This number and the parameters' states are all that an optimizer
  /// remembers.
  virtual std::int64_t steps() const = 0;
  /// Sets the number of steps begun so far, to resume training.
  virtual void set_steps(std::int64_t steps) = 0;

  /// Updates a dense parameter. The gradient, in the layout of the values, is multiplied by `scale`
  /// (the clipping factor) first.
  virtual void update(DenseParameter& parameter, std::span<const float> gradient,
                      float scale) const = 0;
  /// Updates rows (which may repeat) from the gradients summed in their records, times `scale`, and
  /// makes the records idle again. Skips rows that `owner` does not own.
  virtual void update_rows(EmbeddingTable& table, std::span<const std::uint32_t> rows, float scale,
                           RowOwner owner) const = 0;
  /// Updates every row of the table that `owner` owns, whether it was read or not.
  virtual void update_all_rows(EmbeddingTable& table, float scale, RowOwner owner) const = 0;

 private:
  virtual int states() const = 0;
};

/// Options of a way to fit parameters: by gradients of batches (OptimizerOptions), or by passes
/// over all sessions (EmOptions, CountingOptions).
class FitOptions : public Options {};

/// Options of a type of optimizer, which also build it.
class OptimizerOptions : public FitOptions {
 public:
  double learning_rate = 0.003;
  double weight_decay = 0;
  Choice schedule;
  double clip_norm = 0;
  bool lazy = true;

  OptimizerOptions();
  /// Visits the fields that all optimizers have; rules with more call it first.
  void fields(Fields& f) override;
  virtual std::unique_ptr<Optimizer> build() const = 0;

 private:
  virtual std::string_view weight_decay_help() const {
    return "L2 penalty: adds this times a table row or weight to its gradient.";
  }
};

}  // namespace ultr
