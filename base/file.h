#pragma once

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/folder_lock.h"

namespace ultr {

/// A file that is written piece by piece, to a temporary file beside it, and takes its name when it
/// is finished. Until then a reader sees what was there before; without `finish` nothing is left.
class NewFile {
 public:
  /// Throws DataError if it cannot be written.
  explicit NewFile(std::filesystem::path file);
  ~NewFile();
  NewFile(const NewFile&) = delete;
  NewFile& operator=(const NewFile&) = delete;

  /// Throws DataError if the system refuses.
  void write(std::string_view text);
  /// Writes over what was written from a byte on. Throws DataError if the system refuses.
  void overwrite(std::uint64_t first, std::string_view text);
  /// Reads back what was written from a byte on. Throws DataError if the system refuses.
  void read(std::uint64_t first, std::span<char> into);
  /// The file is there from now on. Throws DataError if not all of it could be written.
  void finish();
  /// The same, and it is there after a loss of power too: file and folder are on the disk.
  void finish_on_disk();

 private:
  void close();
  void take_name();
  /// Leaves nothing behind, then fails.
  [[noreturn]] void abandon(const std::string& reason) const;
  [[noreturn]] void fail(const std::string& reason) const;

  std::filesystem::path file_, temporary_;
  std::fstream stream_;
  bool at_end_ = true;  // where it is written next
};

/// A folder that is filled under a temporary name beside its own, which it takes when it is
/// finished; without `finish` nothing is left. What a program that was stopped left under that name
/// is replaced.
class NewFolder {
 public:
  /// Throws DataError if there is something of that name already, another process is filling it, or
  /// it cannot be created.
  explicit NewFolder(const std::filesystem::path& folder);
  ~NewFolder();
  NewFolder(const NewFolder&) = delete;
  NewFolder& operator=(const NewFolder&) = delete;

  /// Where it is to be filled.
  const std::filesystem::path& temporary() const { return temporary_; }
  /// The folder is there from now on. Throws DataError if the system refuses.
  void finish();

 private:
  void create_temporary();
  void remove_new_parents();
  [[noreturn]] void fail(const std::string& reason);

  std::filesystem::path given_, folder_, temporary_;
  std::vector<std::filesystem::path> new_parents_;  // that it makes, from below
  std::optional<FolderLock> lock_;                  // of the temporary folder
  bool finished_ = false;
};

/// Writes a file so that a reader sees all of it or what was there before: to a temporary file
/// beside it, which then takes its name. Throws DataError if it cannot be written; nothing is left
/// behind.
void write_file(const std::filesystem::path& file, std::string_view content);
/// Writes the parts of a content one after the other.
void write_file(const std::filesystem::path& file, std::initializer_list<std::string_view> parts);

/// Throws DataError if there is something of that name already.
void expect_new_name(const std::filesystem::path& path);

/// The bytes of a file, or of the files in a folder; 0 if there is none.
std::uint64_t bytes_of(const std::filesystem::path& path);

/// Copies a file under another name, where a reader sees all of it or what was there before. Throws
/// DataError if it cannot be read or written; nothing is left behind.
void copy_file(const std::filesystem::path& from, const std::filesystem::path& to);

}  // namespace ultr
