#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>

namespace ultr {

/// Reads a JSON file of a run, which may come from anywhere: at most 256 MiB, and 100 levels deep.
/// Throws DataError if it cannot be read or exceeds a limit, and nlohmann::json::exception if it is
/// not JSON.
nlohmann::json read_bounded_json(const std::filesystem::path& file);

}  // namespace ultr
