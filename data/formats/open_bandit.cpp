#include "data/formats/open_bandit.h"

#include <algorithm>
#include <limits>
#include <optional>

#include <fmt/core.h>

#include "base/error.h"
#include "data/text/csv_line.h"
#include "data/text/line_fields.h"

namespace ultr {
namespace {

/// Number of columns of the file, and the indices of those that are read.
struct ImpressionColumns {
  std::size_t columns, item, position, click;
  std::optional<std::size_t> propensity;
};

ImpressionColumns find_columns(std::span<const std::string_view> names) {
  const auto find = [&](std::string_view name) -> std::optional<std::size_t> {
    const auto found = std::find(names.begin(), names.end(), name);
    if (found == names.end()) return std::nullopt;
    return static_cast<std::size_t>(found - names.begin());
  };
  const auto need = [&](std::string_view name) {
    const auto column = find(name);
    if (!column)
      throw DataError(
          fmt::format("no column '{}'; expected a header with item_id, position and click", name));
    return *column;
  };
  return {names.size(), need("item_id"), need("position"), need("click"), find("propensity_score")};
}

}  // namespace

ReadReport read_open_bandit(const std::filesystem::path& file, const ReadRules& rules,
                            const std::function<void(const RawList&)>& take) {
  constexpr std::int64_t any_position = std::numeric_limits<std::uint16_t>::max();
  CsvLine csv;
  std::optional<ImpressionColumns> header;
  RawList list;
  list.documents.resize(1);
  list.positions.resize(1);
  list.clicks.resize(1);
  std::uint64_t lists = 0;
  ReadReport report = for_each_line(file, rules, [&](std::string_view line, std::uint64_t) {
    csv.split(line);
    const auto fields = csv.fields();
    if (!header) {
      header = find_columns(fields);
      return;
    }
    if (fields.size() != header->columns)
      throw DataError(
          fmt::format("{} fields; expected {} as in the header", fields.size(), header->columns));
    list.documents[0] = parse_id(fields[header->item], "item_id");
    const auto position = static_cast<std::size_t>(
        parse_integer(fields[header->position], "position", 1, any_position));
    list.clicks[0] = static_cast<std::uint8_t>(parse_integer(fields[header->click], "click", 0, 1));
    if (header->propensity)
      list.propensities = {parse_propensity(fields[*header->propensity], "propensity_score")};
    if (position > rules.max_positions)
      throw DataError(fmt::format("position is '{}'; expected at most data.max_positions = {}",
                                  position, rules.max_positions));
    list.positions[0] = static_cast<std::uint16_t>(position - 1);
    take(list);
    ++lists;
  });
  report.lists = lists;
  expect_lists(file, report, "a header and at least one impression");
  return report;
}

}  // namespace ultr
