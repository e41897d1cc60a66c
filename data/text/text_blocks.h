#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "data/text/text_source.h"

namespace ultr {

/// Lines of a text that lie together in memory.
class TextBlock {
 public:
  /// A copy of two texts, one after the other.
  TextBlock(std::string_view first, std::string_view second);

  /// The lines, followed by spare_bytes bytes that may be read.
  std::string_view text() const { return {bytes_.get(), size_}; }
  /// Bytes of the file that were read, up to here.
  std::uint64_t bytes_read() const { return bytes_read_; }

 private:
  friend class TextBlocks;

  /// Makes room for a text of so many bytes, and keeps what there is.
  void reserve(std::size_t bytes);
  /// Removes a byte-order mark from the begin.
  void drop_mark();

  std::unique_ptr<char[]> bytes_;  // unlike a vector's, not filled with zeros before they are read
  std::size_t size_ = 0;
  std::uint64_t bytes_read_ = 0;
};

/// Cuts a text file into blocks of whole lines, which may then be read by several threads. A gzip
/// file is decompressed on the way. A byte-order mark of UTF-8 at the begin of the text is left
/// out.
class TextBlocks {
 public:
  /// `block_bytes`: about the size of a block; one with a longer line is larger. Throws DataError
  /// if the file is missing, is a directory or cannot be opened.
  TextBlocks(const std::filesystem::path& file, std::size_t block_bytes);

  /// Lines must have fewer bytes.
  static constexpr std::size_t longest_line = std::size_t{1} << 26;

  /// Returns the next lines; nothing at the end of the file. Throws DataError without a place if
  /// the file cannot be read further, for instance a gzip file that was cut off, or if a line is
  /// too long: after all lines before that.
  std::optional<TextBlock> next();

 private:
  /// Reads until a block is full or the file ends; what ends it earlier is in failure_.
  void fill(TextBlock& block);
  std::size_t read(std::span<char> into);
  /// Moves what follows the last line end to rest_. Returns false if there is none.
  bool cut(TextBlock& block);

  std::size_t block_bytes_;
  TextSource source_;
  std::string rest_;  // the begin of a line that the latest block has not
  bool begun_ = false, at_end_ = false;
  std::exception_ptr failure_;
};

}  // namespace ultr
