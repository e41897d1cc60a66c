#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ultr {

/// One record of a CSV file (RFC 4180), split at its delimiters. A field in quotes may contain
/// delimiters and line breaks, and a doubled quote in it stands for one quote. Quotes within a
/// field that does not start with one are ordinary characters.
class CsvLine {
 public:
  explicit CsvLine(char delimiter = ',') : delimiter_(delimiter) {}

  /// Splits a record. Throws DataError if a quote is not closed or text follows a closing quote.
  void split(std::string_view record);
  /// Splits a record likewise, but returns false if a quote is not closed: the record goes on with
  /// the next line.
  bool try_split(std::string_view record);
  /// Fields without their quotes. They are valid until the next split and as long as the record
  /// lives.
  std::span<const std::string_view> fields() const { return fields_; }

 private:
  /// Appends the fields of a record up to one that starts with a quote, and removes them from its
  /// front. Returns true if no field is left.
  bool take_plain(std::string_view& rest);
  /// Appends the quoted field at the front and removes it, its delimiter included. Returns true if
  /// its quote is closed.
  bool take_quoted(std::string_view& rest, bool& last);

  char delimiter_;
  std::vector<std::string_view> fields_;
  std::string unquoted_;  // text of quoted fields
};

}  // namespace ultr
