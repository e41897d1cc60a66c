#pragma once

#include <optional>
#include <vector>

#include "autograd/tape/tape.h"
#include "data/log/shard.h"

namespace ultr {

/// The symbolic inputs of losses over whole lists: a shard's documents list by list, whereas the
/// shard stores them rank by rank. Lists stand in the shard's order, documents from the top. Each
/// input is recorded when first asked for and bound with the other inputs of the shard.
class ListInputs {
 public:
  ListInputs(Tape& tape, Extent documents, Extent sessions);
  ListInputs(const ListInputs&) = delete;
  ListInputs& operator=(const ListInputs&) = delete;

  /// The lists as segments of a vector in list order.
  Segments segments();
  /// The number in the shard of each document in list order. take(x, order()) brings a vector of
  /// the shard into list order.
  Index order();
  /// Displayed positions, 0-based, in list order.
  Index positions();
  /// For each document in list order, the number, in list order, of the first document of its list.
  Index first_documents();
  /// The number of each document's list, in list order.
  Index list_numbers();
  /// For each document in list order, row * position_count + displayed position, where row is that
  /// of its query-document pair in the dictionary. Unlike rows of the model's tables, it is the
  /// same in all processes that train a model together. All calls must give the same
  /// `position_count`.
  Index pairs_at_positions(std::size_t position_count);
  /// The targets to learn, in list order: the log's targets, or clicks as 0 or 1.
  Tensor targets();
  /// The logging policy's propensities, in list order. The shard must have them.
  Tensor propensities();

  /// True if displayed positions were asked for.
  bool uses_positions() const { return positions_ || pairs_at_positions_; }
  /// Binds every input that was asked for. Throws DataError if propensities were asked for and the
  /// shard has none.
  void bind(const Shard& shard);

 private:
  struct BoundIndex {
    Index index;
    std::vector<std::uint32_t> values;
  };
  Index recorded(std::optional<BoundIndex>& index);

  Tape& tape_;
  Extent documents_, sessions_, offset_count_;
  std::optional<Segments> segments_;
  std::vector<std::uint32_t> offsets_, numbers_;  // list starts; documents' numbers in the shard
  std::optional<BoundIndex> order_, positions_, first_documents_, list_numbers_;
  std::optional<BoundIndex> pairs_at_positions_;
  std::uint32_t position_count_ = 0;  // of pairs_at_positions_
  std::optional<Tensor> targets_, propensities_;
  std::vector<float> target_values_, propensity_values_;
};

}  // namespace ultr
