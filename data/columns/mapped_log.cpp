#include <algorithm>

#include <fmt/core.h>

#include "base/error.h"
#include "base/files/npy.h"
#include "base/files/npy_integers.h"
#include "data/columns/column_types.h"
#include "data/columns/columns.h"
#include "data/log/pair_dictionary.h"

namespace ultr {
namespace {

namespace fs = std::filesystem;

/// Returns the largest entry. Reads the column in pieces and releases the memory of each.
std::uint32_t largest(const Column<std::uint32_t>& column) {
  constexpr std::size_t piece = std::size_t{1} << 22;
  std::uint32_t largest = 0;
  for (std::size_t begin = 0; begin < column.size(); begin += piece) {
    const auto part = column.values().subspan(begin, std::min(piece, column.size() - begin));
    for (const std::uint32_t row : part) largest = std::max(largest, row);
    column.release(begin, part.size());
  }
  return largest;
}

constexpr ColumnType mapped_types[] = {{"offsets"}, {"pairs"},     {"clicks"},
                                       {"queries"}, {"positions"}, {"propensities", false}};

bool has_pairs(const fs::path& folder) {
  std::error_code ignored;
  return fs::exists(folder / pairs_file, ignored);
}

std::optional<MappedLog> map_columns(const fs::path& folder, const ReadRules& rules,
                                     std::string& why) {
  expect_column_types(folder, mapped_types);
  SessionColumns columns{.offsets = map_integer_column<std::int64_t>(folder / "offsets.npy"),
                         .rows = map_integer_column<std::uint32_t>(folder / pairs_file),
                         .clicks = map_integer_column<std::uint8_t>(folder / "clicks.npy"),
                         .queries = map_integer_column<std::uint64_t>(folder / "queries.npy"),
                         .positions = map_integer_column<std::uint16_t>(folder / "positions.npy"),
                         .propensities = map_npy_column<float>(folder / "propensities.npy"),
                         .signals = {}};
  for (const Signal signal : all_signals)
    columns.signals[signal] =
        map_integer_column<std::uint16_t>(folder / fmt::format("{}.npy", type_of(signal).name));
  require_column(folder, "offsets", !columns.offsets.empty());
  require_column(folder, "clicks", !columns.clicks.empty() || columns.rows.empty());
  MappedLog mapped;
  mapped.dictionary_id = read_dictionary_id(folder);
  mapped.largest_row = largest(columns.rows);
  try {
    mapped.log = SessionLog(std::move(columns));
  } catch (const DataError& error) {
    if (rules.skip_malformed) {
      why = "malformed lists have to be skipped";
      return std::nullopt;
    }
    throw_column_error(folder, error.what());
  }
  if (mapped.log.sessions() == 0) {
    why = "it has no list";
    return std::nullopt;
  }
  if (mapped.log.positions() > rules.max_positions) {
    why = fmt::format(
        "lists show documents at up to position {}; expected at most max_positions = {}",
        mapped.log.positions(), rules.max_positions);
    return std::nullopt;
  }
  return mapped;
}

}  // namespace

LogMapper columns_mapper() { return {.is_mappable = has_pairs, .map = map_columns}; }

}  // namespace ultr
