#pragma once

#include <cmath>
#include <nlohmann/json.hpp>
#include <span>

namespace ultr {

/// Returns a number as JSON. NaN and infinity, which JSON does not have, become null.
inline nlohmann::ordered_json json_number(double value) {
  return std::isfinite(value) ? nlohmann::ordered_json(value) : nlohmann::ordered_json();
}

/// Returns an array of json_number.
inline nlohmann::ordered_json json_numbers(std::span<const double> values) {
  nlohmann::ordered_json array = nlohmann::ordered_json::array();
  for (const double value : values) array.push_back(json_number(value));
  return array;
}

}  // namespace ultr
