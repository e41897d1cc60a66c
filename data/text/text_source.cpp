#include "data/text/text_source.h"

#include <algorithm>
#include <cerrno>
#include <cstring>

#include <fmt/core.h>
#include <zlib.h>

#include "base/error.h"
#include "base/threads/background_source.h"

namespace ultr {

TextSource::TextSource(const std::filesystem::path& file, std::size_t part_bytes)
    : part_bytes_(part_bytes), file_(nullptr, gzclose) {
  std::error_code ignored;
  if (std::filesystem::is_directory(file, ignored))
    throw DataError(file.string() + ": is a directory; expected a file");
  file_.reset(gzopen(file.c_str(), "rb"));
  if (!file_)
    throw DataError(fmt::format("{}: cannot be opened ({}); expected a file to read", file.string(),
                                std::strerror(errno)));
  // zlib copies text that is not compressed straight to its place if its own buffer is much
  // smaller.
  gzbuffer(file_.get(), static_cast<unsigned>(part_bytes / 4));
  constexpr std::size_t most_waiting = 4;
  if (gzdirect(file_.get()) == 0)
    parts_ = std::make_unique<BackgroundSource<Part>>(most_waiting, [this] { return unpack(); });
}

TextSource::~TextSource() = default;

std::size_t TextSource::read_directly(std::span<char> into, std::uint64_t& bytes_read) {
  const int got = gzread(file_.get(), into.data(), static_cast<unsigned>(into.size()));
  // A truncated file yields all that it has before zlib reports the error.
  int error = Z_OK;
  const std::string why = gzerror(file_.get(), &error);
  if (got < 0 || (got == 0 && error != Z_OK && error != Z_STREAM_END)) throw DataError(why);
  const z_off_t offset = gzoffset(file_.get()), unpacked = gztell(file_.get());
  bytes_read = static_cast<std::uint64_t>(
      std::max(offset > 0 ? offset : unpacked, z_off_t{0}));  // a pipe has no offset
  return static_cast<std::size_t>(got);
}

std::optional<TextSource::Part> TextSource::unpack() {
  Part part{.bytes = std::vector<char>(part_bytes_), .bytes_read = 0};
  part.bytes.resize(read_directly(part.bytes, part.bytes_read));
  return part.bytes.empty() ? std::nullopt : std::optional(std::move(part));
}

std::size_t TextSource::read(std::span<char> into) {
  if (!parts_) return read_directly(into, bytes_read_);
  if (used_ == part_.bytes.size()) {
    part_ = parts_->next().value_or(Part());
    used_ = 0;
    if (!part_.bytes.empty()) bytes_read_ = part_.bytes_read;
  }
  const std::size_t got = std::min(into.size(), part_.bytes.size() - used_);
  std::copy_n(part_.bytes.begin() + static_cast<std::ptrdiff_t>(used_), got, into.begin());
  used_ += got;
  return got;
}

}  // namespace ultr
