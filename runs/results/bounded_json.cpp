#include "runs/results/bounded_json.h"

#include <fstream>

#include <fmt/core.h>

#include "base/error.h"

namespace ultr {

nlohmann::json read_bounded_json(const std::filesystem::path& file) {
  constexpr std::size_t most_bytes = 256 << 20;
  constexpr int deepest = 100;
  std::ifstream stream(file, std::ios::binary);
  std::string text;
  for (char part[1 << 14]; text.size() <= most_bytes && stream;) {
    stream.read(part, sizeof part);
    text.append(part, static_cast<std::size_t>(stream.gcount()));
  }
  if (!stream.is_open() || stream.bad())
    throw DataError(fmt::format("{}: cannot be read; expected a run's file", file.string()));
  if (text.size() > most_bytes)
    throw DataError(
        fmt::format("{}: too large; expected at most {} bytes", file.string(), most_bytes));
  const auto check = [&](int depth, nlohmann::json::parse_event_t, const nlohmann::json&) {
    if (depth > deepest)
      throw DataError(
          fmt::format("{}: nested too deeply; expected at most {} levels", file.string(), deepest));
    return true;
  };
  return nlohmann::json::parse(text, check);
}

}  // namespace ultr
