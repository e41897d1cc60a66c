#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <string_view>

namespace ultr::fuzz {

/// A temporary folder, in memory where the system has /dev/shm, whose files are given to a target.
class InputFolder {
 public:
  InputFolder();
  ~InputFolder();
  InputFolder(const InputFolder&) = delete;
  InputFolder& operator=(const InputFolder&) = delete;

  const std::filesystem::path& path() const { return path_; }
  /// Writes a file, in place of one of this name, and returns its path.
  std::filesystem::path write(const std::filesystem::path& name, std::string_view bytes) const;
  /// Replaces one of the files that the folder had at the first call, and restores all others: the
  /// first byte of the input chooses the file, in the order of names, and the rest is its contents.
  void replace_one(std::string_view input);

 private:
  std::filesystem::path path_;
  std::map<std::filesystem::path, std::string> originals_;  // by name
  std::filesystem::path replaced_;
};

/// Returns the contents of a file.
std::string read_bytes(const std::filesystem::path& file);

}  // namespace ultr::fuzz
