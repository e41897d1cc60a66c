#include "data/log/feature_table.h"

#include <algorithm>

#include <fmt/core.h>

#include "base/error.h"

namespace ultr {

FeatureTable::FeatureTable(Column<float> values, std::int64_t count, std::int64_t bias_count,
                           bool may_miss)
    : values_(std::move(values)), count_(count), bias_count_(bias_count), may_miss_(may_miss) {
  const auto size = static_cast<std::int64_t>(values_.size());
  if (count < 1 || size == 0 || size % count != 0)
    throw DataError(fmt::format("features: {} numbers do not fill rows of {}", size, count));
  rows_ = size / count;
  const std::span<const float> unknown = row(0);
  if (std::any_of(unknown.begin(), unknown.end(), [](float x) { return x != 0; }))
    throw DataError("features: the row of the unknown pair is not zero");
}

void FeatureTable::set_tokens(TokenTable tokens) {
  if (!tokens.empty() && tokens.rows() != rows_)
    throw DataError(fmt::format("tokens: words of {} documents; expected those of {}, as features",
                                tokens.rows() - 1, rows_ - 1));
  tokens_ = std::move(tokens);
}

ParameterView FeatureTable::view(std::int64_t first, std::int64_t columns) const {
  return {values_.values().data() + first, Precision::float32, rows_, columns, count_};
}

}  // namespace ultr
