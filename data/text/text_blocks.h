#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "data/text/text_source.h"

namespace ultr {

/// Lines of a text that lie together in memory.
class TextBlock {
 public:
  /// A copy of two texts, one after the other.
  TextBlock(std::string_view first, std::string_view second);

  /// The lines, followed by spare_bytes bytes that may be read.
  std::string_view text() const { return {bytes_.data(), size_}; }
  /// Bytes of the file that were read, up to here.
  std::uint64_t bytes_read() const { return bytes_read_; }

 private:
  friend class TextBlocks;

  std::vector<char> bytes_;
  std::size_t size_ = 0;
  std::uint64_t bytes_read_ = 0;
};

/// Cuts a text file into blocks of whole lines, which may then be read by several threads. A gzip
/// file is decompressed on the way.
class TextBlocks {
 public:
  /// `block_bytes`: about the size of a block; one with a longer line is larger. Throws DataError
  /// if the file is missing, is a directory or cannot be opened.
  TextBlocks(const std::filesystem::path& file, std::size_t block_bytes);

  /// Returns the next lines; nothing at the end of the file. Throws DataError without a place if
  /// the file cannot be read further, or if a line is too long (LineReader): after all lines before
  /// that.
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
  bool at_end_ = false;
  std::exception_ptr failure_;
};

}  // namespace ultr
