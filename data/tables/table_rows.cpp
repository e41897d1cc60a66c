#include "data/tables/table_rows.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include <fmt/core.h>

#include "base/error.h"
#include "data/text/line_fields.h"

namespace ultr {
namespace {

/// Returns true if the documents of a list are all different; false also if it is a long one. Lists
/// are short as a rule, and comparing all pairs is then faster than sorting.
bool all_differ(std::span<const std::uint64_t> documents) {
  constexpr std::size_t most = 16;
  if (documents.size() > most) return false;
  bool equal = false;
  for (std::size_t i = 1; i < documents.size(); ++i)
    for (std::size_t k = 0; k < i; ++k) equal |= documents[i] == documents[k];
  return !equal;
}

}  // namespace

std::uint32_t RowLines::operator[](std::size_t row) const {
  const auto runs = runs_.values();
  const auto after = std::upper_bound(runs.begin(), runs.end(), row,
                                      [](std::size_t at, const Run& run) { return at < run.row; });
  const Run& run = *std::prev(after);
  return run.line + static_cast<std::uint32_t>(row - run.row);
}

std::uint32_t TableRows::list_of(std::uint64_t key, std::uint64_t query) {
  if (key == last_key_ && !lists_.empty()) return last_list_;
  const std::uint32_t list = lists_by_key_.number_of(key);
  if (list == lists_.size()) new_list(query);
  last_key_ = key;
  last_list_ = list;
  return list;
}

std::uint32_t TableRows::new_list(std::uint64_t query) {
  lists_.push_back({query});
  if (setting_.times) times_.push_back(0);
  if (setting_.weights) weights_.push_back(1);
  return static_cast<std::uint32_t>(lists_.size() - 1);
}

void TableRows::set_time(std::uint32_t list, std::uint64_t time) {
  if (lists_[list].rows == 0) times_[list] = time;
}

void TableRows::set_weight(std::uint32_t list, double weight) {
  if (lists_[list].rows == 0) weights_[list] = weight;
}

void TableRows::add(std::uint32_t list, const TableRow& row, std::uint64_t line) {
  columns_.push_back(row);
  add_to_list(list, 1, line);
}

void TableRows::add(std::uint32_t list, const TableRowColumns& rows, std::size_t first,
                    std::size_t count, std::uint64_t line) {
  columns_.append(rows, first, count);
  add_to_list(list, count, line);
}

void TableRows::add_to_list(std::uint32_t list, std::size_t count, std::uint64_t line) {
  constexpr std::size_t most_rows = 4294967295;
  if (rows() > most_rows) throw DataError("2^32 rows; expected fewer");
  if (grouped() && list < list_of_last_row_)
    for (std::uint32_t before = 0; before < lists_.size(); ++before)
      for (std::uint32_t i = 0; i < lists_[before].rows; ++i) lists_of_rows_.push_back(before);
  if (!grouped())
    for (std::size_t i = 0; i < count; ++i) lists_of_rows_.push_back(list);
  list_of_last_row_ = list;
  lists_[list].rows += static_cast<std::uint32_t>(count);
  lines_.append(line, count);
  for (std::size_t row = rows() - count; row < rows(); ++row) {
    smallest_position_ = std::min(smallest_position_, columns_.positions[row]);
    if (setting_.parts.propensities && std::isnan(columns_.propensities[row]) &&
        without_propensity_++ == 0)
      first_without_propensity_ = lines_[row];
  }
}

std::size_t TableRows::bytes() const {
  return columns_.bytes() + lines_.bytes() + lists_of_rows_.bytes() + lists_.bytes() +
         times_.bytes() + weights_.bytes() + lists_by_key_.bytes();
}

std::vector<std::uint32_t> TableRows::rows_by_list() const {
  if (grouped()) return {};
  std::vector<std::size_t> next(lists_.size());
  for (std::size_t list = 0, begin = 0; list < lists_.size(); begin += lists_[list++].rows)
    next[list] = begin;
  std::vector<std::uint32_t> places(rows());
  for (std::size_t i = 0; i < rows(); ++i)
    places[next[lists_of_rows_[i]]++] = static_cast<std::uint32_t>(i);
  return places;
}

std::vector<std::uint32_t> TableRows::order_of_lists() const {
  std::vector<std::uint32_t> order(lists_.size());
  std::iota(order.begin(), order.end(), 0u);
  if (setting_.times)
    std::stable_sort(order.begin(), order.end(),
                     [&](std::uint32_t a, std::uint32_t b) { return times_[a] < times_[b]; });
  return order;
}

void TableRows::sort_by_position(std::vector<std::size_t>& places) const {
  const auto above = [&](std::size_t a, std::size_t b) {
    return columns_.positions[a] < columns_.positions[b];
  };
  if (!std::is_sorted(places.begin(), places.end(), above))
    std::stable_sort(places.begin(), places.end(), above);
  for (std::size_t k = 1; k < places.size(); ++k)
    if (columns_.positions[places[k]] == columns_.positions[places[k - 1]])
      throw DataError(fmt::format(
          "position {} of its list is also {} {}; expected one document per position (if a session "
          "has several lists of a query, {} must tell them apart)",
          columns_.positions[places[k]], setting_.row, lines_[places[k - 1]], setting_.session));
}

void TableRows::make_list(std::vector<std::size_t>& places, std::uint16_t first_position,
                          const ReadRules& rules, RawList& list, Counts& counts) const {
  sort_by_position(places);
  const std::size_t last = std::size_t{columns_.positions[places.back()]} - first_position + 1;
  const bool cut = needs_truncation(last, rules);
  const auto past = std::find_if(places.begin(), places.end(), [&](std::size_t i) {
    return std::size_t{columns_.positions[i]} - first_position >= rules.max_positions;
  });
  const auto shown = static_cast<std::size_t>(past - places.begin());
  const auto fill = [&](auto& column, bool there, auto value_of) {
    column.resize(there ? shown : 0);
    for (std::size_t k = 0; k < column.size(); ++k) column[k] = value_of(places[k]);
  };
  fill(list.documents, true, [&](std::size_t i) { return columns_.documents[i]; });
  fill(list.positions, true, [&](std::size_t i) {
    return static_cast<std::uint16_t>(columns_.positions[i] - first_position);
  });
  fill(list.clicks, setting_.parts.clicks, [&](std::size_t i) { return columns_.clicked[i]; });
  fill(list.labels, setting_.parts.labels, [&](std::size_t i) { return int{columns_.labels[i]}; });
  fill(list.propensities, setting_.parts.propensities && without_propensity_ == 0,
       [&](std::size_t i) { return columns_.propensities[i]; });
  for (const Signal signal : all_signals)
    fill(list.signals[signal], setting_.parts.signals[signal],
         [&](std::size_t i) { return columns_.signals[signal][i]; });
  list.features.clear();
  list.words = {};
  for (std::size_t k = 0; k < shown; ++k) {
    if (setting_.parts.words) list.words.add(columns_.words(places[k]));
    const auto features = columns_.features.values().subspan(places[k] * setting_.parts.features,
                                                             setting_.parts.features);
    list.features.insert(list.features.end(), features.begin(), features.end());
  }
  if (list.documents.empty())
    throw DataError(
        fmt::format("the list shows no document at the first {} positions; expected at least one",
                    rules.max_positions));
  counts.truncated += cut ? 1 : 0;
}

void TableRows::pass_on_list(RawList& raw, std::uint32_t list, std::size_t place,
                             const std::function<void(const RawList&)>& take,
                             Counts& counts) const {
  if (!setting_.parts.counts) {
    raw.weight = setting_.weights ? weights_[list] : 1;
    pass_on_counted(raw, take, counts);
    return;
  }
  const std::uint32_t clicks = columns_.clicks[place], skips = columns_.impressions[place] - clicks;
  for (const auto& [click, times] : {std::pair(1, clicks), std::pair(0, skips)}) {
    if (times == 0) continue;
    raw.clicks[0] = static_cast<std::uint8_t>(click);
    raw.weight = times;
    pass_on_counted(raw, take, counts);
  }
}

void TableRows::pass_on_counted(const RawList& raw, const std::function<void(const RawList&)>& take,
                                Counts& counts) {
  take(raw);
  ++counts.lists;
  counts.documents += raw.documents.size();
  counts.clicks += static_cast<std::uint64_t>(std::count(raw.clicks.begin(), raw.clicks.end(), 1));
  counts.at_first += raw.positions.front() == 0 ? 1 : 0;
}

void TableRows::count_duplicates(const RawList& list, const std::vector<std::size_t>& places,
                                 Counts& counts) {
  if (all_differ(list.documents)) return;
  sorted_ = list.documents;
  std::sort(sorted_.begin(), sorted_.end());
  const auto twice = std::adjacent_find(sorted_.begin(), sorted_.end());
  if (twice == sorted_.end()) return;
  if (counts.with_duplicates++ > 0) return;
  const auto found = std::find(list.documents.rbegin(), list.documents.rend(), *twice);
  counts.first_duplicate_line =
      lines_[places[static_cast<std::size_t>(list.documents.rend() - found) - 1]];
}

void TableRows::pass_on(std::uint16_t first_position, const ReadRules& rules,
                        const std::function<void(const RawList&)>& take,
                        const std::function<void(std::uint64_t line, const DataError&)>& reject,
                        Counts& counts) {
  const std::vector<std::uint32_t> by_list = rows_by_list();
  std::vector<std::size_t> begin(lists_.size());
  for (std::size_t list = 0, at = 0; list < lists_.size(); at += lists_[list++].rows)
    begin[list] = at;
  counts.rows += rows();
  if (counts.without_propensity == 0) counts.first_without_propensity = first_without_propensity_;
  counts.without_propensity += without_propensity_;
  RawList raw;
  std::vector<std::size_t> places;
  for (const std::uint32_t list : order_of_lists()) {
    if (lists_[list].rows == 0) continue;  // all of them are malformed
    places.clear();
    for (std::size_t i = begin[list]; i < begin[list] + lists_[list].rows; ++i)
      places.push_back(by_list.empty() ? i : by_list[i]);
    const std::size_t last = places.back();
    try {
      make_list(places, first_position, rules, raw, counts);
      raw.query = lists_[list].query;
      pass_on_list(raw, list, places.front(), take, counts);
    } catch (const DataError& error) {
      reject(lines_[last], error);
      continue;
    }
    count_duplicates(raw, places, counts);
    if (setting_.times)
      counts.times = {counts.times ? counts.times->first : times_[list], times_[list]};
  }
  *this = TableRows(setting_);
}

}  // namespace ultr
