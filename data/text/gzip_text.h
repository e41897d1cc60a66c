#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

struct inflate_state;  // of ISA-L

namespace ultr {

/// The text of a gzip file, decompressed. A file may consist of several compressed texts, one after
/// the other, and end with zeros, as tapes and block devices pad it.
class GzipText {
 public:
  /// Fills the span with the next bytes of the file and returns their number; fewer than fit only
  /// at the end of the file.
  using ReadBytes = std::function<std::size_t(std::span<char>)>;

  /// `buffer_bytes`: how many bytes of the file are read at once.
  GzipText(ReadBytes read_bytes, std::size_t buffer_bytes);
  ~GzipText();
  GzipText(const GzipText&) = delete;
  GzipText& operator=(const GzipText&) = delete;

  /// Returns whether a file that begins with these bytes is a gzip file.
  static bool is_gzip(std::string_view first_bytes);

  /// Reads the next bytes of the text and returns their number; 0 at the end. Throws DataError with
  /// the reason if the file is cut off or damaged, after the text before that place, of which a
  /// few bytes may be missing.
  std::size_t read(std::span<char> into);

 private:
  /// Decompresses what is in the buffer, as far as the output has room.
  void go_on();
  /// Begins with the next compressed text if there is one.
  void begin_next();
  /// Reads bytes of the file if the buffer is used up. Returns false at the end of the file.
  bool has_bytes();

  ReadBytes read_bytes_;
  std::vector<char> buffer_;
  std::unique_ptr<inflate_state> state_;
  std::string problem_;       // why the file cannot be read further
  bool within_text_ = false;  // a compressed text has begun and not ended
  bool first_ = true;         // none has ended
  bool ended_ = false;
};

}  // namespace ultr
