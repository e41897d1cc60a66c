#include "experiment/data_options.h"

#include <cstdlib>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/error.h"

namespace ultr {

std::function<void(std::uint64_t more)> DataSetting::count(const std::string& work,
                                                           const std::string& unit,
                                                           std::uint64_t all) const {
  if (!progress) return [](std::uint64_t) {};
  return [=, tell = progress, done = std::make_shared<std::uint64_t>(0)](std::uint64_t more) {
    tell(work, unit, *done += more, all);
  };
}

std::filesystem::path find_data_file(const std::string& given,
                                     const std::filesystem::path& config_folder) {
  const std::filesystem::path path(given);
  std::vector<std::filesystem::path> candidates = {path};
  if (path.is_relative()) {
    candidates = {config_folder / path, std::filesystem::current_path() / path};
    if (const char* folder = std::getenv("ULTR_DATA_DIR")) candidates.emplace_back(folder / path);
    candidates.push_back(std::filesystem::current_path() / "../shared/data" / path);
  }
  std::vector<std::string> shown;
  for (const std::filesystem::path& candidate : candidates) {
    std::error_code ignored;
    if (std::filesystem::exists(candidate, ignored)) {
      const std::filesystem::path place = std::filesystem::weakly_canonical(candidate, ignored);
      return ignored ? candidate : place;  // a pipe of the shell, such as /dev/fd/63, has no place
    }
    shown.push_back(candidate.lexically_normal().string());
  }
  throw DataError(
      fmt::format("{}: there is no such file; looked for {}", given, fmt::join(shown, ", ")));
}

}  // namespace ultr
