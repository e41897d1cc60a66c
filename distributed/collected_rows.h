#pragma once

#include <cstdint>
#include <functional>
#include <span>

#include "distributed/divided_tables.h"

namespace ultr {

/// Calls `use(values)` in process 0 with the values of all rows of a divided table, chunk by chunk,
/// in the order of the rows. `pairs` is the number of pairs that have rows. All processes must call
/// this.
void collect_rows(Communicator& processes, const DividedTable& divided, std::int64_t pairs,
                  const std::function<void(std::span<const float>)>& use);

/// Calls `use(numbers)` in every process with a number per row of a divided table, chunk by chunk,
/// in the order of the rows. `pairs` is the number of pairs that have rows, `own` the numbers of
/// the rows that this process holds. All processes must call this.
void collect_numbers(Communicator& processes, const DividedTable& divided, std::int64_t pairs,
                     std::span<const double> own,
                     const std::function<void(std::span<const double>)>& use);

}  // namespace ultr
