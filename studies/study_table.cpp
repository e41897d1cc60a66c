#include "studies/study_table.h"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/quote.h"
#include "studies/study_nodes.h"

namespace ultr {
namespace {

/// Returns the number, or all entries of the list, at a path of results.json.
std::vector<double> numbers_at(const RunResults& run, const std::string& path, bool& list) {
  std::vector<double> numbers;
  if (!run.failure.empty()) return numbers;
  auto found = run.metrics.find(path);
  list = found == run.metrics.end();
  if (!list) return {found->second};
  const auto next = [&] { return path + "." + std::to_string(numbers.size() + 1); };
  while ((found = run.metrics.find(next())) != run.metrics.end()) numbers.push_back(found->second);
  return numbers;
}

}  // namespace

StudyTable::StudyTable(const Study& study, std::span<const StudyPoint> points,
                       std::span<const RunResults> runs)
    : study_(study), runs_(runs) {
  for (const StudyPoint& point : points) {
    StudyCoordinates& row = rows_.emplace_back(point.coordinates);
    row.emplace(row.begin(), variant_axis, study.grid.variants[point.variant].name);
    row.emplace_back(seed_axis, point.seed);
    if (std::find(seeds_.begin(), seeds_.end(), point.seed) == seeds_.end())
      seeds_.push_back(point.seed);
  }
  if (seeds_.size() > 1) std::erase(seeds_, "");  // variants without the axis
}

StudyCell StudyTable::cell(const StudyMeasure& measure, std::span<const std::size_t> rows) const {
  StudyCell cell;
  for (const std::size_t row : rows) {
    bool list = false;
    std::vector<double> numbers = {1};
    if (!is_open()) numbers = numbers_at(runs_[row], measure.path, list);
    if (numbers.empty()) continue;
    cell.list = list;
    cell.by_seed[rows_[row].back().second] = std::move(numbers);
  }
  return cell;
}

StudyCell StudyTable::find(const StudyExpression& e, const StudyCoordinates& outer,
                           const std::string& where) const {
  std::vector<std::string> measures;
  for (const StudyMeasure& measure : study_.measures) measures.push_back(measure.name);
  expect_known(where, "measure", e.name, measures);
  StudyCoordinates scope = outer;
  for (const auto& [axis, order, value] : e.conditions) {
    const std::vector<std::string> values = values_along(axis, where);
    if (axis == variant_axis && !study_.narrowed) expect_known(where, axis, value, values);
    scope.emplace_back(axis, value);
  }
  std::vector<std::size_t> rows;
  for (std::size_t r = 0; r < rows_.size(); ++r)
    if (std::all_of(rows_[r].begin(), rows_[r].end(), [&](const auto& coordinate) {
          const std::string* const wanted = value_on(coordinate.first, scope);
          return wanted == nullptr || coordinate.second.empty() ||
                 same_axis_value(coordinate.second, *wanted);
        }))
      rows.push_back(r);
  if (rows.empty()) throw NotRun(fmt::format("{}: {} was not run", where, quote(e.text)));
  const StudyCoordinates& first = rows_[rows.front()];
  for (const auto& [axis, order, value] : e.conditions)
    if (e.conditions[0].axis == variant_axis && axis != rank_axis && !value_on(axis, first))
      throw ConfigError(fmt::format("{}: {} does not vary {}; expected no value of it in {}", where,
                                    e.conditions[0].value, axis, e.text));
  for (const auto& [axis, value] : first)
    for (const std::size_t row : rows)
      if (const std::string* other = value_on(axis, rows_[row]);
          axis != seed_axis && *other != value)
        throw ConfigError(fmt::format("{}: {} leaves {} open; expected one of {}", where,
                                      quote(e.text), axis,
                                      fmt::join(study_.grid.values_of(axis), ", ")));
  const StudyMeasure& measure = *study_.find_measure(e.name);
  StudyCell found = cell(measure, rows);
  if (found.by_seed.empty())
    throw MissingNumber(fmt::format("{}: {} is not in the results ({}{}{})", where, e.text,
                                    measure.path, outer.empty() ? "" : " at ", shown_scope(outer)));
  return found;
}

std::vector<std::string> StudyTable::values_along(const std::string& axis,
                                                  const std::string& where) const {
  if (axis == seed_axis) return seeds_;
  std::vector<std::string> names = study_.grid.axis_names();
  names.insert(names.end(), {variant_axis, seed_axis, rank_axis});
  expect_known(where, "axis", axis, names);
  return study_.grid.values_of(axis);
}

}  // namespace ultr
