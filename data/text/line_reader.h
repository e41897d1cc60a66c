#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

struct gzFile_s;  // of zlib

namespace ultr {

/// Reads a text file line by line. A gzip file is decompressed on the way.
class LineReader {
 public:
  /// Throws DataError if the file is missing, is a directory or cannot be opened.
  explicit LineReader(const std::filesystem::path& file);

  /// Reads the next line, without its end ("\n" or "\r\n"). The line is valid until the next call.
  /// Returns false at the end of the file. Throws DataError if the file cannot be read further, for
  /// instance a gzip file that was cut off, or if a line has 64 MiB or more.
  bool next(std::string_view& line);

  /// Number of the current line, from 1.
  std::uint64_t line_number() const { return line_number_; }
  /// Bytes of the file read so far, which is up to a block ahead of the lines. In a gzip file,
  /// these are compressed bytes.
  std::uint64_t bytes_read() const { return bytes_read_; }
  /// Place of the current line, as in "log.txt:12".
  std::string where() const;

 private:
  bool fill();

  std::filesystem::path path_;
  std::unique_ptr<gzFile_s, int (*)(gzFile_s*)> file_;  // zlib passes on text as it is
  std::vector<char> buffer_;
  std::size_t begin_ = 0, end_ = 0;  // unread part of the buffer
  bool at_end_ = false;
  std::uint64_t line_number_ = 0, bytes_read_ = 0;
};

}  // namespace ultr
