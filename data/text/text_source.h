#pragma once

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace ultr {

template <class Item, class Input>
class BackgroundSource;
class GzipText;

/// The bytes of a text file, read in order. A gzip file is decompressed ahead, by a thread of its
/// own.
class TextSource {
 public:
  /// `part_bytes`: about how many bytes are read at once. Throws DataError if the file is missing,
  /// is a directory or cannot be opened.
  TextSource(const std::filesystem::path& file, std::size_t part_bytes);
  ~TextSource();
  TextSource(const TextSource&) = delete;
  TextSource& operator=(const TextSource&) = delete;

  /// Reads the next bytes and returns their number; 0 at the end of the file. Throws DataError with
  /// the reason alone if the file cannot be read further, for instance a gzip file that was cut
  /// off.
  std::size_t read(std::span<char> into);
  /// Bytes of the file read so far, which is ahead of what `read` has returned. In a gzip file,
  /// these are compressed bytes.
  std::uint64_t bytes_read() const { return parts_ ? part_.bytes_read : stored_bytes_; }

 private:
  /// A decompressed part of the file.
  struct Part {
    std::vector<char> bytes;
    std::uint64_t bytes_read;
  };

  /// Sees what the file is.
  void begin();
  /// Reads bytes as the file has them. Throws DataError as `read` does.
  std::size_t read_stored(std::span<char> into);
  std::optional<Part> unpack();

  std::ifstream file_;
  bool begun_ = false;
  std::string first_bytes_;         // read to see what the file is, and not passed on yet
  std::uint64_t stored_bytes_ = 0;  // of the file that were read
  std::size_t part_bytes_;
  std::unique_ptr<GzipText> text_;  // null for a file that is not compressed
  Part part_{};                     // the latest part of a gzip file
  std::size_t used_ = 0;            // its bytes that were passed on
  /// Null for a file that is not compressed. Declared last: its thread uses the others.
  std::unique_ptr<BackgroundSource<Part, Part>> parts_;
};

}  // namespace ultr
