#include "base/peak_memory.h"

#include <fstream>
#include <string>

namespace ultr {

void forget_peak_memory() {
  std::ofstream("/proc/self/clear_refs") << "5";  // proc(5): resets the peak resident set size
}

std::optional<std::uint64_t> peak_memory_bytes() {
  std::ifstream status("/proc/self/status");
  constexpr std::uint64_t kibibyte = 1024;
  for (std::string word; status >> word;) {
    std::uint64_t size = 0;
    if (word == "VmHWM:" && status >> size) return size * kibibyte;
  }
  return std::nullopt;
}

}  // namespace ultr
