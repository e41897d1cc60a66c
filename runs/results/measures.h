#pragma once

#include <string_view>
#include <vector>

#include "metrics/measure.h"

/// Every measure that a run reports.
namespace ultr {

/// The measures of one table.
struct MeasureGroup {
  std::string_view title;  // what they measure, and their section in results.json
  std::vector<Measure> measures;
};

/// Returns the measures of click predictions, rankings and runs.
std::vector<MeasureGroup> all_measures();

/// Returns the direction of a path in results.json, such as `test.ranking.ndcg@10` or
/// `test.ppl_per_rank.3`; `neither` if no group has the measure.
Better better_of(std::string_view path, const std::vector<MeasureGroup>& groups = all_measures());

}  // namespace ultr
