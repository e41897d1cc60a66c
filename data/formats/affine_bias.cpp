#include "data/formats/affine_bias.h"

#include <limits>
#include <string>

#include <fmt/format.h>

#include "base/error.h"
#include "base/text/quote.h"
#include "data/formats/position_rows.h"
#include "data/text/line_fields.h"

namespace ultr {
namespace {

constexpr std::string_view bias_header = "position,alpha,beta";

/// Sums of decimals that should be 1 may be a little above.
constexpr double rounding_of_sums = 1e-9;

void expect_bias_columns(std::string_view line, std::span<const std::string_view> names) {
  constexpr std::size_t most_shown = 60;
  if (names.size() != 3 || names[0] != "position" || names[1] != "alpha" || names[2] != "beta")
    throw DataError(
        fmt::format("header is {}; expected '{}'", quote(line, most_shown), bias_header));
}

}  // namespace

AffineBias read_affine_bias(const std::filesystem::path& file) {
  AffineBias bias;
  read_position_rows(
      file, bias_header, expect_bias_columns,
      [&](std::size_t position, std::span<const std::string_view> fields) {
        const double alpha = parse_number(fields[1], "alpha", at_least(0));
        const double beta = parse_number(fields[2], "beta", at_least(0));
        if (alpha == 0 && beta > 0)
          throw DataError(fmt::format(
              "alpha is 0 and beta is {}; expected alpha above 0, or both 0 where nobody looks",
              beta));
        if (alpha + beta > 1 + rounding_of_sums)
          throw DataError(fmt::format(
              "alpha + beta is {}; expected at most 1, the click rate of relevant documents",
              alpha + beta));
        if (position >= bias.alpha.size()) {
          bias.alpha.resize(position + 1, std::numeric_limits<double>::quiet_NaN());
          bias.beta.resize(position + 1, std::numeric_limits<double>::quiet_NaN());
        }
        bias.alpha[position] = alpha;
        bias.beta[position] = beta;
      });
  return bias;
}

}  // namespace ultr
