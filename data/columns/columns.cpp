#include "data/columns/columns.h"

#include <algorithm>
#include <optional>

#include <fmt/core.h>

#include "base/error.h"
#include "base/files/file.h"
#include "base/files/npy.h"
#include "base/files/npy_integers.h"
#include "data/columns/column_types.h"
#include "data/log/pair_dictionary.h"
#include "data/text/line_fields.h"

namespace ultr {
namespace {

namespace fs = std::filesystem;

/// Calls visit(name, column) for every column except the features and words.
template <class Columns, class Visit>
void for_each_column(Columns& columns, Visit visit) {
  visit("offsets", columns.offsets);
  visit("queries", columns.queries);
  visit("documents", columns.documents);
  visit("positions", columns.positions);
  visit("clicks", columns.clicks);
  visit("labels", columns.labels);
  visit("propensities", columns.propensities);
  for (const Signal signal : all_signals) visit(type_of(signal).name, columns.signals[signal]);
}

/// Calls visit(name, column) for the columns of words.
template <class Columns, class Visit>
void for_each_word_column(Columns& words, Visit visit) {
  visit("tokens", words.tokens);
  visit("token_offsets", words.offsets);
  visit("token_types", words.types);
}

constexpr ColumnType column_types[] = {
    {"offsets"}, {"queries"},       {"documents"},           {"positions"},
    {"clicks"},  {"labels"},        {"propensities", false}, {"features", false},
    {"tokens"},  {"token_offsets"}, {"token_types"}};

fs::path file_of(const fs::path& folder, std::string_view name) {
  return folder / fmt::format("{}.npy", name);
}

bool is_there(const fs::path& file) {
  std::error_code ignored;
  return fs::exists(file, ignored);
}

/// Releases the memory that was read, but for that of the features.
void release(const FeatureColumns& columns) {
  for_each_column(columns, [](std::string_view, const auto& column) { column.release(); });
}

template <class T>
void assign(std::vector<T>& to, std::span<const T> from, std::size_t most) {
  const auto kept = from.first(std::min(most, from.size()));
  to.assign(kept.begin(), kept.end());
}

/// Copies a list to `to` as a click log stores it. Returns true if documents were cut off its end.
/// Throws DataError if the list is malformed or too long.
bool copy_list(const FeatureListView& list, const ReadRules& rules, RawList& to) {
  const std::size_t length = list.documents.size();
  const auto position = [&](std::size_t k) {
    return list.positions.empty() ? k : std::size_t{list.positions[k]};
  };
  for (std::size_t k = 1; k < length; ++k)
    if (position(k) <= position(k - 1))
      throw DataError(fmt::format("position {} after {}; expected positions that rise", position(k),
                                  position(k - 1)));
  const bool cut = needs_truncation(position(length - 1) + 1, rules);
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
  for (const Signal signal : all_signals) assign(to.signals[signal], list.signals[signal], kept);
  return cut;
}

/// Joins the lists of several folders. Throws DataError if their columns differ.
FeatureLists join(const FeatureFormat::Files& folders, const std::vector<FeatureLists>& parts) {
  FeatureColumns joined;
  joined.feature_count = parts.front().features();
  joined.missing = parts.front().columns().missing;
  std::vector<std::int64_t> offsets = {0};
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (parts[i].features() != joined.feature_count)
      throw_column_error(
          folders[i], fmt::format("features: {} columns; expected {} as in {}", parts[i].features(),
                                  joined.feature_count, folders[0].string()));
    const std::int64_t before = offsets.back();
    for (std::size_t list = 0; list < parts[i].lists(); ++list)
      offsets.push_back(before + parts[i].columns().offsets[list + 1]);
  }
  const auto together = [&](std::string_view name, auto column_of) {
    using Values = std::remove_cvref_t<decltype(column_of(joined))>;
    std::vector<typename Values::value_type> values;
    for (std::size_t i = 0; i < parts.size(); ++i) {
      const Values& part = column_of(parts[i].columns());
      if (part.empty() != column_of(parts[0].columns()).empty())
        throw_column_error(folders[i],
                           fmt::format("{}: is {}; expected the columns of {}", name,
                                       part.empty() ? "missing" : "there", folders[0].string()));
      values.insert(values.end(), part.begin(), part.end());
    }
    column_of(joined) = std::move(values);
  };
  together("queries", [](auto& columns) -> auto& { return columns.queries; });
  together("documents", [](auto& columns) -> auto& { return columns.documents; });
  together("positions", [](auto& columns) -> auto& { return columns.positions; });
  together("clicks", [](auto& columns) -> auto& { return columns.clicks; });
  together("labels", [](auto& columns) -> auto& { return columns.labels; });
  together("propensities", [](auto& columns) -> auto& { return columns.propensities; });
  together("features", [](auto& columns) -> auto& { return columns.features; });
  for (const Signal signal : all_signals)
    together(type_of(signal).name, [=](auto& columns) -> auto& { return columns.signals[signal]; });
  joined.offsets = std::move(offsets);
  TokenColumnsBuilder words;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (parts[i].has_words() != parts[0].has_words())
      throw_column_error(
          folders[i], fmt::format("tokens: is {}; expected the columns of {}",
                                  parts[i].has_words() ? "there" : "missing", folders[0].string()));
    for (std::size_t d = 0; parts[i].has_words() && d < parts[i].documents(); ++d)
      words.add(parts[i].words(d));
  }
  if (words.documents() > 0) joined.words = words.build();
  return FeatureLists(std::move(joined));
}

/// The document ids of a folder without documents.npy: pairs.npy has rows of the folder's own
/// dictionary, which has the ids.
class DocumentsOfPairs {
 public:
  explicit DocumentsOfPairs(const fs::path& folder)
      : rows_(map_npy<std::uint32_t>(folder / pairs_file).values),
        ids_(map_npy<std::uint64_t>(folder / PairDictionary::document_file).values) {
    for (std::size_t i = 0; i < rows_.size(); ++i)
      if (rows_[i] >= ids_.size())
        throw_column_error(
            folder, fmt::format("pairs: entry {} is {}; expected below {}, the dictionary's rows",
                                i, rows_[i], ids_.size()));
    release();
  }
  std::size_t size() const { return rows_.size(); }
  /// Returns the ids of the documents `begin` to `end` - 1, valid until the next call.
  std::span<const std::uint64_t> operator()(std::int64_t begin, std::int64_t end) {
    list_.clear();
    for (auto d = static_cast<std::size_t>(begin); d < static_cast<std::size_t>(end); ++d)
      list_.push_back(ids_[rows_[d]]);
    return list_;
  }
  void release() const {
    rows_.release();
    ids_.release();
  }

 private:
  Column<std::uint32_t> rows_;
  Column<std::uint64_t> ids_;
  std::vector<std::uint64_t> list_;
};

bool names_documents_by_pairs(const fs::path& folder) {
  return is_there(folder / pairs_file) && is_there(folder / PairDictionary::document_file);
}

}  // namespace

void throw_column_error(const fs::path& folder, std::string_view message) {
  const std::size_t colon = std::min(message.find(':'), message.size());
  throw DataError(fmt::format("{}: {}.npy{}", folder.string(), message.substr(0, colon),
                              message.substr(colon)));
}

void require_column(const fs::path& folder, std::string_view name, bool there) {
  if (!there)
    throw DataError(
        fmt::format("{}: has no {}.npy; expected it in a click log", folder.string(), name));
}

FeatureLists read_columns(const fs::path& folder, bool missing) {
  if (!is_there(file_of(folder, "offsets")))
    throw DataError(
        fmt::format("{}: has no offsets.npy; expected a folder of .npy columns", folder.string()));
  expect_column_types(folder, column_types);
  FeatureColumns columns;
  columns.missing = missing;
  const auto map = [&](std::string_view name, auto& column) {
    using T = typename std::remove_cvref_t<decltype(column)>::value_type;
    if constexpr (std::is_integral_v<T>)
      column = map_integer_column<T>(file_of(folder, name));
    else
      column = map_npy_column<T>(file_of(folder, name));
  };
  for_each_column(columns, map);
  for_each_word_column(columns.words, map);
  if (const fs::path file = file_of(folder, "features"); is_there(file)) {
    auto array = map_npy<float>(file);
    if (!array.columns)
      throw DataError(
          fmt::format("{}: is a vector; expected a matrix [documents, features]", file.string()));
    columns.features = std::move(array.values);
    columns.feature_count = *array.columns;
  }
  try {
    FeatureLists lists(std::move(columns));
    release(lists.columns());
    lists.columns().features.release();
    for_each_word_column(lists.columns().words,
                         [](std::string_view, const auto& column) { column.release(); });
    return lists;
  } catch (const DataError& error) {
    throw_column_error(folder, error.what());
  }
}

void write_columns(const fs::path& folder, const FeatureLists& lists, const IdNames& names) {
  NewFolder written(folder);
  for_each_column(lists.columns(), [&](std::string_view name, const auto& column) {
    if (!column.empty()) write_npy(file_of(written.temporary(), name), column.values());
  });
  if (lists.features() > 0)
    write_npy(file_of(written.temporary(), "features"), lists.columns().features.values(),
              lists.features());
  for_each_word_column(lists.columns().words, [&](std::string_view name, const auto& column) {
    if (lists.has_words()) write_npy(file_of(written.temporary(), name), column.values());
  });
  names.save(written.temporary());
  written.finish();
}

FeatureLists ColumnsFormat::read(const Files& folders, const FeatureReading& reading,
                                 std::vector<std::string>&) const {
  std::vector<FeatureLists> parts;
  for (const fs::path& folder : folders) {
    parts.push_back(read_columns(folder, reading.missing));
    if (reading.names != nullptr) reading.names->add(IdNames::load(folder));
    if (parts.back().lists() == 0)
      throw DataError(fmt::format("{}: has no list; expected at least one", folder.string()));
    if (reading.features > 0 && parts.back().features() != reading.features)
      throw_column_error(folder,
                         fmt::format("features: {} columns; expected {} as in the training files",
                                     parts.back().features(), reading.features));
    if (reading.progress) reading.progress(bytes_of(folder));
  }
  if (parts.empty()) return {};
  return parts.size() == 1 ? parts[0] : join(folders, parts);
}

ReadReport read_columns_log(const fs::path& folder, const ReadRules& rules,
                            const std::function<void(const RawList&)>& take) {
  const FeatureLists lists = read_columns(folder);
  const auto& columns = lists.columns();
  if (rules.names != nullptr) rules.names->add(IdNames::load(folder));
  std::optional<DocumentsOfPairs> documents;
  if (columns.documents.empty() && names_documents_by_pairs(folder)) {
    documents.emplace(folder);
    if (documents->size() != lists.documents())
      throw_column_error(folder,
                         fmt::format("pairs: {} entries; expected one for each of the {} documents",
                                     documents->size(), lists.documents()));
  }
  const bool empty = lists.lists() == 0;
  require_column(folder, "documents", empty || documents || !columns.documents.empty());
  require_column(folder, "clicks", empty || !columns.clicks.empty() || !columns.labels.empty());
  constexpr std::size_t lists_at_once = std::size_t{1} << 16;
  const std::uint64_t bytes = bytes_of(folder);
  std::uint64_t told = 0;  // bytes reported as progress
  const auto give_back = [&](std::size_t read) {
    release(columns);
    if (documents) documents->release();
    const double share = static_cast<double>(read) / static_cast<double>(lists.lists());
    const auto of_bytes = static_cast<std::uint64_t>(share * static_cast<double>(bytes));
    if (rules.progress) rules.progress(of_bytes - told);
    told = of_bytes;
  };
  ReadReport report;
  RawList raw;
  for (std::size_t i = 0; i < lists.lists(); ++i) {
    FeatureListView list = lists[i];
    if (documents) list.documents = (*documents)(columns.offsets[i], columns.offsets[i + 1]);
    ++report.lines;
    try {
      report.truncated += copy_list(list, rules, raw) ? 1 : 0;
      take(raw);
      ++report.lists;
    } catch (const DataError& error) {
      reject_or_skip(folder, i + 1, error, rules, report);
    }
    if ((i + 1) % lists_at_once == 0) give_back(i + 1);
  }
  if (rules.progress) rules.progress(bytes - told);
  expect_lists(folder, report, "at least one list");
  return report;
}

}  // namespace ultr
