#pragma once

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <string>

namespace ultr {

/// A bar of bytes that are done, drawn anew a few times a second; on a terminal only.
class ByteProgress {
 public:
  /// `total`: all bytes; 0 if unknown. Writes to `out`.
  ByteProgress(std::FILE* out, std::string label, std::uint64_t total);
  ~ByteProgress();
  ByteProgress(const ByteProgress&) = delete;
  ByteProgress& operator=(const ByteProgress&) = delete;

  void add(std::uint64_t bytes);

 private:
  using Clock = std::chrono::steady_clock;

  std::FILE* out_;
  bool terminal_, drawn_once_ = false;
  std::string label_;
  std::uint64_t total_, done_ = 0;
  Clock::time_point start_, drawn_;
};

}  // namespace ultr
