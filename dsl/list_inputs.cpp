#include "dsl/list_inputs.h"

#include "autograd/ops/segments.h"
#include "base/error.h"

namespace ultr {

ListInputs::ListInputs(Tape& tape, Extent documents, Extent sessions)
    : tape_(tape),
      documents_(documents),
      sessions_(sessions),
      offset_count_(tape.extent(sessions.capacity() + 1)) {}

Index ListInputs::recorded(std::optional<BoundIndex>& index) {
  if (!index) index = BoundIndex{tape_.index(documents_), {}};
  return index->index;
}

Segments ListInputs::segments() {
  if (!segments_) segments_ = make_segments(tape_, offset_count_, sessions_);
  return *segments_;
}

Index ListInputs::order() { return recorded(order_); }
Index ListInputs::positions() { return recorded(positions_); }
Index ListInputs::first_documents() { return recorded(first_documents_); }
Index ListInputs::list_numbers() { return recorded(list_numbers_); }

Index ListInputs::pairs_at_positions(std::size_t position_count) {
  position_count_ = static_cast<std::uint32_t>(position_count);
  return recorded(pairs_at_positions_);
}

Tensor ListInputs::targets() {
  if (!targets_) targets_ = tape_.input(Shape::vector(documents_));
  return *targets_;
}

Tensor ListInputs::propensities() {
  if (!propensities_) propensities_ = tape_.input(Shape::vector(documents_));
  return *propensities_;
}

void ListInputs::bind(const Shard& shard) {
  offsets_.assign(1, 0);
  numbers_.clear();
  for (std::size_t j = 0; j < shard.sessions(); ++j) {
    for (std::size_t k = 0; j < shard.count(k); ++k)
      numbers_.push_back(shard.begin(k) + static_cast<std::uint32_t>(j));
    offsets_.push_back(static_cast<std::uint32_t>(numbers_.size()));
  }
  tape_.bind(offset_count_, static_cast<std::int64_t>(offsets_.size()));
  if (segments_) tape_.bind(segments_->offsets, offsets_);
  if (order_) tape_.bind(order_->index, numbers_);
  if (positions_) {
    positions_->values.clear();
    for (const std::uint32_t i : numbers_) positions_->values.push_back(shard.positions()[i]);
    tape_.bind(positions_->index, positions_->values);
  }
  if (pairs_at_positions_) {
    pairs_at_positions_->values.clear();
    for (const std::uint32_t i : numbers_)
      pairs_at_positions_->values.push_back(shard.rows()[i] * position_count_ +
                                            shard.positions()[i]);
    tape_.bind(pairs_at_positions_->index, pairs_at_positions_->values);
  }
  if (first_documents_) {
    std::vector<std::uint32_t>& first = first_documents_->values;
    first.clear();
    for (std::size_t j = 0; j < shard.sessions(); ++j) first.resize(offsets_[j + 1], offsets_[j]);
    tape_.bind(first_documents_->index, first);
  }
  if (list_numbers_) {
    std::vector<std::uint32_t>& lists = list_numbers_->values;
    lists.clear();
    for (std::size_t j = 0; j < shard.sessions(); ++j)
      lists.resize(offsets_[j + 1], static_cast<std::uint32_t>(j));
    tape_.bind(list_numbers_->index, lists);
  }
  if (targets_) {
    target_values_.clear();
    for (const std::uint32_t i : numbers_)
      target_values_.push_back(shard.targets().empty() ? static_cast<float>(shard.clicks()[i])
                                                       : shard.targets()[i]);
    tape_.bind(*targets_, target_values_);
  }
  if (propensities_) {
    if (shard.propensities().size() != numbers_.size())
      throw DataError("the sessions have no propensities of the policy that logged them");
    propensity_values_.clear();
    for (const std::uint32_t i : numbers_) propensity_values_.push_back(shard.propensities()[i]);
    tape_.bind(*propensities_, propensity_values_);
  }
}

}  // namespace ultr
