#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "autograd/tape/tape.h"
#include "data/log/shard.h"
#include "dsl/programs/chain_conditionals.h"
#include "dsl/trainable_model.h"

namespace ultr {

/// A model's story, recorded for shards of one length, and differentiated document by document: the
/// scores ∂ log P(click or skip at a rank | clicks above) / ∂ (logit of a layer at a document), in
/// float64.
class ScoreProgram {
 public:
  ScoreProgram(const TrainableModel& model, std::size_t longest);

  /// Runs the story on a shard whose longest list has the program's length. The shard must live
  /// until the scores have been read.
  void run(const Shard& shard);

  /// True if a click depends on its own document alone. The scores of all ranks are then computed
  /// in one pass, else in one pass per rank.
  bool is_memoryless() const { return losses_.size() == 1; }
  std::size_t passes() const { return losses_.size(); }
  /// Computes the scores of a pass. Pass k is of the click or skip at rank k.
  void differentiate(std::size_t pass);
  /// After `differentiate`: the scores with respect to the logits of layer `layer` of the model at
  /// each document of the shard.
  std::span<const double> scores(std::size_t layer) const { return gradients_[layer]; }
  /// After `run`: sqrt(P(seen) / P(not seen)) of the click or skip at each document, by which a
  /// score is multiplied to get dp / sqrt(p (1-p)); 0 if it was certain or impossible.
  std::span<const double> weights() const { return weights_; }
  /// After `run`: how often the coin of a layer was tossed at each document (see tossed_logits).
  /// Empty if the story is not made of independent coins.
  std::span<const double> tosses(std::size_t layer) const;

 private:
  /// Adds up the gradients of the last backward pass: one vector per layer.
  void read_gradients(std::vector<std::vector<double>>& to) const;

  const TrainableModel& model_;
  Tape tape_;
  ShardInputs inputs_;
  ProbGraph probabilities_;
  std::optional<ChainConditionals> click_;
  std::optional<Tensor> tossed_;
  std::vector<Tensor> losses_;
  std::size_t documents_ = 0;
  std::vector<double> weights_;
  std::vector<std::vector<double>> gradients_, tosses_;  // [layer][document]
};

}  // namespace ultr
