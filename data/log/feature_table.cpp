#include "data/log/feature_table.h"

#include <algorithm>
#include <vector>

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

FeatureTable FeatureTable::of_rows(std::span<const std::uint32_t> rows) const {
  std::vector<float> values(static_cast<std::size_t>(count_));  // row 0 is zero
  for (const std::uint32_t row : rows) {
    const std::span<const float> from = this->row(row);
    values.insert(values.end(), from.begin(), from.end());
  }
  FeatureTable table(std::move(values), count_, bias_count_, may_miss_);
  if (!tokens_.empty()) {
    TokenColumnsBuilder words;
    for (const std::uint32_t row : rows) words.add(tokens_[row]);
    table.set_tokens({words.build(), tokens_.vocabulary()});
  }
  return table;
}

ParameterView FeatureTable::view(std::int64_t first, std::int64_t columns) const {
  return {values_.values().data() + first, Precision::float32, rows_, columns, count_};
}

}  // namespace ultr
