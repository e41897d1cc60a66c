#include "base/files/file.h"

#include <cerrno>
#include <cstring>
#include <fstream>

#include <fcntl.h>
#include <fmt/core.h>
#include <unistd.h>

#include "base/error.h"

namespace ultr {
namespace {

/// Flushes a file, or the names in a folder, to disk. Returns the system's error number, or 0, also
/// for a file system that has nothing to flush.
int synchronise(const std::filesystem::path& path) {
  const int opened = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (opened < 0) return errno;
  const int error = fsync(opened) == 0 || errno == EINVAL ? 0 : errno;
  ::close(opened);
  return error;
}

/// Returns why a stream failed. After a first failure it refuses all later writes without a reason.
std::string reason_of_stream() {
  return errno != 0 ? std::strerror(errno) : "an earlier write failed";
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

void write_file_on_disk(const std::filesystem::path& file, std::string_view content) {
  NewFile written(file);
  written.write(content);
  written.finish_on_disk();
}

std::error_code create_folders(const std::filesystem::path& folder) {
  std::error_code error;
  std::filesystem::path so_far;
  for (const std::filesystem::path& part : std::filesystem::absolute(folder).lexically_normal()) {
    const std::filesystem::path above = so_far;
    so_far /= part;
    if (part.empty() || std::filesystem::is_directory(so_far, error)) continue;
    std::filesystem::create_directory(so_far, error);
    if (error) return error;
    synchronise(above);  // best effort: a folder may permit new names, but not to be opened
  }
  return {};
}

void create_folder(const std::filesystem::path& folder) {
  if (const std::error_code error = create_folders(folder))
    throw DataError(fmt::format("{}: cannot be created ({})", folder.string(), error.message()));
}

void flush_folder(const std::filesystem::path& folder) {
  const auto flush = [](const std::filesystem::path& path) {
    if (const int error = synchronise(path); error != 0)
      throw DataError(
          fmt::format("{}: cannot be written to disk ({})", path.string(), std::strerror(error)));
  };
  std::error_code error;
  std::filesystem::recursive_directory_iterator entry(folder, error);
  for (; !error && entry != std::filesystem::end(entry); entry.increment(error))
    if (entry->is_regular_file(error) || entry->is_directory(error)) flush(entry->path());
  if (error)
    throw DataError(fmt::format("{}: cannot be read ({})", folder.string(), error.message()));
  flush(folder);
}

void expect_new_name(const std::filesystem::path& path) {
  std::error_code ignored;
  const auto named = path.has_filename() ? path : path.parent_path();  // for "folder/"
  if (std::filesystem::exists(named, ignored))
    throw DataError(fmt::format("{}: already exists; expected a new name", path.string()));
}

std::uint64_t bytes_of(const std::filesystem::path& path) {
  std::error_code ignored;
  if (std::filesystem::is_regular_file(path, ignored))
    return std::filesystem::file_size(path, ignored);
  std::uint64_t bytes = 0;
  for (const auto& entry : std::filesystem::directory_iterator(path, ignored))
    if (entry.is_regular_file(ignored)) bytes += entry.file_size(ignored);
  return bytes;
}

std::uint64_t bytes_of(const std::vector<std::filesystem::path>& paths) {
  std::uint64_t bytes = 0;
  for (const std::filesystem::path& path : paths) bytes += bytes_of(path);
  return bytes;
}

void copy_file(const std::filesystem::path& from, const std::filesystem::path& to) {
  std::filesystem::path part = to;
  part += ".part";
  std::error_code error, ignored;
  std::filesystem::copy_file(from, part, std::filesystem::copy_options::overwrite_existing, error);
  if (!error) std::filesystem::rename(part, to, error);
  if (!error) return;
  std::filesystem::remove(part, ignored);
  throw DataError(fmt::format("{}: cannot be written as a copy of {} ({})", to.string(),
                              from.string(), error.message()));
}

NewFile::NewFile(std::filesystem::path file) : file_(std::move(file)), temporary_(file_) {
  temporary_ += ".part";
  errno = 0;
  stream_.open(temporary_, std::ios::binary | std::ios::in | std::ios::out | std::ios::trunc);
  if (!stream_) fail(reason_of_stream());
}

NewFile::~NewFile() {
  if (!stream_.is_open()) return;
  stream_.close();
  std::error_code ignored;
  std::filesystem::remove(temporary_, ignored);
}

void NewFile::write(std::string_view text) {
  errno = 0;
  if (!at_end_) stream_.seekp(0, std::ios::end);
  at_end_ = true;
  if (!stream_.write(text.data(), static_cast<std::streamsize>(text.size())))
    fail(reason_of_stream());
}

void NewFile::overwrite(std::uint64_t first, std::string_view text) {
  errno = 0;
  at_end_ = false;
  stream_.seekp(static_cast<std::streamoff>(first));
  if (!stream_.write(text.data(), static_cast<std::streamsize>(text.size())))
    fail(reason_of_stream());
}

void NewFile::read(std::uint64_t first, std::span<char> into) {
  errno = 0;
  at_end_ = false;
  stream_.seekg(static_cast<std::streamoff>(first));
  if (!stream_.read(into.data(), static_cast<std::streamsize>(into.size())))
    throw DataError(fmt::format("{}: cannot be read back ({})", temporary_.string(),
                                errno != 0 ? std::strerror(errno) : "it is shorter"));
}

void NewFile::finish() {
  errno = 0;
  stream_.close();
  if (!stream_) abandon(reason_of_stream());
  std::error_code error;
  std::filesystem::rename(temporary_, file_, error);
  if (error) abandon(error.message());
}

void NewFile::finish_on_disk() {
  errno = 0;
  if (!stream_.flush()) abandon(reason_of_stream());
  if (const int error = synchronise(temporary_); error != 0) abandon(std::strerror(error));
  finish();
  const std::filesystem::path folder = file_.parent_path();
  if (const int error = synchronise(folder.empty() ? "." : folder); error != 0)
    fail(std::strerror(error));
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
  folder_ = whole.has_filename() ? whole : whole.parent_path();  // for "folder/"
  temporary_ = folder_;
  temporary_ += ".part";
  create_temporary();
  std::error_code error;
  for (const auto& left : std::filesystem::directory_iterator(temporary_, error)) {
    std::filesystem::remove_all(left.path(), error);  // left by a program that was killed
    if (error) break;
  }
  if (error) fail(error.message());
}

void NewFolder::create_temporary() {
  std::error_code error;
  for (std::filesystem::path parent = temporary_.parent_path();
       !parent.empty() && !std::filesystem::exists(parent, error); parent = parent.parent_path())
    new_parents_.push_back(parent);
  do {  // again if another process finished or removed the folder before it was locked
    expect_new_name(given_);
    std::filesystem::create_directories(temporary_, error);
    if (error) fail(error.message());
    lock_ = FolderLock::take(temporary_);
    if (!lock_) fail(errno == EWOULDBLOCK ? "another process is writing it" : std::strerror(errno));
  } while (!lock_->is_of(temporary_));
}

NewFolder::~NewFolder() {
  if (finished_) return;
  std::error_code ignored;
  std::filesystem::remove_all(temporary_, ignored);
  remove_new_parents();
}

void NewFolder::remove_new_parents() {
  std::error_code ignored;
  for (const std::filesystem::path& parent : new_parents_)  // only if it is empty
    std::filesystem::remove(parent, ignored);
}

void NewFolder::finish() {
  std::error_code error;
  std::filesystem::rename(temporary_, folder_, error);
  if (error) fail(error.message());
  lock_.reset();
  finished_ = true;
}

void NewFolder::fail(const std::string& reason) {
  remove_new_parents();
  throw DataError(fmt::format("{}: cannot be written ({})", given_.string(), reason));
}

}  // namespace ultr
