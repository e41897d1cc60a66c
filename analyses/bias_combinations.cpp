#include "analyses/bias_combinations.h"

#include <algorithm>

#include <fmt/format.h>

#include "analyses/document_sample.h"
#include "options/config_tree.h"

namespace ultr {
namespace {

/// Returns the numbers of a feature of all training documents, before scaling. `place` is its
/// column in their rows, `column` that in the files.
std::vector<double> values_of(const ExperimentData& data, std::size_t place, std::size_t column) {
  const SessionLog& log = data.dataset.train;
  std::vector<double> values;
  values.reserve(log.documents());
  for (std::size_t s = 0; s < log.sessions(); ++s)
    for (std::size_t k = 0; k < log.length(s); ++k) {
      const float scaled = document_features(data.dataset, log, s, k)[place];
      values.push_back(data.scaling ? data.scaling->undo(scaled, column) : scaled);
    }
  return values;
}

/// Divides values, at least one, into groups. Each group but the last ends as soon as it has its
/// share of what is left, so that a value which most documents have is a group of its own.
std::vector<ValueGroup> groups_of(std::vector<double> values, std::size_t most_groups) {
  std::sort(values.begin(), values.end());
  const auto ends_run = [&](std::size_t i) {
    return i + 1 == values.size() || values[i + 1] != values[i];
  };
  std::size_t different = 0;
  for (std::size_t i = 0; i < values.size(); ++i) different += ends_run(i) ? 1 : 0;
  std::vector<ValueGroup> groups;
  std::size_t begin = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (!ends_run(i)) continue;
    const std::size_t open = most_groups - groups.size();  // this group and those after it
    const bool has_share =
        different <= most_groups || (i + 1 - begin) * open >= values.size() - begin;
    if (i + 1 < values.size() && (open == 1 || !has_share)) continue;
    groups.push_back({.lowest = values[begin], .highest = values[i]});
    begin = i + 1;
  }
  return groups;
}

std::size_t group_of(double value, const std::vector<ValueGroup>& groups) {
  const auto above =
      std::upper_bound(groups.begin(), groups.end(), value,
                       [](double v, const ValueGroup& group) { return v < group.lowest; });
  return static_cast<std::size_t>(above - groups.begin()) - 1;
}

/// Replaces numbers by their ranks among the different numbers, which are below `limit`. Returns
/// these in ascending order.
std::vector<std::size_t> renumber(std::vector<std::size_t>& numbers, std::size_t limit) {
  std::vector<std::size_t> rank_of(limit), different;
  for (const std::size_t number : numbers) rank_of[number] = 1;
  for (std::size_t number = 0; number < limit; ++number) {
    if (rank_of[number] == 0) continue;
    rank_of[number] = different.size();
    different.push_back(number);
  }
  for (std::size_t& number : numbers) number = rank_of[number];
  return different;
}

void expect_few(std::size_t combinations, std::size_t most_groups) {
  if (combinations > most_combinations)
    throw ConfigError(fmt::format(
        "the training sessions show more than {} combinations of rank and bias features, of which "
        "each has up to {} groups of values; expected fewer groups (bias_groups)",
        most_combinations, most_groups));
}

std::string name_of(const ValueGroup& group) {
  return group.lowest == group.highest
             ? fmt::format("{:.4g}", group.lowest)
             : fmt::format("{:.4g} to {:.4g}", group.lowest, group.highest);
}

/// Returns the names of features, which are numbered as in the files if they have none.
std::vector<std::string> names_of(const ExperimentData& data,
                                  std::span<const std::size_t> columns) {
  std::vector<std::string> names;
  for (const std::size_t column : columns)
    names.push_back(data.feature_names.empty() ? fmt::format("feature {}", column + 1)
                                               : data.feature_names[column]);
  return names;
}

}  // namespace

std::string BiasCombinations::dimensions() const {
  std::string text = "rank";
  for (std::size_t f = 0; f < features.size(); ++f)
    text += (f + 1 < features.size() ? ", " : " and ") + features[f];
  return text;
}

std::string BiasCombinations::name(std::size_t combination) const {
  const Combination& its = all[combination];
  std::string text = fmt::format("rank {}", its.rank + 1);
  for (std::size_t f = 0; f < features.size(); ++f)
    text += fmt::format(", {} = {}", features[f], name_of(groups[f][its.groups[f]]));
  return text;
}

BiasCombinations bias_combinations(const ExperimentData& data, std::size_t most_groups) {
  const SessionLog& log = data.dataset.train;
  const std::span<const std::size_t> columns = data.bias_columns.order();
  const std::size_t first = columns.size() - data.bias_columns.count();  // of bias in a row
  BiasCombinations found{
      .features = names_of(data, columns.subspan(first)), .groups = {}, .all = {}, .places = {}};
  std::vector<std::size_t> numbers;  // of combinations, by document
  for (std::size_t s = 0; s < log.sessions(); ++s)
    numbers.insert(numbers.end(), log[s].positions.begin(), log[s].positions.end());
  for (const std::size_t rank : renumber(numbers, log.positions()))
    found.all.push_back({.rank = rank});
  for (std::size_t f = 0; f < found.features.size(); ++f) {
    const std::vector<double> values = values_of(data, first + f, columns[first + f]);
    const std::vector<ValueGroup>& groups =
        found.groups.emplace_back(groups_of(values, most_groups));
    for (std::size_t d = 0; d < numbers.size(); ++d)
      numbers[d] = numbers[d] * groups.size() + group_of(values[d], groups);
    std::vector<BiasCombinations::Combination> finer;
    for (const std::size_t number : renumber(numbers, found.all.size() * groups.size())) {
      finer.push_back(found.all[number / groups.size()]);
      finer.back().groups.push_back(number % groups.size());
    }
    found.all = std::move(finer);
    expect_few(found.all.size(), most_groups);
  }
  found.places = {.of_documents = {numbers.begin(), numbers.end()}, .count = found.all.size()};
  return found;
}

}  // namespace ultr
