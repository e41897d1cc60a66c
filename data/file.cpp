#include "data/file.h"

#include <cerrno>
#include <cstring>
#include <fstream>

#include <fcntl.h>
#include <fmt/core.h>
#include <unistd.h>

#include "data/error.h"

namespace ultr {
namespace {

/// Waits until a file, or the names in a folder, are on the disk; the system's error number, or 0.
int synchronise(const std::filesystem::path& path) {
  const int opened = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (opened < 0) return errno;
  const int error = fsync(opened) == 0 ? 0 : errno;
  ::close(opened);
  return error;
}

}  // namespace

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
  close();
  take_name();
}

void NewFile::finish_on_disk() {
  close();
  if (const int error = synchronise(temporary_); error != 0) abandon(std::strerror(error));
  take_name();
  const std::filesystem::path folder = file_.parent_path();
  if (const int error = synchronise(folder.empty() ? "." : folder); error != 0)
    fail(std::strerror(error));
}

void NewFile::close() {
  errno = 0;
  stream_.close();
  if (!stream_) abandon(std::strerror(errno));
}

void NewFile::take_name() {
  std::error_code error;
  std::filesystem::rename(temporary_, file_, error);
  if (error) abandon(error.message());
}

void NewFile::abandon(const std::string& reason) const {
  std::error_code ignored;
  std::filesystem::remove(temporary_, ignored);
  fail(reason);
}

void NewFile::fail(const std::string& reason) const {
  throw DataError(fmt::format("{}: cannot be written ({})", file_.string(), reason));
}

NewFolder::NewFolder(const std::filesystem::path& folder) : given_(folder) {
  const std::filesystem::path whole = std::filesystem::absolute(folder).lexically_normal();
  folder_ = whole.has_filename() ? whole : whole.parent_path();  // "folder/"
  temporary_ = folder_;
  temporary_ += ".part";
  std::error_code error;
  if (std::filesystem::exists(folder_, error))
    throw DataError(fmt::format("{}: is there already; expected a new name", folder.string()));
  std::filesystem::remove_all(temporary_, error);  // of a program that was stopped
  if (!error) std::filesystem::create_directories(temporary_, error);
  if (error) fail(error.message());
}

NewFolder::~NewFolder() {
  if (finished_) return;
  std::error_code ignored;
  std::filesystem::remove_all(temporary_, ignored);
}

void NewFolder::finish() {
  std::error_code error;
  std::filesystem::rename(temporary_, folder_, error);
  if (error) fail(error.message());
  finished_ = true;
}

void NewFolder::fail(const std::string& reason) const {
  throw DataError(fmt::format("{}: cannot be written ({})", given_.string(), reason));
}

}  // namespace ultr
