#include "data/formats/propensities.h"

#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "base/error.h"
#include "base/files/file.h"
#include "base/text/quote.h"
#include "data/formats/position_rows.h"
#include "data/text/line_fields.h"

namespace ultr {
namespace {

void expect_header(std::string_view line, std::span<const std::string_view> names) {
  constexpr std::size_t most_shown = 60;
  if (names.size() != 2 || names[0] != "position")
    throw DataError(
        fmt::format("header is {}; expected the column 'position' and one more, such as "
                    "'position,propensity'",
                    quote(line, most_shown)));
}

}  // namespace

Propensities read_propensities(const std::filesystem::path& file) {
  constexpr double unknown = std::numeric_limits<double>::quiet_NaN();
  Propensities propensities;
  read_position_rows(file, "position,propensity", expect_header,
                     [&](std::size_t position, std::span<const std::string_view> fields) {
                       const double propensity =
                           fields[1].empty() ? unknown
                                             : parse_number(fields[1], "propensity", at_least(0));
                       if (position >= propensities.size())
                         propensities.resize(position + 1, unknown);
                       propensities[position] = propensity;
                     });
  return propensities;
}

void write_propensities(const std::filesystem::path& file, std::string_view column,
                        std::span<const double> propensities) {
  if (column.empty() || column.find_first_of(",\"\r\n") != std::string_view::npos)
    throw Error(fmt::format(
        "{}: the column is named {}; expected a name without commas, quotes and line breaks",
        file.string(), quote(column)));
  std::string csv = fmt::format("position,{}\n", column);
  for (std::size_t k = 0; k < propensities.size(); ++k) {
    const double propensity = propensities[k];
    if (propensity < 0 || std::isinf(propensity))
      throw Error(fmt::format(
          "{}: the propensity of position {} is {}; expected a finite number of at least 0, or NaN",
          file.string(), k + 1, propensity));
    csv += std::isnan(propensity) ? fmt::format("{},\n", k + 1)
                                  : fmt::format("{},{}\n", k + 1, propensity);
  }
  write_file(file, csv);
}

}  // namespace ultr
