#include "data/features/feature_lists.h"

#include <cmath>

#include <fmt/core.h>

#include "base/error.h"

namespace ultr {
namespace {

void check_offsets(const Column<std::int64_t>& offsets) {
  if (offsets.empty() || offsets[0] != 0)
    throw DataError(offsets.empty()
                        ? "offsets: no entries; expected one more than there are lists"
                        : fmt::format("offsets: entry 0 is {}; expected 0", offsets[0]));
  for (std::size_t i = 1; i < offsets.size(); ++i)
    if (offsets[i] <= offsets[i - 1])
      throw DataError(
          fmt::format("offsets: entry {} is {} after {}; expected more, since every list has a "
                      "document",
                      i, offsets[i], offsets[i - 1]));
}

template <class T>
void check_length(std::string_view name, const Column<T>& column, std::size_t expected,
                  std::string_view what) {
  if (!column.empty() && column.size() != expected)
    throw DataError(fmt::format("{}: {} entries; expected one for each of the {} {}", name,
                                column.size(), expected, what));
}

template <class T, class Valid>
void check_entries(std::string_view name, const Column<T>& column, Valid valid,
                   std::string_view expected) {
  for (std::size_t i = 0; i < column.size(); ++i)
    if (!valid(column[i]))
      throw DataError(fmt::format("{}: entry {} is {}; expected {}", name, i, column[i], expected));
}

void check_features(const FeatureColumns& columns, std::size_t documents) {
  const std::size_t n = columns.feature_count;
  if (columns.features.size() != documents * n)
    throw DataError(
        fmt::format("features: {} rows of {}; expected one for each of the {} documents",
                    n == 0 ? 0 : columns.features.size() / n, n, documents));
  for (std::size_t i = 0; i < columns.features.size(); ++i)
    if (const float x = columns.features[i];
        !std::isfinite(x) && !(columns.missing && std::isnan(x)))
      throw DataError(
          fmt::format("features: feature {} of document {} is {}; expected a finite "
                      "number{}",
                      i % n, i / n, x, std::isnan(x) ? unless_missing : ""));
}

template <class T>
std::span<const T> part(const Column<T>& column, std::size_t begin, std::size_t end) {
  return column.empty() ? std::span<const T>() : column.values().subspan(begin, end - begin);
}

/// Returns the entries of some documents, `width` values each; nothing if the column is empty.
template <class T>
Column<T> select(const Column<T>& column, std::span<const std::size_t> documents,
                 std::size_t width = 1) {
  std::vector<T> values;
  if (column.empty()) return values;
  values.reserve(documents.size() * width);
  for (const std::size_t i : documents) {
    const auto row = column.values().subspan(i * width, width);
    values.insert(values.end(), row.begin(), row.end());
  }
  return values;
}

}  // namespace

FeatureLists::FeatureLists() { columns_.offsets = std::vector<std::int64_t>{0}; }

FeatureLists::FeatureLists(FeatureColumns columns) : columns_(std::move(columns)) {
  check_offsets(columns_.offsets);
  const std::size_t all = documents();
  check_length("queries", columns_.queries, lists(), "lists");
  check_length("documents", columns_.documents, all, "documents");
  check_length("positions", columns_.positions, all, "documents");
  check_length("clicks", columns_.clicks, all, "documents");
  check_length("labels", columns_.labels, all, "documents");
  check_length("propensities", columns_.propensities, all, "documents");
  check_entries(
      "clicks", columns_.clicks, [](int click) { return click <= 1; }, "0 or 1");
  check_entries(
      "labels", columns_.labels, [](int y) { return y == -2 || (y >= 0 && y <= largest_label); },
      fmt::format("-2 (unjudged) or 0 to {}", largest_label));
  check_entries(
      "propensities", columns_.propensities, [](float p) { return p > 0 && p <= 1; },
      "a number above 0 and at most 1");
  for (const Signal signal : all_signals) {
    const auto& [name, plural, most] = type_of(signal);
    check_length(name, columns_.signals[signal], all, "documents");
    check_entries(
        name, columns_.signals[signal], [&](std::uint16_t x) { return x <= most; },
        fmt::format("0 to {}", most));
  }
  check_features(columns_, all);
  check_tokens(columns_.words, all);
}

FeatureListView FeatureLists::operator[](std::size_t list) const {
  const std::size_t first = begin(list), last = end(list), n = columns_.feature_count;
  SignalSpans signals;
  for (const Signal signal : all_signals)
    signals[signal] = part(columns_.signals[signal], first, last);
  return {.query = columns_.queries.empty() ? 0 : columns_.queries[list],
          .documents = part(columns_.documents, first, last),
          .positions = part(columns_.positions, first, last),
          .clicks = part(columns_.clicks, first, last),
          .labels = part(columns_.labels, first, last),
          .propensities = part(columns_.propensities, first, last),
          .features = part(columns_.features, first * n, last * n),
          .signals = signals};
}

FeatureLists FeatureLists::with_features(
    const std::function<void(std::span<float> rows)>& change) const {
  FeatureColumns changed = columns_;
  std::vector<float> rows(columns_.features.begin(), columns_.features.end());
  change(rows);
  changed.features = std::move(rows);
  return FeatureLists(std::move(changed));
}

FeatureLists select_documents(const FeatureLists& lists, std::span<const std::size_t> kept) {
  if (kept.size() == lists.documents()) return lists;
  const FeatureColumns& from = lists.columns();
  std::vector<std::int64_t> offsets = {0};
  std::vector<std::uint64_t> queries;
  std::size_t next = 0;
  for (std::size_t l = 0; l < lists.lists(); ++l) {
    const auto end = static_cast<std::size_t>(from.offsets[l + 1]);
    while (next < kept.size() && kept[next] < end) ++next;
    if (static_cast<std::int64_t>(next) == offsets.back()) continue;
    offsets.push_back(static_cast<std::int64_t>(next));
    queries.push_back(lists[l].query);
  }
  FeatureColumns columns;
  columns.offsets = std::move(offsets);
  columns.queries = std::move(queries);
  columns.documents = select(from.documents, kept);
  columns.positions = select(from.positions, kept);
  columns.clicks = select(from.clicks, kept);
  columns.labels = select(from.labels, kept);
  columns.propensities = select(from.propensities, kept);
  columns.features = select(from.features, kept, from.feature_count);
  columns.feature_count = from.feature_count;
  columns.missing = from.missing;
  for (const Signal signal : all_signals)
    columns.signals[signal] = select(from.signals[signal], kept);
  if (lists.has_words()) {
    TokenColumnsBuilder words;
    for (const std::size_t document : kept) words.add(lists.words(document));
    columns.words = words.build();
  }
  return FeatureLists(std::move(columns));
}

}  // namespace ultr
