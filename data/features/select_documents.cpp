#include "data/features/select_documents.h"

namespace ultr {
namespace {

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
  return FeatureLists(std::move(columns));
}

}  // namespace ultr
