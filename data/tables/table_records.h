#pragma once

#include <cstdint>
#include <deque>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.h"
#include "data/text/csv_line.h"
#include "data/text/line_reader.h"

namespace ultr {

/// A record that cannot be split into fields.
class MalformedRecord final : public DataError {
 public:
  using DataError::DataError;
};

/// A part of a table's text.
struct TablePart {
  std::string_view text;  // whole lines, followed as LineReader says
  bool is_last = true;
};

/// Reads the records of a text table, whose quoted fields may contain line breaks (CsvLine). A line
/// break within a field is read as "\n".
class TableRecords {
 public:
  /// The most lines and bytes of a record: a stray quote must not swallow the rest of a file.
  static constexpr std::size_t most_lines = 100, most_bytes = std::size_t{1} << 16;

  /// Throws DataError as LineReader does.
  TableRecords(const std::filesystem::path& file, char delimiter)
      : TableRecords(delimiter, TablePart(),
                     LineReader(file, {.separators = std::string{delimiter, '"'}})) {}
  /// Reads the records that begin in a part of a table. Its text must outlive this.
  TableRecords(const TablePart& part, char delimiter)
      : TableRecords(delimiter, part,
                     LineReader(part.text, {.separators = std::string{delimiter, '"'}})) {}

  /// Reads the next record that is not an empty line. Returns false at the end of the file, or if
  /// the next record goes on after its part. Throws MalformedRecord without a place; the next call
  /// then reads the line after the one where the record starts. Throws DataError with a place if
  /// the file cannot be read further.
  bool next();
  /// Fields of the record, valid until the next call of `next`.
  std::span<const std::string_view> fields() const { return fields_; }
  /// Number of the line, from 1, where the record starts.
  std::uint64_t line() const { return line_; }
  /// Number of lines up to the record, with its own; once `next` has returned false, of all but
  /// those of `unfinished`.
  std::uint64_t lines() const { return last_line_; }
  /// The text of a record that goes on after its part; empty without one.
  std::string_view unfinished() const { return unfinished_; }
  /// As LineReader::bytes_read.
  std::uint64_t bytes_read() const { return lines_.bytes_read(); }

 private:
  /// A line that was read ahead.
  struct UnreadLine {
    std::string text;
    const char* begin;  // where it stood
  };

  TableRecords(char delimiter, const TablePart& part, LineReader lines)
      : delimiter_(delimiter), part_(part), lines_(std::move(lines)), record_(delimiter) {}

  bool next_line(std::string_view& line);
  /// Takes the fields of a line as LineReader has split it. Returns false if the line has a quote.
  bool take_plain(std::string_view line);
  /// Splits text. Returns false if a quote is not closed. Throws MalformedRecord.
  bool try_split(std::string_view text);
  /// Reads a record that goes on after its first line. Returns false if it goes on after the part.
  bool read_long(std::string_view first);
  /// Returns true if more lines, which are moved to `more`, complete the record.
  bool complete(std::deque<UnreadLine>& more);

  char delimiter_;
  TablePart part_;    // without a text if a file is read
  LineReader lines_;  // split at delimiters and quotes
  CsvLine record_;    // a record with quotes
  std::vector<std::string_view> plain_;
  std::span<const std::string_view> fields_;  // in plain_ or record_
  std::uint64_t line_ = 0, last_line_ = 0;    // first and last line of the record
  std::string text_;                          // of a record of several lines
  std::deque<UnreadLine> unread_;             // lines that were read ahead
  UnreadLine unread_line_{};                  // the current line, if it was one of these
  const char* line_begin_ = nullptr;          // where the current line stood
  bool no_more_lines_ = false;
  std::string_view unfinished_;
};

/// Returns the delimiter that a header of a single column suggests, as an option gives it: one
/// character, or tab. Returns an empty text if there is none.
std::string likely_delimiter(std::span<const std::string_view> header);

/// Returns the delimiter of a table that only has its name to say it: tabs in .tsv and .tsv.gz,
/// else commas.
char delimiter_of_file(const std::filesystem::path& file);
/// The delimiters of delimiter_of_file, for messages.
inline constexpr std::string_view delimiters_by_file_name =
    "commas, or tabs in a file whose name ends in .tsv";

}  // namespace ultr
