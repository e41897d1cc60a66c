#include "data/text/line_reader.h"

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstring>

#include <fmt/core.h>
#include <zlib.h>

#include "base/error.h"

namespace ultr {
namespace {

constexpr std::size_t read_bytes = std::size_t{1} << 18;
constexpr std::size_t smallest_buffer = std::size_t{1} << 12;
constexpr std::size_t longest_line = std::size_t{1} << 26;  // a power of two, as the buffer's size

/// Returns the size of the buffer to begin with: a power of two, smaller for a small file.
std::size_t buffer_bytes(const std::filesystem::path& file) {
  std::error_code error;
  const std::uintmax_t bytes = std::filesystem::file_size(file, error);  // a pipe has none
  if (error || bytes >= read_bytes) return read_bytes;
  return std::max(std::bit_ceil(static_cast<std::size_t>(bytes) + 1), smallest_buffer);
}

}  // namespace

LineReader::LineReader(const std::filesystem::path& file)
    : path_(file), file_(nullptr, gzclose), buffer_(buffer_bytes(file)) {
  std::error_code ignored;
  if (std::filesystem::is_directory(file, ignored))
    throw DataError(file.string() + ": is a directory; expected a file");
  file_.reset(gzopen(file.c_str(), "rb"));
  if (!file_)
    throw DataError(fmt::format("{}: cannot be opened ({}); expected a file to read", file.string(),
                                std::strerror(errno)));
  // zlib copies text that is not compressed straight to buffer_ if its own buffer is much smaller.
  gzbuffer(file_.get(), static_cast<unsigned>(buffer_.size() / 4));
}

bool LineReader::fill() {
  if (begin_ > 0) std::memmove(buffer_.data(), buffer_.data() + begin_, end_ - begin_);
  end_ -= begin_;
  begin_ = 0;
  if (end_ == longest_line)
    throw DataError(fmt::format("{}:{}: the line is too long; expected at most {} bytes",
                                path_.string(), line_number_ + 1, longest_line - 1));
  if (end_ == buffer_.size()) buffer_.resize(2 * end_);  // the line is longer than the buffer
  const int got =
      gzread(file_.get(), buffer_.data() + end_, static_cast<unsigned>(buffer_.size() - end_));
  // A truncated file yields all that it has before zlib reports the error.
  int error = Z_OK;
  const std::string why = gzerror(file_.get(), &error);
  if (got < 0 || (got == 0 && error != Z_OK && error != Z_STREAM_END))
    throw DataError(fmt::format("{}:{}: cannot be read further ({}); expected a whole file",
                                path_.string(), line_number_ + 1, why));
  end_ += static_cast<std::size_t>(got);
  const z_off_t offset = gzoffset(file_.get()), unpacked = gztell(file_.get());
  bytes_read_ = static_cast<std::uint64_t>(
      std::max(offset > 0 ? offset : unpacked, z_off_t{0}));  // a pipe has no offset
  return got > 0;
}

bool LineReader::next(std::string_view& line) {
  std::size_t searched = begin_;
  for (;;) {
    const char* const start = buffer_.data() + searched;
    if (const void* const end = std::memchr(start, '\n', end_ - searched)) {
      const auto length =
          static_cast<std::size_t>(static_cast<const char*>(end) - (buffer_.data() + begin_));
      line = std::string_view(buffer_.data() + begin_, length);
      begin_ += length + 1;
      break;
    }
    searched = end_ - begin_;  // fill moves what is left to the front
    if (!at_end_ && fill()) continue;
    at_end_ = true;
    if (begin_ == end_) return false;
    line = std::string_view(buffer_.data() + begin_, end_ - begin_);
    begin_ = end_;
    break;
  }
  if (line.ends_with('\r')) line.remove_suffix(1);
  ++line_number_;
  return true;
}

std::string LineReader::where() const { return fmt::format("{}:{}", path_.string(), line_number_); }

}  // namespace ultr
