#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "data/features/lambdamart.h"
#include "data/log/feature_table.h"

namespace ultr {

/// Lists of documents of a feature table, with their relevance features.
struct LabelledRows {
  std::size_t feature_count;
  std::vector<float> features{};
  std::vector<std::uint32_t> sizes{};
  std::vector<std::int32_t> labels{};

  /// The table must outlive these lists.
  explicit LabelledRows(const FeatureTable& table)
      : feature_count(static_cast<std::size_t>(table.relevance_count())), table_(&table) {}

  /// Adds a list of one document per row, unless there are none.
  void add(std::span<const std::uint32_t> rows, std::span<const std::int32_t> its_labels) {
    if (rows.empty()) return;
    for (const std::uint32_t row : rows) {
      const auto its = table_->row(row).first(feature_count);
      features.insert(features.end(), its.begin(), its.end());
    }
    labels.insert(labels.end(), its_labels.begin(), its_labels.end());
    sizes.push_back(static_cast<std::uint32_t>(rows.size()));
  }
  LabelledLists lists() const {
    return {.features = features,
            .feature_count = feature_count,
            .list_sizes = sizes,
            .labels = labels};
  }

 private:
  const FeatureTable* table_;
};

/// Returns the trees' score of the document in each row.
inline std::vector<double> scores_of_rows(const LambdaMart& trees, const FeatureTable& table,
                                          std::span<const std::uint32_t> rows) {
  LabelledRows list(table);
  list.add(rows, {});
  return trees.score(list.features);
}

}  // namespace ultr
