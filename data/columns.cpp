#include "data/columns.h"

#include <algorithm>
#include <array>

#include <fmt/core.h>

#include "data/error.h"
#include "data/fields_of_line.h"
#include "data/file.h"

namespace ultr {
namespace {

namespace fs = std::filesystem;

/// Calls visit(name, column) for all columns but the features.
template <class Columns, class Visit>
void for_each_column(Columns& columns, Visit visit) {
  visit("offsets", columns.offsets);
  visit("queries", columns.queries);
  visit("documents", columns.documents);
  visit("positions", columns.positions);
  visit("clicks", columns.clicks);
  visit("labels", columns.labels);
  visit("propensities", columns.propensities);
}

fs::path file_of(const fs::path& folder, std::string_view name) {
  return folder / fmt::format("{}.npy", name);
}

bool is_there(const fs::path& file) {
  std::error_code ignored;
  return fs::exists(file, ignored);
}

/// Throws what is wrong with a column, "clicks: entry 3 is 2; ...", with its file in front.
[[noreturn]] void refuse(const fs::path& folder, const std::string& message) {
  const std::size_t colon = std::min(message.find(':'), message.size());
  throw DataError(fmt::format("{}: {}.npy{}", folder.string(), message.substr(0, colon),
                              message.substr(colon)));
}

/// Of all files of a folder.
std::uint64_t bytes_of(const fs::path& folder) {
  std::uint64_t bytes = 0;
  std::error_code ignored;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, ignored))
    if (entry.is_regular_file(ignored)) bytes += entry.file_size(ignored);
  return bytes;
}

template <class T>
void assign(std::vector<T>& to, std::span<const T> from, std::size_t most) {
  const auto kept = from.first(std::min(most, from.size()));
  to.assign(kept.begin(), kept.end());
}

/// A list as a click log has it; whether documents were cut off its end.
bool copy_list(const FeatureListView& list, const ReadRules& rules, RawList& to) {
  const std::size_t length = list.documents.size();
  const auto position = [&](std::size_t k) {
    return list.positions.empty() ? k : std::size_t{list.positions[k]};
  };
  for (std::size_t k = 1; k < length; ++k)
    if (position(k) <= position(k - 1))
      throw DataError(fmt::format("position {} after {}; expected positions that rise", position(k),
                                  position(k - 1)));
  const bool cut = must_cut(position(length - 1) + 1, rules);
  std::size_t kept = 0;
  while (kept < length && position(kept) < rules.max_positions) ++kept;
  if (kept == 0)
    throw DataError(
        fmt::format("the list shows no document at the first {} positions; expected at least one",
                    rules.max_positions));
  to.query = list.query;
  assign(to.documents, list.documents, kept);
  assign(to.clicks, list.clicks, kept);
  to.positions.clear();
  for (std::size_t k = 0; k < kept; ++k)
    to.positions.push_back(static_cast<std::uint16_t>(position(k)));
  assign(to.labels, list.labels, kept);
  assign(to.propensities, list.propensities, kept);
  return cut;
}

/// Lists of several data sets as one.
FeatureLists join(const FeatureFormat::Files& folders, const std::vector<FeatureLists>& parts) {
  FeatureColumns joined;
  joined.feature_count = parts.front().features();
  std::vector<std::int64_t> offsets = {0};
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (parts[i].features() != joined.feature_count)
      refuse(folders[i],
             fmt::format("features: {} columns; expected {} as in {}", parts[i].features(),
                         joined.feature_count, folders[0].string()));
    const std::int64_t before = offsets.back();
    for (std::size_t list = 0; list < parts[i].lists(); ++list)
      offsets.push_back(before + parts[i].columns().offsets[list + 1]);
  }
  const auto together = [&](std::string_view name, auto column) {
    using Values = std::remove_cvref_t<decltype(joined.*column)>;
    std::vector<typename Values::value_type> values;
    for (std::size_t i = 0; i < parts.size(); ++i) {
      const Values& part = parts[i].columns().*column;
      if (part.empty() != (parts[0].columns().*column).empty())
        refuse(folders[i], fmt::format("{}: is {}; expected the columns of {}", name,
                                       part.empty() ? "missing" : "there", folders[0].string()));
      values.insert(values.end(), part.begin(), part.end());
    }
    joined.*column = std::move(values);
  };
  together("queries", &FeatureColumns::queries);
  together("documents", &FeatureColumns::documents);
  together("positions", &FeatureColumns::positions);
  together("clicks", &FeatureColumns::clicks);
  together("labels", &FeatureColumns::labels);
  together("propensities", &FeatureColumns::propensities);
  together("features", &FeatureColumns::features);
  joined.offsets = std::move(offsets);
  return FeatureLists(std::move(joined));
}

}  // namespace

FeatureLists read_columns(const fs::path& folder) {
  if (!is_there(file_of(folder, "offsets")))
    throw DataError(
        fmt::format("{}: has no offsets.npy; expected a folder of .npy columns", folder.string()));
  FeatureColumns columns;
  for_each_column(columns, [&](std::string_view name, auto& column) {
    using T = typename std::remove_cvref_t<decltype(column)>::value_type;
    const fs::path file = file_of(folder, name);
    if (!is_there(file)) return;
    auto array = map_npy<T>(file);
    if (array.columns)
      throw DataError(fmt::format("{}: is a matrix; expected a vector", file.string()));
    column = std::move(array.values);
  });
  if (const fs::path file = file_of(folder, "features"); is_there(file)) {
    auto array = map_npy<float>(file);
    if (!array.columns)
      throw DataError(
          fmt::format("{}: is a vector; expected a matrix [documents, features]", file.string()));
    columns.features = std::move(array.values);
    columns.feature_count = *array.columns;
  }
  try {
    return FeatureLists(std::move(columns));
  } catch (const DataError& error) {
    refuse(folder, error.what());
  }
}

void write_columns(const fs::path& folder, const FeatureLists& lists) {
  NewFolder written(folder);
  for_each_column(lists.columns(), [&](std::string_view name, const auto& column) {
    if (!column.empty()) write_npy(file_of(written.temporary(), name), column.values());
  });
  if (lists.features() > 0)
    write_npy(file_of(written.temporary(), "features"), lists.columns().features.values(),
              lists.features());
  written.finish();
}

ClickColumns::ClickColumns(const fs::path& folder, std::size_t lists, std::size_t documents)
    : offsets_(file_of(folder, "offsets"), lists + 1),
      queries_(file_of(folder, "queries"), lists),
      documents_(file_of(folder, "documents"), documents),
      positions_(file_of(folder, "positions"), documents),
      clicks_(file_of(folder, "clicks"), documents) {
  offsets_.append(std::array<std::int64_t, 1>{0});
}

void ClickColumns::add(const SessionLog& log) {
  std::vector<std::int64_t> offsets;
  std::vector<std::uint64_t> queries, documents;
  std::vector<std::uint16_t> positions;
  std::vector<std::uint8_t> clicks;
  for (std::size_t i = 0; i < log.sessions(); ++i) {
    const SessionView session = log[i];
    offsets.push_back(written_ += static_cast<std::int64_t>(session.rows.size()));
    queries.push_back(session.query);
    documents.insert(documents.end(), session.rows.begin(), session.rows.end());
    positions.insert(positions.end(), session.positions.begin(), session.positions.end());
    clicks.insert(clicks.end(), session.clicks.begin(), session.clicks.end());
  }
  offsets_.append(offsets);
  queries_.append(queries);
  documents_.append(documents);
  positions_.append(positions);
  clicks_.append(clicks);
}

void ClickColumns::finish() {
  offsets_.finish();
  queries_.finish();
  documents_.finish();
  positions_.finish();
  clicks_.finish();
}

std::uint64_t ColumnsFormat::bytes_to_read(const Files& folders) const {
  std::uint64_t bytes = 0;
  for (const fs::path& folder : folders) bytes += bytes_of(folder);
  return bytes;
}

FeatureLists ColumnsFormat::read(const Files& folders, const FeatureReading& reading,
                                 std::vector<std::string>&) const {
  std::vector<FeatureLists> parts;
  for (const fs::path& folder : folders) {
    parts.push_back(read_columns(folder));
    if (parts.back().lists() == 0)
      throw DataError(fmt::format("{}: has no list; expected at least one", folder.string()));
    if (reading.features > 0 && parts.back().features() != reading.features)
      refuse(folder, fmt::format("features: {} columns; expected {} as in the training files",
                                 parts.back().features(), reading.features));
    if (reading.progress) reading.progress(bytes_of(folder));
  }
  if (parts.empty()) return {};
  return parts.size() == 1 ? parts[0] : join(folders, parts);
}

ReadReport read_columns_log(const fs::path& folder, const ReadRules& rules,
                            const std::function<void(const RawList&)>& take) {
  const FeatureLists lists = read_columns(folder);
  for (const auto& [name, missing] : {std::pair("documents", lists.columns().documents.empty()),
                                      std::pair("clicks", lists.columns().clicks.empty())})
    if (missing && lists.lists() > 0)
      throw DataError(
          fmt::format("{}: has no {}.npy; expected it in a click log", folder.string(), name));
  ReadReport report;
  RawList raw;
  for (std::size_t i = 0; i < lists.lists(); ++i) {
    const FeatureListView list = lists[i];
    ++report.lines;
    try {
      report.truncated += copy_list(list, rules, raw) ? 1 : 0;
      take(raw);
      ++report.lists;
    } catch (const DataError& error) {
      refuse_or_skip(folder, i + 1, error, rules, report);
    }
  }
  if (rules.progress) rules.progress(bytes_of(folder));
  expect_lists(folder, report, "at least one list");
  return report;
}

}  // namespace ultr
