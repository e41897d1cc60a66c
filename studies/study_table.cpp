#include "studies/study_table.h"

#include <algorithm>

#include <fmt/format.h>

namespace ultr {

StudyCell StudyTable::cell(const StudyMeasure& measure, std::span<const std::size_t> points) const {
  StudyCell cell;
  std::map<std::string, double> repetitions;
  for (const std::size_t p : points) {
    std::vector<double> numbers;
    if (is_open()) {
      numbers = {1};
    } else if (const auto& metrics = runs[p].metrics; metrics.contains(measure.path)) {
      numbers = {metrics.at(measure.path)};
    } else {
      const auto entry = [&] { return fmt::format("{}.{}", measure.path, numbers.size() + 1); };
      while (metrics.contains(entry())) numbers.push_back(metrics.at(entry()));
      cell.list |= !numbers.empty();
    }
    if (numbers.empty()) continue;
    std::vector<double>& sums = cell.by_seed[study.points[p].seed()];
    if (++repetitions[study.points[p].seed()] == 1) {
      sums = std::move(numbers);
      continue;
    }
    sums.resize(std::min(sums.size(), numbers.size()));
    for (std::size_t rank = 0; rank < sums.size(); ++rank) sums[rank] += numbers[rank];
  }
  for (auto& [seed, numbers] : cell.by_seed)
    for (double& number : numbers) number /= repetitions[seed];
  return cell;
}

}  // namespace ultr
