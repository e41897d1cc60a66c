#include "studies/study_values.h"

#include <algorithm>

namespace ultr {
namespace {

/// A number, or all entries of a list, at a path of results.json; empty if there is neither.
std::vector<double> numbers_at(const RunResults& run, const std::string& path, bool& list) {
  const auto single = run.metrics.find(path);
  list = single == run.metrics.end();
  if (!list) return {single->second};
  std::vector<double> entries;
  for (std::size_t rank = 1;; ++rank) {
    const auto entry = run.metrics.find(path + "." + std::to_string(rank));
    if (entry == run.metrics.end()) return entries;
    entries.push_back(entry->second);
  }
}

}  // namespace

StudyValues::StudyValues(const Study& study, std::span<const StudyPoint> points,
                         std::span<const RunResults> runs) {
  for (std::size_t p = 0; p < points.size(); ++p) {
    add_seed(points[p].seed);
    auto& measured = cells_[{points[p].variant, points[p].coordinates}];
    for (const StudyMeasure& measure : study.measures) {
      StudyCell& cell = measured[measure.name];
      bool list = false;
      std::vector<double> numbers = numbers_at(runs[p], measure.path, list);
      if (numbers.empty() || !runs[p].failure.empty()) continue;
      cell.list = list;
      cell.by_seed[points[p].seed] = std::move(numbers);
    }
  }
}

StudyValues::StudyValues(const Study& study, std::span<const StudyPoint> points) : open_(true) {
  for (const StudyPoint& point : points) {
    add_seed(point.seed);
    auto& measured = cells_[{point.variant, point.coordinates}];
    for (const StudyMeasure& measure : study.measures)
      measured[measure.name].by_seed[point.seed] = {1};
  }
}

const StudyCell* StudyValues::find(std::size_t variant, const StudyCoordinates& coordinates,
                                   std::string_view measure) const {
  const auto measured = cells_.find({variant, coordinates});
  if (measured == cells_.end()) return nullptr;
  const auto cell = measured->second.find(measure);
  return cell == measured->second.end() ? nullptr : &cell->second;
}

void StudyValues::add_seed(const std::string& seed) {
  if (std::find(seeds_.begin(), seeds_.end(), seed) != seeds_.end()) return;
  if (seed.empty() && !seeds_.empty()) return;
  if (!seeds_.empty() && seeds_.front().empty()) seeds_.clear();
  seeds_.push_back(seed);
}

}  // namespace ultr
