#pragma once

#include <cstdint>
#include <numeric>
#include <vector>

#include "autograd/ops/gather.h"
#include "layers/compression.h"

namespace ultr::testing {

/// Computes the rows that entries 0 to entries-1 read from one of a compression's tables.
inline std::vector<std::uint32_t> listed_rows(const Compression& compression, std::size_t table,
                                              std::int64_t entries) {
  Tape tape(Precision::float64);
  std::vector<std::uint32_t> all(static_cast<std::size_t>(entries));
  std::iota(all.begin(), all.end(), 0u);
  const Index index = tape.index(entries);
  tape.bind(index, all);
  // A table whose row i holds the number i.
  std::vector<double> numbers(static_cast<std::size_t>(compression.tables()[table].rows));
  std::iota(numbers.begin(), numbers.end(), 0.0);
  const Tensor rows =
      tape.constant(Shape::vector(static_cast<std::int64_t>(numbers.size())), numbers);
  const auto read = take(rows, compression.rows(table, index)).values();
  return {read.begin(), read.end()};
}

}  // namespace ultr::testing
