#pragma once

#include <cstddef>
#include <vector>

#include "base/threads/number_range.h"
#include "data/log/pair_position_counts.h"
#include "data/log/parallel_shards.h"

namespace ultr {

/// Returns sums of something over query-document pairs, by position. Calls add(row, sums) once for
/// each row, with sums of its part of the rows. Several threads add it up, and always in the same
/// order: the sums have the same bits with any number of them.
///
/// ```
/// const auto clicks = sum_over_pairs<double>(counts, threads, [&](std::size_t row, auto& sums) {
///   for (const auto& cell : counts.row(row)) sums[cell.position] += cell.clicks;
/// });
/// ```
template <class Sum, class Add>
std::vector<Sum> sum_over_pairs(const PairPositionCounts& counts, int threads, const Add& add) {
  constexpr std::size_t rows_per_part = 1024;  // at most
  std::vector<std::vector<Sum>> parts((counts.rows() + rows_per_part - 1) / rows_per_part);
  for_each_item(threads, parts.size(), [&](std::size_t, std::size_t part) {
    parts[part].resize(counts.positions());
    const NumberRange rows = part_of(counts.rows(), part, parts.size());
    for (std::size_t row = rows.first; row < rows.last; ++row) add(row, parts[part]);
  });
  std::vector<Sum> total(counts.positions());
  for (const std::vector<Sum>& part : parts)
    for (std::size_t k = 0; k < total.size(); ++k) total[k] += part[k];
  return total;
}

}  // namespace ultr
