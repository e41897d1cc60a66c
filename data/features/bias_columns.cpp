#include "data/features/bias_columns.h"

#include <algorithm>

#include <fmt/core.h>

#include "options/config_tree.h"

namespace ultr {

BiasColumns::BiasColumns(std::span<const std::int64_t> numbers, std::size_t features)
    : count_(numbers.size()) {
  if (numbers.empty()) return;
  std::vector<bool> is_bias(features);
  for (const std::int64_t number : numbers) {
    if (number < 1 || number > static_cast<std::int64_t>(features))
      throw ConfigError(fmt::format("data.bias_features has {}; the data have features 1 to {}",
                                    number, features));
    const auto column = static_cast<std::size_t>(number - 1);
    if (is_bias[column])
      throw ConfigError(fmt::format("data.bias_features has {} twice; expected each once", number));
    is_bias[column] = true;
  }
  if (count_ == features)
    throw ConfigError(
        "data.bias_features has all features; expected some to be left for relevance");
  for (const bool wanted : {false, true})
    for (std::size_t column = 0; column < features; ++column)
      if (is_bias[column] == wanted) order_.push_back(column);
}

void BiasColumns::move_last(std::span<float> rows) const {
  if (empty()) return;
  std::vector<float> moved(order_.size());
  for (; !rows.empty(); rows = rows.subspan(order_.size())) {
    for (std::size_t c = 0; c < order_.size(); ++c) moved[c] = rows[order_[c]];
    std::copy(moved.begin(), moved.end(), rows.begin());
  }
}

FeatureLists BiasColumns::move_last(const FeatureLists& lists) const {
  if (empty()) return lists;
  return lists.with_features([&](std::span<float> rows) { move_last(rows); });
}

}  // namespace ultr
