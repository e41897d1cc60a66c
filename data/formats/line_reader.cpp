#include "data/formats/line_reader.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <span>

#include <fcntl.h>
#include <fmt/core.h>
#include <unistd.h>
#include <zlib.h>

#include "base/error.h"

namespace ultr {
namespace {

constexpr std::size_t read_bytes = std::size_t{1} << 18;

/// Opens a regular file that does not start like gzip. Returns -1 for any other, or if it cannot be
/// opened.
int open_plain(const std::filesystem::path& path) {
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(path, ignored))
    return -1;  // a pipe can be opened only once
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  std::array<unsigned char, 2> start = {};
  const bool gzip = file >= 0 && pread(file, start.data(), start.size(), 0) == 2 &&
                    start[0] == 0x1f && start[1] == 0x8b;
  if (!gzip) return file;
  close(file);
  return -1;
}

}  // namespace

class LineReader::Source {
 public:
  virtual ~Source() = default;
  /// Reads as many bytes as fit, at least one. Returns their number, 0 at the end of the file. On
  /// an error, sets `why` and returns 0.
  virtual std::size_t read(std::span<char> into, std::string& why) = 0;
  /// Bytes of the file read so far; compressed bytes if it is compressed.
  virtual std::uint64_t position() const = 0;
};

class LineReader::PlainFile final : public Source {
 public:
  explicit PlainFile(int file) : file_(file) {
    posix_fadvise(file_, 0, 0, POSIX_FADV_SEQUENTIAL);  // only advice
  }
  ~PlainFile() override { close(file_); }
  PlainFile(const PlainFile&) = delete;
  PlainFile& operator=(const PlainFile&) = delete;

  std::size_t read(std::span<char> into, std::string& why) override {
    for (;;) {
      const ssize_t got = ::read(file_, into.data(), into.size());
      if (got < 0 && errno == EINTR) continue;
      if (got < 0) why = std::strerror(errno);
      const auto bytes = static_cast<std::size_t>(std::max(got, ssize_t{0}));
      position_ += bytes;
      return bytes;
    }
  }
  std::uint64_t position() const override { return position_; }

 private:
  int file_;
  std::uint64_t position_ = 0;
};

/// A file read through zlib, which passes on text that is not compressed.
class LineReader::ZlibFile final : public Source {
 public:
  explicit ZlibFile(const std::filesystem::path& path) {
    errno = 0;
    file_ = gzopen(path.c_str(), "rb");
    if (file_ == nullptr)
      throw DataError(fmt::format("{}: cannot be opened ({}); expected a file to read",
                                  path.string(), std::strerror(errno)));
    gzbuffer(file_, static_cast<unsigned>(read_bytes));
  }
  ~ZlibFile() override { gzclose(file_); }
  ZlibFile(const ZlibFile&) = delete;
  ZlibFile& operator=(const ZlibFile&) = delete;

  std::size_t read(std::span<char> into, std::string& why) override {
    const int got = gzread(file_, into.data(), static_cast<unsigned>(into.size()));
    if (got > 0) return static_cast<std::size_t>(got);
    // A truncated file yields all that it has before zlib reports the error.
    int error = Z_OK;
    const std::string message = gzerror(file_, &error);
    if (got < 0 || (error != Z_OK && error != Z_STREAM_END)) why = message;
    return 0;
  }
  std::uint64_t position() const override {
    const z_off_t offset = gzoffset(file_), unpacked = gztell(file_);  // a pipe has no offset
    return static_cast<std::uint64_t>(std::max(offset > 0 ? offset : unpacked, z_off_t{0}));
  }

 private:
  gzFile file_;
};

LineReader::LineReader(const std::filesystem::path& file) : path_(file), buffer_(read_bytes) {
  std::error_code ignored;
  if (std::filesystem::is_directory(file, ignored))
    throw DataError(file.string() + ": is a directory; expected a file");
  if (const int plain = open_plain(file); plain >= 0)
    source_ = std::make_unique<PlainFile>(plain);
  else
    source_ = std::make_unique<ZlibFile>(file);
}

LineReader::~LineReader() = default;

bool LineReader::fill() {
  if (begin_ > 0) std::memmove(buffer_.data(), buffer_.data() + begin_, end_ - begin_);
  end_ -= begin_;
  begin_ = 0;
  if (end_ == buffer_.size()) buffer_.resize(2 * end_);  // the line is longer than the buffer
  std::string why;
  const std::size_t got = source_->read(std::span(buffer_).subspan(end_), why);
  end_ += got;
  bytes_read_ = source_->position();
  if (!why.empty())
    throw DataError(fmt::format("{}:{}: cannot be read further ({}); expected a whole file",
                                path_.string(), line_number_ + 1, why));
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
