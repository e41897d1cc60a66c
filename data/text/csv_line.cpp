#include "data/text/csv_line.h"

#include <fmt/core.h>

#include "base/error.h"
#include "base/text/quote.h"

namespace ultr {

bool CsvLine::take_plain(std::string_view& rest) {
  while (!rest.starts_with('"')) {
    const std::size_t end = rest.find(delimiter_);
    fields_.push_back(rest.substr(0, end));
    if (end == std::string_view::npos) return true;
    rest.remove_prefix(end + 1);
  }
  return false;
}

bool CsvLine::take_quoted(std::string_view& rest, bool& last) {
  const std::size_t begin = unquoted_.size();
  rest.remove_prefix(1);
  for (;;) {
    const std::size_t quote = rest.find('"');
    if (quote == std::string_view::npos) return false;
    unquoted_ += rest.substr(0, quote);
    rest.remove_prefix(quote + 1);
    if (!rest.starts_with('"')) break;
    unquoted_ += '"';
    rest.remove_prefix(1);
  }
  fields_.push_back(std::string_view(unquoted_).substr(begin));
  last = rest.empty();
  if (last) return true;
  if (rest[0] != delimiter_)
    throw DataError(
        fmt::format("text after the quoted field {}; expected {}", fields_.size(),
                    delimiter_ == ',' ? "a comma" : quote(std::string_view(&delimiter_, 1))));
  rest.remove_prefix(1);
  return true;
}

bool CsvLine::try_split(std::string_view record) {
  fields_.clear();
  if (take_plain(record)) return true;
  unquoted_.clear();
  unquoted_.reserve(record.size());  // fields_ refers to it, so it must not be reallocated
  for (bool last = false; !last;) {
    if (!take_quoted(record, last)) return false;
    if (!last && take_plain(record)) return true;
  }
  return true;
}

void CsvLine::split(std::string_view record) {
  if (!try_split(record))
    throw DataError(fmt::format("the quote of field {} is not closed; expected '\"' at its end",
                                fields_.size() + 1));
}

}  // namespace ultr
