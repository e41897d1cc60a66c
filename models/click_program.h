#pragma once

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "autograd/tape.h"
#include "data/log/shard.h"
#include "models/model_options.h"

namespace ultr {

/// How a batch's loss is a mean of its documents' negative log-likelihoods.
enum class LossMean : std::uint8_t {
  documents,  // over all documents of the batch
  sessions,   // over the documents of each session, then over sessions
};

/// What a recorded program computes.
enum class ProgramKind : std::uint8_t {
  loss,           // the summed negative log-likelihood of the shard, to differentiate
  training_loss,  // the same with the noise of training, such as dropout
  exact_loss,     // -log P(clicks) of the shard, infinite if a click is impossible under the model
  tosses,         // minus the summed logits of the coins that were tossed (see tossed_logits)
  complete_loss,  // the loss if sessions ended with their last click (see complete_data)
  complete_tosses,  // minus the summed logits of the coins that were tossed then
  conditional,      // log P(click | clicks above) and its complement, a document
  unconditional,    // log P(click) and its complement, a document
  examination,      // log P(examined) and its complement, a document
  predictions,      // the three above, which have much in common
  relevance,        // log of the score to rank by, a document
};

/// A model's story, recorded for shards of one length and replayed on any number of them.
/// Parameters are read where they lie, so updates between runs are seen.
class ClickProgram {
 public:
  ClickProgram(const TrainableModel& model, ProgramKind kind, std::size_t longest,
               Precision precision = Precision::float32, LossMean mean = LossMean::documents);

  /// Runs the program on a shard whose longest list has the program's length. The key matters to
  /// training losses only; `table_rows` as in ShardInputs::bind.
  void run(const Shard& shard, const NoiseKey& key = {},
           std::span<const std::uint32_t> table_rows = {});
  /// See ShardInputs::read_ahead.
  void read_ahead(const Shard& following) { inputs_.read_ahead(following); }
  /// Of a loss program, after run: Σ over documents of -log P(what the user did), in the shard;
  /// with LossMean::sessions Σ over sessions of the mean over their documents.
  double loss() const { return loss_->item(); }
  /// Computes `seed` * d loss / d parameters; read them from the tape.
  void backward(double seed) { tape_.backward(*loss_, seed); }
  const Tape& tape() const { return tape_; }
  /// What it depends on besides features and clicks.
  const ShardInputs& inputs() const { return inputs_; }
  /// See Tape::hold_stopped.
  void hold_stopped(bool on) { tape_.hold_stopped(on); }

  /// Of the other programs, after run: log p and log(1-p) of each document, in the shard's order.
  std::vector<double> log_p() const { return events_.at(0).log_p.values(); }
  std::vector<double> log_complement() const { return events_.at(0).log_complement.values(); }
  /// Of a program of predictions, after run: the same of one of the three.
  std::vector<double> log_p(ProgramKind event) const { return event_of(event).log_p.values(); }
  std::vector<double> log_complement(ProgramKind event) const {
    return event_of(event).log_complement.values();
  }

 private:
  /// What a program predicts of each document.
  struct Event {
    ProgramKind kind;
    Tensor log_p, log_complement;
  };
  /// Throws Error if it is none of the program's.
  const Event& event_of(ProgramKind kind) const;

  Tape tape_;
  ShardInputs inputs_;
  ProbGraph probabilities_;
  std::optional<Tensor> loss_;
  std::vector<Event> events_;
};

/// The programs of one kind for one worker, recorded when a shard of a new length comes by.
class ClickPrograms {
 public:
  ClickPrograms(const TrainableModel& model, ProgramKind kind,
                Precision precision = Precision::float32, LossMean mean = LossMean::documents)
      : model_(model), kind_(kind), precision_(precision), mean_(mean) {}

  /// Runs the fitting program and returns it. `next`, if not null, is the shard that will be run
  /// after this one (see ClickProgram::read_ahead); not together with table rows.
  ClickProgram& run(const Shard& shard, const NoiseKey& key = {},
                    std::span<const std::uint32_t> table_rows = {}, const Shard* next = nullptr);

 private:
  const TrainableModel& model_;
  ProgramKind kind_;
  Precision precision_;
  LossMean mean_;
  std::vector<std::unique_ptr<ClickProgram>> by_length_;
};

/// Programs of one kind in float32 for each of `workers` that run at the same time.
std::vector<ClickPrograms> programs_for_workers(const TrainableModel& model, ProgramKind kind,
                                                int workers, LossMean mean = LossMean::documents);

}  // namespace ultr
