#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ultr {

/// One line of a CSV file (RFC 4180), split at commas. A field in quotes may contain commas, and a
/// doubled quote in it stands for one quote. Line breaks within a field are not supported, so a
/// stray quote spoils one line only.
class CsvLine {
 public:
  /// Splits a line. Throws DataError if a quote is not closed or text follows a closing quote.
  void split(std::string_view line);
  /// Fields without their quotes. They are valid until the next split and as long as the line
  /// lives.
  std::span<const std::string_view> fields() const { return fields_; }

 private:
  std::string_view take_quoted(std::string_view& rest);

  std::vector<std::string_view> fields_;
  std::string unquoted_;  // text of quoted fields
};

}  // namespace ultr
