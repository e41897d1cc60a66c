#include "data/file.h"

#include <cerrno>
#include <cstring>
#include <fstream>

#include <fmt/core.h>

#include "data/error.h"

namespace ultr {

void write_file(const std::filesystem::path& file, std::string_view content) {
  write_file(file, {content});
}

void write_file(const std::filesystem::path& file, std::initializer_list<std::string_view> parts) {
  NewFile written(file);
  for (const std::string_view part : parts) written.write(part);
  written.finish();
}

NewFile::NewFile(std::filesystem::path file) : file_(std::move(file)), temporary_(file_) {
  temporary_ += ".part";
  errno = 0;
  stream_.open(temporary_, std::ios::binary);
  if (!stream_) fail(std::strerror(errno));
}

NewFile::~NewFile() {
  if (!stream_.is_open()) return;
  stream_.close();
  std::error_code ignored;
  std::filesystem::remove(temporary_, ignored);
}

void NewFile::write(std::string_view text) {
  errno = 0;
  if (!stream_.write(text.data(), static_cast<std::streamsize>(text.size())))
    fail(std::strerror(errno));
}

void NewFile::finish() {
  errno = 0;
  stream_.close();
  std::string reason = stream_ ? "" : std::strerror(errno);
  std::error_code error, ignored;
  if (reason.empty()) std::filesystem::rename(temporary_, file_, error);
  if (error) reason = error.message();
  if (reason.empty()) return;
  std::filesystem::remove(temporary_, ignored);
  fail(reason);
}

void NewFile::fail(const std::string& reason) const {
  throw DataError(fmt::format("{}: cannot be written ({})", file_.string(), reason));
}

}  // namespace ultr
