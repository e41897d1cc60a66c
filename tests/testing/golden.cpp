#include "testing/golden.h"

#include <cmath>
#include <cstdlib>
#include <fstream>
#include <stdexcept>

namespace ultr::testing {
namespace {

std::optional<std::filesystem::path> folder(const char* variable, const char* name) {
  const char* chosen = std::getenv(variable);
  const std::filesystem::path path =
      chosen != nullptr ? std::filesystem::path(chosen)
                        : std::filesystem::path(ULTR_SOURCE_DIR) / ".." / "shared" / name;
  if (!std::filesystem::is_directory(path)) return std::nullopt;
  return path;
}

}  // namespace

std::optional<std::filesystem::path> golden_folder() { return folder("ULTR_GOLDEN_DIR", "golden"); }
std::optional<std::filesystem::path> data_folder() { return folder("ULTR_DATA_DIR", "data"); }

nlohmann::json read_golden(const std::string& file) {
  std::ifstream stream(*golden_folder() / file);
  if (!stream) throw std::runtime_error("cannot read golden file " + file);
  return nlohmann::json::parse(stream);
}

double golden_number(const nlohmann::json& value) {
  if (value.is_null()) return std::nan("");
  if (value.is_string()) return value == "inf" ? HUGE_VAL : -HUGE_VAL;
  return value.get<double>();
}

std::vector<double> golden_numbers(const nlohmann::json& values) {
  std::vector<double> numbers;
  for (const auto& value : values) numbers.push_back(golden_number(value));
  return numbers;
}

double ulps(double actual, double expected, int digits, int smallest_exponent) {
  if (actual == expected) return 0;
  if (!std::isfinite(actual) || !std::isfinite(expected)) return HUGE_VAL;
  int exponent = 0;
  std::frexp(expected, &exponent);
  exponent = std::max(exponent, smallest_exponent);
  return std::abs(actual - expected) / std::ldexp(1.0, exponent - digits);
}

}  // namespace ultr::testing
