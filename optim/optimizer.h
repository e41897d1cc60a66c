#pragma once

#include <memory>
#include <span>
#include <vector>

#include "layers/parameter.h"
#include "options/fields.h"

namespace ultr {

/// Changes parameters against their gradients.
///
/// A step is `begin_step`, then one update of each parameter. Dense parameters are updated as a
/// whole. Tables are updated lazily or densely:
///
/// - lazily, only rows that the step read are touched, so a step costs the same in a table of any
///   size. What the rule would do to a row with gradient 0 is left undone: a row's moments do not
///   decay and its weights do not shrink in steps that do not read it (as SparseAdam and lazy AdamW
///   elsewhere), while bias corrections count all steps. Lazy and dense agree exactly where
///   gradient 0 changes nothing: SGD without momentum and Adagrad, both without weight decay; and
///   for every rule when each step reads every row.
/// - densely, every row is updated in every step, as the rule is written in its paper.
class Optimizer {
 public:
  virtual ~Optimizer() = default;

  /// Gives the parameters room for this optimizer's state, all 0.
  void attach(std::span<Parameter* const> parameters) const;
  /// Starts the next step, with the learning rate of the schedule.
  virtual void begin_step(double learning_rate) = 0;
  /// Steps begun so far. They, and the states of the parameters, are all that it remembers of them.
  virtual std::int64_t steps() const = 0;
  /// Goes on as after so many steps.
  virtual void set_steps(std::int64_t steps) = 0;

  /// gradient: laid out like the values; multiplied by `scale` (the clipping factor) first.
  virtual void update(DenseParameter& parameter, std::span<const float> gradient,
                      float scale) const = 0;
  /// Updates the rows (which may repeat) whose summed gradients lie in their records, and makes the
  /// records idle again; of the rows that `owner` owns.
  virtual void update_rows(EmbeddingTable& table, std::span<const std::uint32_t> rows, float scale,
                           RowOwner owner) const = 0;
  /// Updates every row of the table that `owner` owns, read or not.
  virtual void update_all_rows(EmbeddingTable& table, float scale, RowOwner owner) const = 0;

 private:
  virtual int states() const = 0;
};

/// The options of a way to fit parameters: by the gradients of batches (OptimizerOptions), or by
/// passes over all sessions (EmOptions, CountingOptions).
class FitOptions : public Options {};

/// The options of a type of optimizer, which also build it.
class OptimizerOptions : public FitOptions {
 public:
  double learning_rate = 0.003;
  double weight_decay = 0;
  Choice schedule;
  double clip_norm = 0;
  bool lazy = true;

  OptimizerOptions();
  virtual std::unique_ptr<Optimizer> build() const = 0;

 protected:
  /// The fields all optimizers have.
  void common_fields(Fields& f, std::string_view weight_decay_help);
};

/// L2 regularisation, in the words of the help.
inline constexpr std::string_view l2_help =
    "L2 penalty: adds this times a table row or weight to its gradient.";

}  // namespace ultr
