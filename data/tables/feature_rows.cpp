#include "data/tables/feature_rows.h"

#include <limits>
#include <optional>
#include <utility>

#include <fmt/core.h>
#include <fmt/ranges.h>

#include "base/error.h"
#include "base/text/quote.h"
#include "data/tables/table_cells.h"
#include "data/tables/table_records.h"

namespace ultr {
namespace {

constexpr std::size_t most_quoted_characters = 40;

}  // namespace

/// The places of columns while a file is read.
class FeatureRows::Reading {
 public:
  Reading(FeatureRows& into, std::span<const std::string_view> header, const Columns& columns)
      : into_(into), width_(header.size()) {
    if (const std::string delimiter = likely_delimiter(header); !delimiter.empty())
      throw DataError(fmt::format("has one column, {}; expected {}",
                                  quote(header[0], most_quoted_characters),
                                  delimiters_by_file_name));
    const auto find = [&](std::string_view name) -> TableColumn {
      return {place_of_column(name, header),
              fmt::format("column {}", quote(name, most_quoted_characters))};
    };
    const auto need = [&](std::string_view name) {
      TableColumn column = find(name);
      if (!column.exists())
        throw DataError(fmt::format("has no column {}; expected one of '{}'",
                                    quote(name, most_quoted_characters),
                                    fmt::join(header, "', '")));
      return column;
    };
    document_ = need(columns.document);
    query_ = columns.of_pairs ? need(columns.query) : find(columns.query);
    into_.by_query_ = query_.exists();
    for (const std::string& name : columns.features) add_feature(name, need(name));
    for (std::size_t i = 0; columns.features.empty() && i < header.size(); ++i)
      if (i != document_.at && i != query_.at) add_feature(header[i], need(header[i]));
    if (features_.empty()) throw DataError("has no column with features; expected at least one");
  }

  void read_row(std::span<const std::string_view> fields) {
    if (fields.size() != width_)
      throw DataError(
          fmt::format("{} columns; expected {} as in the header", fields.size(), width_));
    const auto name_in = [&](const TableColumn& column) {
      return parse_name(fields[column.at], column);
    };
    const std::uint64_t query = into_.by_query_ ? IdNames::id_of(name_in(query_)) : 0;
    const std::string_view document = name_in(document_);
    const auto next = static_cast<std::uint64_t>(into_.rows_.rows());
    if (into_.rows_.add(query, IdNames::id_of(document)) < next)
      throw DataError(fmt::format("{} has features already; expected one row per {}",
                                  quote(document, most_quoted_characters),
                                  into_.by_query_ ? "query and document" : "document"));
    for (const TableColumn& column : features_)
      into_.features_.push_back(feature(fields[column.at], column));
  }

 private:
  static float feature(std::string_view text, const TableColumn& column) {
    if (text.empty()) return std::numeric_limits<float>::quiet_NaN();
    return parse_feature(text, column);
  }
  void add_feature(std::string_view name, TableColumn column) {
    features_.push_back(std::move(column));
    into_.names_.emplace_back(name);
  }

  FeatureRows& into_;
  std::size_t width_;
  TableColumn document_, query_;
  std::vector<TableColumn> features_;
};

FeatureRows::FeatureRows(const std::filesystem::path& file, const Columns& columns) {
  TableRecords records(file, delimiter_of_file(file));
  const auto located = [&](const DataError& error) {
    return DataError(fmt::format("{}:{}: {}", file.string(), records.line(), error.what()));
  };
  const auto next = [&] {
    try {
      return records.next();
    } catch (const MalformedRecord& error) {
      throw located(error);
    }
  };
  std::optional<Reading> reading;
  while (next()) {
    try {
      if (reading)
        reading->read_row(records.fields());
      else
        reading.emplace(*this, records.fields(), columns);
    } catch (const DataError& error) {
      throw located(error);
    }
  }
  if (rows() == 0)
    throw DataError(
        fmt::format("{}: has no row; expected a header and at least one row", file.string()));
}

std::span<const float> FeatureRows::find(std::uint64_t query, std::uint64_t document) const {
  const std::uint32_t row = rows_.find(by_query_ ? query : 0, document);
  if (row == PairDictionary::unknown) return {};
  return std::span(features_).subspan((row - std::size_t{1}) * names_.size(), names_.size());
}

}  // namespace ultr
