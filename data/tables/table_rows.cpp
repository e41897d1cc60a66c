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

void TableRows::add(std::uint32_t list, const TableRow& row) {
  constexpr std::size_t most_rows = 4294967295;
  if (rows() == most_rows) throw DataError("2^32 rows; expected fewer");
  add_to_list(list);
  documents_.push_back(row.document);
  positions_.push_back(row.position);
  if (setting_.clicks) clicked_.push_back(row.click);
  lines_.push_back(row.line);
  if (setting_.labels) labels_.push_back(static_cast<std::int8_t>(row.label));
  if (setting_.propensities) {
    propensities_.push_back(row.propensity);
    if (std::isnan(row.propensity) && without_propensity_++ == 0)
      first_without_propensity_ = row.line;
  }
  for (const float feature : row.features) features_.push_back(feature);
  if (setting_.words) {
    for (const std::uint32_t token : row.words.tokens) tokens_.push_back(token);
    for (const std::uint8_t type : row.words.types) types_.push_back(type);
    last_tokens_.push_back(tokens_.size());
  }
  if (setting_.counts) {
    impressions_.push_back(row.impressions);
    clicks_.push_back(row.clicks);
  }
  for (const Signal signal : all_signals)
    if (setting_.signals[signal]) signals_[signal].push_back(row.signals[signal]);
  smallest_position_ = std::min(smallest_position_, row.position);
}

void TableRows::add_to_list(std::uint32_t list) {
  if (grouped() && list < list_of_last_row_)
    for (std::uint32_t before = 0; before < lists_.size(); ++before)
      for (std::uint32_t i = 0; i < lists_[before].rows; ++i) lists_of_rows_.push_back(before);
  if (!grouped()) lists_of_rows_.push_back(list);
  list_of_last_row_ = list;
  ++lists_[list].rows;
}

std::size_t TableRows::bytes() const {
  std::size_t of_signals = 0;
  for (const Signal signal : all_signals) of_signals += signals_[signal].bytes();
  return of_signals + documents_.bytes() + positions_.bytes() + clicked_.bytes() + lines_.bytes() +
         lists_of_rows_.bytes() + impressions_.bytes() + clicks_.bytes() + labels_.bytes() +
         propensities_.bytes() + features_.bytes() + tokens_.bytes() + types_.bytes() +
         last_tokens_.bytes() + lists_.bytes() + times_.bytes() + weights_.bytes() +
         lists_by_key_.bytes();
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

DocumentTokens TableRows::words(std::size_t row) const {
  const auto begin = row == 0 ? std::size_t{0} : static_cast<std::size_t>(last_tokens_[row - 1]);
  const std::size_t count = static_cast<std::size_t>(last_tokens_[row]) - begin;
  return {tokens_.values().subspan(begin, count), types_.values().subspan(begin, count)};
}

void TableRows::sort_by_position(std::vector<std::size_t>& places) const {
  const auto above = [&](std::size_t a, std::size_t b) { return positions_[a] < positions_[b]; };
  if (!std::is_sorted(places.begin(), places.end(), above))
    std::stable_sort(places.begin(), places.end(), above);
  for (std::size_t k = 1; k < places.size(); ++k)
    if (positions_[places[k]] == positions_[places[k - 1]])
      throw DataError(fmt::format(
          "position {} of its list is also {} {}; expected one document per position (if a session "
          "has several lists of a query, {} must tell them apart)",
          positions_[places[k]], setting_.row, lines_[places[k - 1]], setting_.session));
}

void TableRows::make_list(std::vector<std::size_t>& places, std::uint16_t first_position,
                          const ReadRules& rules, RawList& list, Counts& counts) const {
  sort_by_position(places);
  const std::size_t last = std::size_t{positions_[places.back()]} - first_position + 1;
  const bool cut = needs_truncation(last, rules);
  const auto past = std::find_if(places.begin(), places.end(), [&](std::size_t i) {
    return std::size_t{positions_[i]} - first_position >= rules.max_positions;
  });
  const auto shown = static_cast<std::size_t>(past - places.begin());
  const auto fill = [&](auto& column, bool there, auto value_of) {
    column.resize(there ? shown : 0);
    for (std::size_t k = 0; k < column.size(); ++k) column[k] = value_of(places[k]);
  };
  fill(list.documents, true, [&](std::size_t i) { return documents_[i]; });
  fill(list.positions, true,
       [&](std::size_t i) { return static_cast<std::uint16_t>(positions_[i] - first_position); });
  fill(list.clicks, setting_.clicks, [&](std::size_t i) { return clicked_[i]; });
  fill(list.labels, setting_.labels, [&](std::size_t i) { return int{labels_[i]}; });
  fill(list.propensities, setting_.propensities && without_propensity_ == 0,
       [&](std::size_t i) { return propensities_[i]; });
  for (const Signal signal : all_signals)
    fill(list.signals[signal], setting_.signals[signal],
         [&](std::size_t i) { return signals_[signal][i]; });
  list.features.clear();
  list.words = {};
  for (std::size_t k = 0; k < shown; ++k) {
    if (setting_.words) list.words.add(words(places[k]));
    const auto features =
        features_.values().subspan(places[k] * setting_.features, setting_.features);
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
  if (!setting_.counts) {
    raw.weight = setting_.weights ? weights_[list] : 1;
    pass_on_weighted(raw, take, counts);
    return;
  }
  const std::uint32_t clicks = clicks_[place], skips = impressions_[place] - clicks;
  for (const auto& [click, times] : {std::pair(1, clicks), std::pair(0, skips)}) {
    if (times == 0) continue;
    raw.clicks[0] = static_cast<std::uint8_t>(click);
    raw.weight = times;
    pass_on_weighted(raw, take, counts);
  }
}

void TableRows::pass_on_weighted(const RawList& raw,
                                 const std::function<void(const RawList&)>& take, Counts& counts) {
  take(raw);
  counts.lists += raw.weight;
  counts.documents += raw.weight * static_cast<double>(raw.documents.size());
  counts.clicks +=
      raw.weight * static_cast<double>(std::count(raw.clicks.begin(), raw.clicks.end(), 1));
  counts.at_first += raw.positions.front() == 0 ? raw.weight : 0;
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
  }
  *this = TableRows(setting_);
}

}  // namespace ultr
