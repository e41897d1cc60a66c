#include "base/available_memory.h"

#include <algorithm>
#include <fstream>
#include <string>

#include <fmt/core.h>

#include "base/error.h"

namespace ultr {
namespace {

/// Returns the number that a file begins with; nothing if there is no such file, or a word.
std::optional<std::size_t> number_in(const std::filesystem::path& path) {
  std::ifstream file(path);
  std::size_t number = 0;
  if (file >> number) return number;
  return std::nullopt;
}

/// Returns the limit of a container minus what it uses.
std::optional<std::size_t> left_in(const std::filesystem::path& limit,
                                   const std::filesystem::path& usage) {
  const auto most = number_in(limit), used = number_in(usage);
  if (!most || !used) return std::nullopt;
  return *most - std::min(*most, *used);
}

std::optional<std::size_t> system_memory(const std::filesystem::path& meminfo) {
  std::ifstream file(meminfo);
  std::string name;
  std::size_t kilobytes = 0;
  for (std::string unit; file >> name >> kilobytes && std::getline(file, unit);)
    if (name == "MemAvailable:") return kilobytes * 1024;
  return std::nullopt;
}

}  // namespace

std::optional<std::size_t> available_memory(const std::filesystem::path& meminfo,
                                            const std::filesystem::path& cgroup) {
  std::optional<std::size_t> least;
  for (const auto& bytes :
       {system_memory(meminfo), left_in(cgroup / "memory.max", cgroup / "memory.current"),
        left_in(cgroup / "memory/memory.limit_in_bytes", cgroup / "memory/memory.usage_in_bytes")})
    if (bytes) least = std::min(*bytes, least.value_or(*bytes));
  return least;
}

void expect_memory(std::size_t needed, std::string_view what,
                   std::optional<std::size_t> (*available)()) {
  constexpr std::size_t little = std::size_t{64} << 20;
  if (needed < little) return;
  const auto gigabytes = [](std::size_t bytes) { return static_cast<double>(bytes) / 1e9; };
  if (const auto left = available(); left && needed > *left)
    throw Error(
        fmt::format("{}: needs {:.3g} GB of memory; expected at most the {:.3g} GB available", what,
                    gigabytes(needed), gigabytes(*left)));
}

}  // namespace ultr
