#include "data/line_reader.h"

#include <cerrno>
#include <cstring>

#include <fmt/core.h>
#include <zlib.h>

#include "data/error.h"

namespace ultr {
namespace {

constexpr unsigned read_bytes = 1u << 18;

}  // namespace

/// zlib reads plain files as well.
struct LineReader::File {
  gzFile handle = nullptr;
  ~File() {
    if (handle != nullptr) gzclose(handle);
  }
};

LineReader::LineReader(const std::filesystem::path& file)
    : path_(file), file_(std::make_unique<File>()) {
  std::error_code ignored;
  if (std::filesystem::is_directory(file, ignored))
    throw DataError(file.string() + ": is a directory; expected a file");
  errno = 0;
  file_->handle = gzopen(file.c_str(), "rb");
  if (file_->handle == nullptr)
    throw DataError(fmt::format("{}: cannot be opened ({}); expected a file to read", file.string(),
                                std::strerror(errno)));
  gzbuffer(file_->handle, read_bytes);
}

LineReader::~LineReader() = default;

bool LineReader::fill() {
  buffer_.erase(0, begin_);
  begin_ = 0;
  const std::size_t kept = buffer_.size();
  buffer_.resize(kept + read_bytes);
  const int got = gzread(file_->handle, buffer_.data() + kept, read_bytes);
  buffer_.resize(kept + static_cast<std::size_t>(got > 0 ? got : 0));
  if (const z_off_t offset = gzoffset(file_->handle); offset > 0)
    bytes_read_ = static_cast<std::uint64_t>(offset);
  if (got > 0) return true;
  // A file that was cut off gives what it has before it says so.
  int error = Z_OK;
  const char* message = gzerror(file_->handle, &error);
  if (got < 0 || (error != Z_OK && error != Z_STREAM_END))
    throw DataError(fmt::format("{}:{}: cannot be read on ({}); expected a whole file",
                                path_.string(), line_number_ + 1, message));
  return false;
}

bool LineReader::next(std::string_view& line) {
  std::size_t searched = begin_;
  for (;;) {
    const std::size_t end = buffer_.find('\n', searched);
    if (end != std::string::npos) {
      line = std::string_view(buffer_).substr(begin_, end - begin_);
      begin_ = end + 1;
      break;
    }
    searched = buffer_.size() - begin_;  // fill moves what is left to the front
    if (!at_end_ && fill()) continue;
    at_end_ = true;
    if (begin_ == buffer_.size()) return false;
    line = std::string_view(buffer_).substr(begin_);
    begin_ = buffer_.size();
    break;
  }
  if (line.ends_with('\r')) line.remove_suffix(1);
  ++line_number_;
  return true;
}

std::string LineReader::where() const { return fmt::format("{}:{}", path_.string(), line_number_); }

}  // namespace ultr
