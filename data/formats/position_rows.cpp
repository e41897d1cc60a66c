#include "data/formats/position_rows.h"

#include <algorithm>
#include <cstdint>
#include <vector>

#include <fmt/format.h>

#include "base/error.h"
#include "data/text/csv_line.h"
#include "data/text/line_fields.h"

namespace ultr {

std::size_t read_position_rows(const std::filesystem::path& file, std::string_view example,
                               const CheckPositionHeader& check, const TakePositionRow& take) {
  constexpr std::int64_t most_positions = 65536;  // positions are stored in 16 bits
  std::vector<std::uint64_t> lines;               // line number of each position; 0 if not seen
  std::size_t columns = 0;                        // 0 before the header
  CsvLine csv;
  for_each_line(file, {}, [&](std::string_view line, std::uint64_t number) {
    csv.split(line);
    const auto fields = csv.fields();
    if (columns == 0) {
      check(line, fields);
      columns = fields.size();
      return;
    }
    if (fields.size() != columns)
      throw DataError(
          fmt::format("{} fields; expected {} as in the header", fields.size(), columns));
    const auto position =
        static_cast<std::size_t>(parse_integer(fields[0], "position", 1, most_positions));
    if (position > lines.size()) lines.resize(position);
    take(position - 1, fields);
    if (lines[position - 1] > 0)
      throw DataError(fmt::format("position {} is on line {} too; expected it once", position,
                                  lines[position - 1]));
    lines[position - 1] = number;
  });
  if (lines.empty())
    throw DataError(fmt::format(
        "{}: has no position; expected a header such as '{}' and a row for each position",
        file.string(), example));
  return lines.size();
}

}  // namespace ultr
