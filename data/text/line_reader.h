#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "data/text/split_line.h"
#include "data/text/text_blocks.h"

namespace ultr {

/// Reads a text file line by line, and splits lines into fields. The file is read as TextBlocks
/// says.
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

  /// Reads the next line, without its end ("\n" or "\r\n"). The line is valid until the next call.
  /// Returns false at the end of the file. Throws DataError, with a place, where TextBlocks does.
  bool next(std::string_view& line);
  /// The current line with its fields.
  SplitLine& fields() { return fields_; }

  /// Number of the current line, from 1.
  std::uint64_t line_number() const { return line_number_; }
  /// Bytes of the file read so far, which is up to a block ahead of the lines. In a gzip file,
  /// these are compressed bytes.
  std::uint64_t bytes_read() const { return bytes_read_; }
  /// Place of the current line, as in "log.txt:12".
  std::string where() const;

 private:
  /// Finds the ends of at least one more line and of its fields. Returns false if there is none.
  bool find_lines();
  /// Finds the ends of fields and lines in the next part of the text.
  void search_part();
  /// Parses the fields of all lines that were found.
  void parse_lines();
  /// Goes on with the next block of the file. Returns false if there is none.
  bool next_block();

  std::filesystem::path path_;
  std::unique_ptr<TextBlocks> blocks_;  // null for a text in memory
  std::optional<TextBlock> block_;
  std::array<char, 2> separators_{'\n', '\n'};
  bool parses_;
  std::string_view text_;                          // that of the block, or the one in memory
  std::size_t begin_ = 0, searched_ = 0;           // where its unread and unsearched parts begin
  std::vector<std::uint32_t> ends_;                // of fields and lines, in the text
  std::vector<std::uint32_t> lines_;               // the number of ends up to the end of each line
  std::vector<std::uint64_t> numbers_, unparsed_;  // of the fields, as SplitLine has them
  std::size_t found_ends_ = 0, used_ends_ = 0, found_lines_ = 0, used_lines_ = 0;
  SplitLine fields_;
  std::uint64_t line_number_ = 0, bytes_read_ = 0;
};

}  // namespace ultr
