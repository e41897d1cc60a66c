#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ultr {

/// One line of a CSV file (RFC 4180), split at commas. A field may be in quotes; it may then have
/// commas, and a doubled quote stands for one. Line breaks within a field are not supported, so
/// that one bad quote spoils one line only.
class CsvLine {
 public:
  /// Splits a line. Throws DataError if a quote is not closed, or text follows a closed one.
  void split(std::string_view line);
  /// The fields, without their quotes; valid until the next split and as long as its line.
  std::span<const std::string_view> fields() const { return fields_; }

 private:
  std::string_view take_quoted(std::string_view& rest);

  std::vector<std::string_view> fields_;
  std::string unquoted_;  // text of fields that have quotes within
};

}  // namespace ultr
