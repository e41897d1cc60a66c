#include "studies/study_table.h"

#include <fmt/format.h>

namespace ultr {

StudyCell StudyTable::cell(const StudyMeasure& measure, std::span<const std::size_t> points) const {
  StudyCell cell;
  for (const std::size_t p : points) {
    std::vector<double> numbers;
    if (is_open()) {
      numbers = {1};
    } else if (const auto& metrics = runs[p].metrics; metrics.contains(measure.path)) {
      numbers = {metrics.at(measure.path)};
    } else {
      const auto next = [&] {
        return metrics.find(fmt::format("{}.{}", measure.path, numbers.size() + 1));
      };
      for (auto found = next(); found != metrics.end(); found = next())
        numbers.push_back(found->second);
      cell.list |= !numbers.empty();
    }
    if (!numbers.empty()) cell.by_seed[study.points[p].seed()] = std::move(numbers);
  }
  return cell;
}

}  // namespace ultr
