#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

/// Reference values and real data that are stored next to the repository.
namespace ultr::testing {

/// Returns $ULTR_GOLDEN_DIR if set, else ../shared/golden; nothing if there is no such folder.
std::optional<std::filesystem::path> golden_folder();
/// Returns $ULTR_DATA_DIR if set, else ../shared/data; nothing if there is no such folder.
std::optional<std::filesystem::path> data_folder();

/// Parses a golden file.
nlohmann::json read_golden(const std::string& file);

/// Converts a golden number: a JSON number, "inf", "-inf", or null, which is NaN.
double golden_number(const nlohmann::json& value);
std::vector<double> golden_numbers(const nlohmann::json& values);

/// Returns the distance of two doubles in units in the last place of a type with `digits` digits at
/// `expected`.
double ulps(double actual, double expected, int digits, int smallest_exponent);

}  // namespace ultr::testing

/// Skips the test, with a message, if the reference values or the data are missing.
#define ULTR_NEEDS_GOLDEN() \
  if (!ultr::testing::golden_folder()) GTEST_SKIP() << "no golden values: set ULTR_GOLDEN_DIR"
#define ULTR_NEEDS_DATA() \
  if (!ultr::testing::data_folder()) GTEST_SKIP() << "no data: set ULTR_DATA_DIR"
