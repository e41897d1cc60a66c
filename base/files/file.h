#pragma once

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "base/files/folder_lock.h"

namespace ultr {

/// A file that is written piece by piece to a temporary file beside it, which takes its name when
/// it is finished. Until then readers see the previous file, if any. Without `finish`, nothing is
/// left. All functions throw DataError if the system refuses.
class NewFile {
 public:
  explicit NewFile(std::filesystem::path file);
  ~NewFile();
  NewFile(const NewFile&) = delete;
  NewFile& operator=(const NewFile&) = delete;

  /// Appends text.
  void write(std::string_view text);
  /// Overwrites bytes that were written, from byte `first` on.
  void overwrite(std::uint64_t first, std::string_view text);
  /// Reads back bytes that were written, from byte `first` on.
  void read(std::uint64_t first, std::span<char> into);
  /// Gives the file its name.
  void finish();
  /// Finishes the file so that it survives a power loss: flushes it and its folder to disk.
  void finish_on_disk();

 private:
  /// Removes the temporary file, then fails.
  [[noreturn]] void abandon(const std::string& reason) const;
  [[noreturn]] void fail(const std::string& reason) const;

  std::filesystem::path file_, temporary_;
  std::fstream stream_;
  bool at_end_ = true;  // the stream is at the end of the file
};

/// A folder that is filled under a temporary name beside its own, which it takes when it is
/// finished. Without `finish`, nothing is left. Files that a killed program left under the
/// temporary name are removed.
class NewFolder {
 public:
  /// Creates the temporary folder. Throws DataError if the name is taken, another process is
  /// filling the folder, or it cannot be created.
  explicit NewFolder(const std::filesystem::path& folder);
  ~NewFolder();
  NewFolder(const NewFolder&) = delete;
  NewFolder& operator=(const NewFolder&) = delete;

  /// The folder to fill.
  const std::filesystem::path& temporary() const { return temporary_; }
  /// Gives the folder its name. Throws DataError if the system refuses.
  void finish();

 private:
  void create_temporary();
  void remove_new_parents();
  [[noreturn]] void fail(const std::string& reason);

  std::filesystem::path given_, folder_, temporary_;
  std::vector<std::filesystem::path> new_parents_;  // that it created, innermost first
  std::optional<FolderLock> lock_;                  // of the temporary folder
  bool finished_ = false;
};

/// Writes a file atomically (NewFile). Throws DataError if it cannot be written; nothing is left
/// behind.
void write_file(const std::filesystem::path& file, std::string_view content);
/// Writes the parts of the content in order, likewise.
void write_file(const std::filesystem::path& file, std::initializer_list<std::string_view> parts);
/// Writes a file likewise, so that it also survives a power loss.
void write_file_on_disk(const std::filesystem::path& file, std::string_view content);

/// Creates a folder and those above it that are missing, and flushes their names to disk where the
/// system permits. Returns why it cannot be created, if it cannot.
std::error_code create_folders(const std::filesystem::path& folder);

/// Flushes the files in a folder, in those below it, and their names to disk, so that they survive
/// a power loss. Throws DataError if that fails.
void flush_folder(const std::filesystem::path& folder);

/// Creates a folder and the folders above it if they are missing. Throws DataError if the system
/// refuses.
void create_folder(const std::filesystem::path& folder);

/// Throws DataError if a file or folder of that name exists.
void expect_new_name(const std::filesystem::path& path);

/// Returns the size in bytes of a file, or of the files in a folder (not in folders below it); 0 if
/// there is none.
std::uint64_t bytes_of(const std::filesystem::path& path);
/// Returns the sum of these sizes.
std::uint64_t bytes_of(const std::vector<std::filesystem::path>& paths);

/// Copies a file atomically: readers of `to` see all of it or the previous file. Throws DataError
/// if a file cannot be read or written; nothing is left behind.
void copy_file(const std::filesystem::path& from, const std::filesystem::path& to);

}  // namespace ultr
