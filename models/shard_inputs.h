#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "autograd/dropout.h"
#include "autograd/tape.h"
#include "data/log/feature_table.h"
#include "data/log/shard.h"
#include "layers/logit_layer.h"
#include "models/list_inputs.h"

namespace ultr {

/// Whether a program is disturbed by random numbers, as training with dropout is.
enum class Noise : std::uint8_t { off, on };

/// Which random numbers a run of a program with noise uses.
struct NoiseKey {
  std::uint64_t seed = 0;
  std::uint32_t step = 0;   // of training
  std::uint32_t shard = 0;  // number of the shard in the step's batch
};

/// The symbolic inputs of a program for shards whose longest list has a given length: extents,
/// ranges of ranks, masks and indices, recorded once and bound to a shard before each run. What a
/// program does not ask for is not bound.
class ShardInputs {
 public:
  /// `longest`: documents of the longest list; `positions`: displayed positions the model knows;
  /// `features`: of the query-document pairs.
  ShardInputs(Tape& tape, std::size_t longest, std::size_t positions, FeatureTable features = {},
              Noise noise = Noise::off);
  ShardInputs(const ShardInputs&) = delete;
  ShardInputs& operator=(const ShardInputs&) = delete;

  Tape& tape() const { return tape_; }
  std::size_t longest() const { return longest_; }
  Extent documents() const { return documents_; }
  Extent sessions() const { return count_[0]; }

  /// Documents at rank k (0-based).
  Range rank(std::size_t k) const { return {begin_[k], count_[k], {}}; }
  /// Documents at rank k that are not the last of their list.
  Range continuing(std::size_t k);
  /// Of a vector over the sessions that reach rank k, those that go on to rank k + 1.
  Range continuing_sessions(std::size_t k) const { return {0, count_[k + 1], {}}; }
  /// Of a vector over all sessions, or those that reach rank k, those whose list ends there.
  Range ending_sessions(std::size_t k) const { return {count_[k + 1], ending_[k], {}}; }

  Mask clicked();
  /// Documents that are not the last of their list.
  Mask continues();
  /// Documents at or above the last click of their list; all of a list without clicks.
  Mask until_last_click();
  /// The last clicked document of each list.
  Mask last_click();
  /// The index [0]: the entry of the global domain, one for all documents together.
  Index only_entry();
  Index rows();
  Index positions();
  /// row * positions + position.
  Index rows_at_positions();
  /// position * (positions + 1) + 1 + position of the last click above (0 + none).
  Index position_pairs();
  /// The same if the last click had been at rank k (0-based), or nowhere (nullopt). For documents
  /// at rank k and above it means nothing and points to the pair without a click.
  Index position_pairs(std::optional<std::size_t> last_click);

  /// The same documents list by list.
  ListInputs& lists();
  /// What Inputs::features says. Throws Error for those of documents if there are none.
  Tensor features(Domain domain);
  /// The key of the run's random numbers; nothing if there is no noise.
  std::optional<Index> noise() const { return noise_; }

  /// Whether what was asked for, as far as the outputs need it (Tape::require), depends on the
  /// dictionary's numbers of query-document pairs (not on their features alone).
  bool uses_rows() const { return needed(rows_) || needed(rows_at_positions_); }
  /// Whether it depends on displayed positions.
  bool uses_positions() const;

  /// Binds everything that was asked for; features are the shard's own, if it has any. `table_rows`
  /// are the rows that its documents have in tables, if those are not Shard::rows
  /// (DividedTables). The shard
  /// must have `longest` ranks (or fewer, if the program does not go through them) and must live
  /// until the program has run. Throws DataError if a displayed position that is needed is beyond
  /// `positions`, or if the shard's features are not as many as the model's or there are none of a
  /// document.
  void bind(const Shard& shard, const NoiseKey& key = {},
            std::span<const std::uint32_t> table_rows = {});
  /// While the program runs next, fetches the rows of the pairs of the shard that it will run on
  /// after that, which must live until then. Only for speed.
  void read_ahead(const Shard& following);

 private:
  struct PairIndex {
    std::optional<std::size_t> last_click;
    Index index;
    std::vector<std::uint32_t> values;
    std::vector<Run> runs;  // the same, of an assumed click where lists have no gap
  };

  bool needed(const std::optional<Index>& index) const {
    return index && tape_.node(index->node).demand.needed;
  }
  Index feature_rows();
  void bind_features(const Shard& shard);
  void bind_last_clicks(const Shard& shard);

  Tape& tape_;
  std::size_t longest_, position_count_;
  Extent documents_;
  std::vector<Extent> begin_, count_, ending_;
  std::optional<Mask> clicked_, continues_, until_last_click_, last_click_;
  std::vector<std::uint8_t> until_last_click_values_, last_click_values_;
  std::optional<Index> only_entry_, rows_, feature_rows_, positions_, rows_at_positions_;
  std::vector<std::uint32_t> rows_at_positions_values_;
  std::optional<PairIndex> observed_pairs_;
  std::vector<PairIndex> assumed_pairs_;
  std::optional<ListInputs> lists_;
  FeatureTable feature_table_;
  ParameterView relevance_view_, bias_view_;
  std::map<Domain, Tensor> features_;
  std::optional<Index> noise_;
  std::array<std::uint32_t, dropout_key_words> noise_values_{};
};

}  // namespace ultr
