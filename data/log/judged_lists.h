#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/error.h"

namespace ultr {

/// Lists of query-document pairs with human relevance judgements.
class JudgedLists {
 public:
  /// Adds a list: `rows` are its pairs' rows in the dictionary, `labels` are as in
  /// metrics/ranking_metrics.h with -2 = unjudged, and `query` is the query's id in the data.
  /// Throws DataError unless there are as many labels as rows.
  void add(std::span<const std::uint32_t> rows, std::span<const int> labels,
           std::uint64_t query = 0) {
    if (rows.size() != labels.size())
      throw DataError("a judged list needs as many labels as documents");
    rows_.insert(rows_.end(), rows.begin(), rows.end());
    labels_.insert(labels_.end(), labels.begin(), labels.end());
    begin_.push_back(rows_.size());
    queries_.push_back(query);
  }

  std::size_t size() const { return begin_.size() - 1; }
  /// Rows in the dictionary of a list's pairs, in displayed order.
  std::span<const std::uint32_t> rows(std::size_t list) const {
    return std::span(rows_).subspan(begin_[list], begin_[list + 1] - begin_[list]);
  }
  std::span<const int> labels(std::size_t list) const {
    return std::span(labels_).subspan(begin_[list], begin_[list + 1] - begin_[list]);
  }
  std::uint64_t query(std::size_t list) const { return queries_[list]; }

 private:
  std::vector<std::size_t> begin_ = {0};
  std::vector<std::uint32_t> rows_;
  std::vector<int> labels_;
  std::vector<std::uint64_t> queries_;
};

}  // namespace ultr
