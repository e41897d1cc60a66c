#include "data/formats/csv_line.h"

#include <fmt/core.h>

#include "base/error.h"

namespace ultr {

std::string_view CsvLine::take_quoted(std::string_view& rest) {
  const std::size_t begin = unquoted_.size();
  rest.remove_prefix(1);
  for (;;) {
    const std::size_t quote = rest.find('"');
    if (quote == std::string_view::npos)
      throw DataError(fmt::format("the quote of field {} is not closed; expected '\"' at its end",
                                  fields_.size() + 1));
    unquoted_ += rest.substr(0, quote);
    rest.remove_prefix(quote + 1);
    if (!rest.starts_with('"')) break;
    unquoted_ += '"';
    rest.remove_prefix(1);
  }
  if (!rest.empty() && !rest.starts_with(','))
    throw DataError(
        fmt::format("text after the quoted field {}; expected a comma", fields_.size() + 1));
  return std::string_view(unquoted_).substr(begin);
}

void CsvLine::split(std::string_view line) {
  fields_.clear();
  unquoted_.clear();
  unquoted_.reserve(line.size());  // fields_ refers to it, so it must not be reallocated
  for (;;) {
    if (line.starts_with('"')) {
      fields_.push_back(take_quoted(line));
    } else {
      fields_.push_back(line.substr(0, line.find(',')));
      line.remove_prefix(fields_.back().size());
    }
    if (line.empty()) return;
    line.remove_prefix(1);
  }
}

}  // namespace ultr
