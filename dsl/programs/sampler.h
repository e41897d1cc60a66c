#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "data/log/shard.h"
#include "dsl/model_options.h"
#include "dsl/programs/latent_variable.h"

namespace ultr {

/// Clicks that a model's user made on the lists of a shard, with every variable that is hidden in a
/// real log: "examined", and each coin of the story by the name of its parameter. A parameter that
/// the story tosses twice at a document (to click, and again to go on) has two: "attraction" and
/// "after.attraction". Where a story has more than two ways to go, the way is drawn at once and
/// shows no coin. For a mixture, "component" is the number of the model that the user followed.
struct SampledClicks {
  std::vector<std::uint8_t> clicks;
  std::vector<LatentVariable> latent;

  /// Returns the latent variable with the name. Throws Error if there is none.
  const LatentVariable& variable(const std::string& name) const;
};

/// Samples clicks by tossing the coins of a model's story. Draws depend only on the seed and on the
/// number that the caller gives each session, so any division into shards gives the same clicks.
class ClickSampler {
 public:
  explicit ClickSampler(const TrainableModel& model);
  ~ClickSampler();

  /// Samples the clicks of each session. `numbers[j]` is the number of the shard's j-th session.
  /// The shard's own clicks are ignored.
  SampledClicks sample(const Shard& shard, std::uint64_t seed,
                       std::span<const std::uint64_t> numbers);
  /// Writes the clicks alone, those that `sample` returns: in a fraction of the time if every user
  /// tosses the same coins at every document (SameCoins).
  void sample_clicks(const Shard& shard, std::uint64_t seed, std::span<const std::uint64_t> numbers,
                     std::vector<std::uint8_t>& clicks);

 private:
  class Program;
  Program& program(std::size_t longest);

  const TrainableModel& model_;
  std::vector<std::unique_ptr<Program>> by_length_;
};

}  // namespace ultr
