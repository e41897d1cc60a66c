#pragma once

#include <cstddef>
#include <filesystem>
#include <string>

namespace ultr {

/// A watch over the bytes of a mapped file. If they are read after the file was truncated, the
/// program ends with exit code 3 and one line on standard error that names the file: there is
/// nothing to continue with, and the system would kill it without a word (SIGBUS). Best effort for
/// more than 4096 files at a time.
class TruncationGuard {
 public:
  TruncationGuard(const std::filesystem::path& file, const void* bytes, std::size_t count);
  ~TruncationGuard();
  TruncationGuard(const TruncationGuard&) = delete;
  TruncationGuard& operator=(const TruncationGuard&) = delete;

 private:
  std::string message_;
  std::size_t slot_;
};

}  // namespace ultr
