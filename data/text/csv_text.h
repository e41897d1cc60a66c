#pragma once

#include <concepts>
#include <string>
#include <string_view>

#include <fmt/compile.h>
#include <fmt/format.h>

namespace ultr {

/// The text of a CSV file (RFC 4180), built cell by cell.
///
/// ```
/// CsvText csv;
/// csv.add("shoes, red");
/// csv.add(3);
/// csv.end_row();
/// csv.text();  // "shoes, red",3 and a line feed
/// ```
class CsvText {
 public:
  /// Adds a text, in quotes if it contains a comma, a quote or a line break, or starts or ends with
  /// a space.
  void add(std::string_view text);
  void add(std::integral auto number) {
    const fmt::format_int digits(number);
    add_plain({digits.data(), digits.size()});
  }
  /// Adds a number with the digits that tell it from all others of its type; an empty cell for NaN.
  void add(float number);
  void add(double number);
  /// Adds a number rounded to four significant digits; an empty cell for NaN.
  void add_rounded(double number);
  /// Ends a row, which must have a cell.
  void end_row() { text_[text_.size() - 1] = '\n'; }

  std::string_view text() const { return {text_.data(), text_.size()}; }
  void clear() { text_.clear(); }

 private:
  void add_plain(std::string_view cell) {
    text_.append(cell);
    text_.push_back(',');
  }

  fmt::memory_buffer text_;  // with a comma after each cell of an open row
};

/// Formats a text as a field of a CSV file, as CsvText does.
std::string csv_field(std::string_view text);

}  // namespace ultr
