#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "data/text/split_line.h"
#include "data/text/text_source.h"

namespace ultr {

/// Reads a text file line by line, and splits lines into fields. A gzip file is decompressed on the
/// way.
class LineReader {
 public:
  struct Setting {
    std::string_view separators{};  // at most two characters at which lines are split
    bool numbers = false;           // parse fields as numbers
  };

  /// Throws DataError if the file is missing, is a directory or cannot be opened.
  explicit LineReader(const std::filesystem::path& file) : LineReader(file, Setting()) {}
  LineReader(const std::filesystem::path& file, const Setting& setting);
  /// Reads the lines of a text in memory, which must outlive the reader; at least spare_bytes bytes
  /// that may be read must follow it.
  LineReader(std::string_view text, const Setting& setting);

  /// Lines must have fewer bytes.
  static constexpr std::size_t longest_line = std::size_t{1} << 26;

  /// Reads the next line, without its end ("\n" or "\r\n"). The line is valid until the next call.
  /// Returns false at the end of the file. Throws DataError if the file cannot be read further, for
  /// instance a gzip file that was cut off, or if a line is too long.
  bool next(std::string_view& line);
  /// The current line with its fields.
  SplitLine& fields() { return fields_; }

  /// Number of the current line, from 1.
  std::uint64_t line_number() const { return line_number_; }
  /// Bytes of the file read so far, which is up to a block ahead of the lines. In a gzip file,
  /// these are compressed bytes.
  std::uint64_t bytes_read() const { return source_ ? source_->bytes_read() : end_; }
  /// Place of the current line, as in "log.txt:12".
  std::string where() const;

 private:
  /// Finds the ends of at least one more line and of its fields. Returns false if there is none.
  bool find_lines();
  /// Finds the ends of fields and lines in the next part of the buffer.
  void search_part();
  /// Parses the fields of all lines that were found.
  void parse_lines();
  /// Moves what is unread to the front of the buffer and reads more. Returns false if there is
  /// nothing more.
  bool fill();
  bool read_more();
  void resize_memory(std::size_t capacity);

  std::filesystem::path path_;
  std::unique_ptr<TextSource> source_;  // null for a text in memory
  std::array<char, 2> separators_{'\n', '\n'};
  bool parses_;
  std::size_t capacity_ = 0;
  std::vector<char> memory_;                        // of more than capacity_ bytes
  const char* buffer_;                              // in memory_, or the text
  std::size_t begin_ = 0, end_ = 0, searched_ = 0;  // unread part of the buffer
  std::vector<std::uint32_t> ends_;                 // of fields and lines, in the buffer
  std::vector<std::uint32_t> lines_;                // the number of ends up to the end of each line
  std::vector<std::uint64_t> numbers_, unparsed_;   // of the fields, as SplitLine has them
  std::size_t found_ends_ = 0, used_ends_ = 0, found_lines_ = 0, used_lines_ = 0;
  SplitLine fields_;
  bool at_end_ = false;
  std::uint64_t line_number_ = 0;
};

}  // namespace ultr
