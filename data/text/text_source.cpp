#include "data/text/text_source.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

#include <fmt/core.h>

#include "base/error.h"
#include "base/threads/background_source.h"
#include "data/text/gzip_text.h"

namespace ultr {

TextSource::TextSource(const std::filesystem::path& file, std::size_t part_bytes)
    : part_bytes_(part_bytes) {
  std::error_code ignored;
  if (std::filesystem::is_directory(file, ignored))
    throw DataError(file.string() + ": is a directory; expected a file");
  errno = 0;
  file_.open(file, std::ios::binary);
  if (!file_)
    throw DataError(fmt::format("{}: cannot be opened ({}); expected a file to read", file.string(),
                                std::strerror(errno)));
}

TextSource::~TextSource() = default;

void TextSource::begin() {
  begun_ = true;
  std::array<char, 2> first;
  first_bytes_.assign(first.data(), read_stored(first));
  if (!GzipText::is_gzip(first_bytes_)) return;
  text_ = std::make_unique<GzipText>([this](std::span<char> into) { return read_stored(into); },
                                     part_bytes_ / 4);
  constexpr std::size_t most_waiting = 4;
  parts_ =
      std::make_unique<BackgroundSource<Part, Part>>(most_waiting, [this] { return unpack(); });
}

std::size_t TextSource::read_stored(std::span<char> into) {
  const std::size_t kept = first_bytes_.copy(into.data(), into.size());
  first_bytes_.erase(0, kept);
  errno = 0;
  file_.read(into.data() + kept, static_cast<std::streamsize>(into.size() - kept));
  if (file_.bad())
    throw DataError(errno != 0 ? std::strerror(errno) : "the system gives no reason");
  const auto got = static_cast<std::size_t>(file_.gcount());
  stored_bytes_ += got;
  return kept + got;
}

std::optional<TextSource::Part> TextSource::unpack() {
  Part part{.bytes = std::vector<char>(part_bytes_), .bytes_read = 0};
  part.bytes.resize(text_->read(part.bytes));
  part.bytes_read = stored_bytes_;
  return part.bytes.empty() ? std::nullopt : std::optional(std::move(part));
}

std::size_t TextSource::read(std::span<char> into) {
  if (!begun_) begin();
  if (!parts_) return read_stored(into);
  if (used_ == part_.bytes.size()) {
    part_.bytes.clear();
    used_ = 0;
    if (std::optional<Part> next = parts_->next()) part_ = std::move(*next);
  }
  const std::size_t got = std::min(into.size(), part_.bytes.size() - used_);
  std::copy_n(part_.bytes.begin() + static_cast<std::ptrdiff_t>(used_), got, into.begin());
  used_ += got;
  return got;
}

}  // namespace ultr
