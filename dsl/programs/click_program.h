#pragma once

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "autograd/tape/tape.h"
#include "data/log/shard.h"
#include "dsl/model_options.h"
#include "dsl/programs/chain_conditionals.h"
#include "dsl/programs/chain_marginals.h"
#include "metrics/click_metrics.h"

namespace ultr {

/// The mean of documents' negative log-likelihoods that a batch's loss is.
enum class LossMean : std::uint8_t {
  documents,  // over all documents of the batch
  sessions,   // over the documents of each session, then over sessions
};

/// The output of a recorded program.
enum class ProgramKind : std::uint8_t {
  // Sums to differentiate.
  loss,           // the summed negative log-likelihood of the shard
  training_loss,  // the same with training noise, such as dropout, and with the loss of masked
                  // words (MaskedWordTask::weight)
  exact_loss,     // -log P(clicks) of the shard, infinite if a click is impossible under the model
  curvature,      // Σ c x over the scores x of FeatureScorers, whose curvature c is held constant,
                  // with training noise: its gradient is c (see ClickModel::curvature)
  tosses,         // minus the summed logits of the coins that were tossed (see tossed_logits)
  complete_loss,  // the loss if sessions ended with their last click (see complete_data)
  complete_tosses,  // minus the summed logits of the coins tossed in such sessions
  // Numbers per document.
  conditional,    // log P(click | clicks above) and its complement, per document
  unconditional,  // log P(click) and its complement, per document
  examination,    // log P(examined) and its complement, per document
  predictions,    // what an evaluation reads of the three above, which share most of their work:
  // likelihoods of clicks, conditional and unconditional ones, and p of clicks given
  // those above and of examination
  likelihoods,  // only the likelihoods
  relevance,    // log of the score to rank by, per document
};

/// A model's story, recorded for shards of one length and replayed on any number of them. The
/// program reads parameters in place, so a run sees updates made since the last one.
class ClickProgram {
 public:
  /// The program for shards whose sessions have weights, or for others.
  enum class Weights : std::uint8_t { none, of_sessions };

  /// `encoders`: see ShardInputs. Throws Error if the program needs more memory than is available.
  ClickProgram(const TrainableModel& model, ProgramKind kind, std::size_t longest,
               Precision precision = Precision::float32, LossMean mean = LossMean::documents,
               Weights weights = Weights::none,
               std::shared_ptr<SequencePrograms> encoders = nullptr);

  /// Runs the program on a shard whose longest list has the program's length. Only training losses
  /// use the key. `table_rows`: see ShardInputs::bind.
  void run(const Shard& shard, const NoiseKey& key = {},
           std::span<const std::uint32_t> table_rows = {});
  /// See ShardInputs::prefetch_rows.
  void prefetch_rows(const Shard& following) { inputs_.prefetch_rows(following); }
  /// After a run of a loss program: Σ over the shard's documents of -log P(observed click or skip).
  /// With LossMean::sessions: Σ over sessions of the mean over their documents. If sessions have
  /// weights, each counts by its own.
  double loss() const { return loss_->item(); }
  /// Computes `seed` * d loss / d parameters; read them from the tape.
  void backward(double seed) { tape_.backward(*loss_, seed); }
  /// The recorded program, from which gradients are read.
  const Tape& tape() const { return tape_; }
  /// The program's inputs, which tell whether it depends on anything besides features and clicks.
  const ShardInputs& inputs() const { return inputs_; }
  /// See Tape::freeze_stopped_values.
  void freeze_stopped_values(bool on) { tape_.freeze_stopped_values(on); }

  /// After a run of a program for one event: log p and log(1-p) of each document, in the shard's
  /// order. Throws Error if the program predicts several.
  std::vector<double> log_p() const;
  std::vector<double> log_complement() const;
  /// After a run of a predictions program: returns p of a conditional click or of examination at
  /// each document, until the next run; `memory` may be used for it. Throws Error for others.
  std::span<const double> p(ProgramKind event, std::vector<double>& memory) const;
  /// After a run of a program that predicts the event, a click: returns the likelihood of each
  /// document, that of a click where one happened, and of none elsewhere, until the next run. They
  /// are logarithms if the event is on the tape, which is exact in log space. `memory` may be used
  /// for them. Throws Error if the program does not predict the event.
  Likelihoods likelihoods(ProgramKind event, std::span<const std::uint8_t> happened,
                          std::vector<double>& memory) const;
  /// True if clicks do not depend on clicks above, so that conditional and unconditional
  /// predictions are the same numbers.
  bool has_independent_clicks() const { return !marginals_ && !conditionals_; }

  /// Returns the bytes that the program holds, or will once it has run.
  std::size_t memory() const;

 private:
  /// A predicted event on the tape.
  struct Event {
    ProgramKind kind;
    Tensor log_p, log_complement;
    std::optional<Tensor> p;  // if a predictions program has it
  };
  void record_predictions(const ClickModel& story, const Session& session, std::size_t positions);
  /// Returns null if the event is not on the tape.
  const Event* find(ProgramKind event) const;
  /// Returns the probabilities of an event that is not on the tape. Throws Error if the program
  /// does not predict it.
  const EventProbabilities& probabilities(ProgramKind event) const;

  ProgramKind kind_;
  Tape tape_;
  ShardInputs inputs_;
  ProbGraph probabilities_;
  std::optional<Tensor> loss_;
  std::vector<Event> events_;
  std::optional<ChainConditionals> conditionals_;
  std::optional<ChainMarginals> marginals_;
};

/// The programs of one kind for one worker. A program is recorded when the first shard of its
/// length arrives.
class ClickPrograms {
 public:
  ClickPrograms(const TrainableModel& model, ProgramKind kind,
                Precision precision = Precision::float32, LossMean mean = LossMean::documents)
      : model_(model), kind_(kind), precision_(precision), mean_(mean) {}

  /// Runs the program for the shard's length and returns it. `next`, if not null, is the shard that
  /// will be run after this one (see ClickProgram::prefetch_rows); it cannot be combined with table
  /// rows.
  ClickProgram& run(const Shard& shard, const NoiseKey& key = {},
                    std::span<const std::uint32_t> table_rows = {}, const Shard* next = nullptr);

 private:
  const TrainableModel& model_;
  ProgramKind kind_;
  Precision precision_;
  LossMean mean_;
  using ByLength = std::vector<std::unique_ptr<ClickProgram>>;
  ByLength by_length_, weighted_by_length_;
  std::shared_ptr<SequencePrograms> encoders_ = std::make_shared<SequencePrograms>();
};

/// Returns float32 programs of one kind, one ClickPrograms per worker, for `workers` that run at
/// the same time.
std::vector<ClickPrograms> programs_for_workers(const TrainableModel& model, ProgramKind kind,
                                                int workers, LossMean mean = LossMean::documents);

}  // namespace ultr
