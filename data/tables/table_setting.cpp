#include "data/tables/table_setting.h"

#include <fmt/core.h>
#include <unistd.h>

#include "base/error.h"
#include "base/text/quote.h"
#include "options/config_tree.h"

namespace ultr {

void TableSetting::fields(Fields& f) {
  f.section("columns", columns,
            "Columns of the table, by the names in its header or by number, from 1.");
  f.text("delimiter", delimiter, "Character between columns, or tab.");
  f.boolean("header", header, "The first row has the names of columns; else columns are numbers.");
  f.word("first_position", first_position,
         "Number of the first position; found: 0 if the file has one at 0, else 1.",
         {"found", "0", "1"});
  f.boolean("sorted", sorted,
            "The rows of each list are neighbours: memory does not grow with their number.");
  f.optional_number("row_memory", row_memory,
                    "Gigabytes that rows may take in memory; default: half of the machine's.",
                    above(0));
}

void TableSetting::check() const {
  delimiter_character();
  columns.check();
  if (sorted && first_position == "found")
    throw ConfigError(
        "data.sorted is true and data.first_position is 'found'; expected 0 or 1, since lists are "
        "passed on before all positions are known");
  if (sorted && !columns.time.empty())
    throw ConfigError(
        "data.sorted is true and data.columns.time is given; expected one of them, since lists are "
        "passed on before all times are known");
}

char TableSetting::delimiter_character() const {
  constexpr std::size_t most_shown = 40;
  if (delimiter == "tab" || delimiter == "\\t") return '\t';
  if (delimiter.size() == 1 && delimiter != "\"" && delimiter != "\n" && delimiter != "\r")
    return delimiter[0];
  throw ConfigError(fmt::format("data.delimiter is {}; expected one character, or tab",
                                quote(delimiter, most_shown)));
}

std::size_t TableSetting::memory_for_rows() const {
  constexpr double gigabyte = 1e9;
  if (row_memory) return static_cast<std::size_t>(*row_memory * gigabyte);
  return static_cast<std::size_t>(sysconf(_SC_PHYS_PAGES)) / 2 *
         static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
}

}  // namespace ultr
