#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "base/threads/number_range.h"
#include "data/log/parallel_shards.h"

namespace ultr {

/// Sums of something over query-document pairs, by position. Several threads add it up, and always
/// in the same order: the sums have the same bits with any number of them.
///
/// ```
/// PairSums<double> examined(counts.rows(), log.positions(), threads);
/// examined.over_rows([&](std::size_t row, std::vector<double>& sums) {
///   for (const auto& cell : counts.row(row)) sums[cell.position] += cell.clicks;
/// });
/// ```
template <class Sum>
class PairSums {
 public:
  PairSums(std::size_t rows, std::size_t positions, int threads)
      : rows_(rows), threads_(threads), parts_((rows + rows_per_part - 1) / rows_per_part) {
    total_.resize(positions);
  }

  /// Calls add(row, sums) once for each row, with sums of its part of the rows by position. Returns
  /// the sums over all rows, valid until the next call.
  template <class Add>
  const std::vector<Sum>& over_rows(const Add& add) {
    for_each_item(threads_, parts_.size(), [&](std::size_t, std::size_t part) {
      parts_[part].assign(total_.size(), Sum());
      const NumberRange rows = part_of(rows_, part, parts_.size());
      for (std::size_t row = rows.first; row < rows.last; ++row) add(row, parts_[part]);
    });
    std::ranges::fill(total_, Sum());
    for (const std::vector<Sum>& part : parts_)
      for (std::size_t k = 0; k < part.size(); ++k) total_[k] += part[k];
    return total_;
  }

 private:
  /// Most rows that one thread takes at a time.
  static constexpr std::size_t rows_per_part = 1024;

  std::size_t rows_;
  int threads_;
  std::vector<std::vector<Sum>> parts_;  // by position
  std::vector<Sum> total_;
};

}  // namespace ultr
