#pragma once

#include <string>
#include <utility>
#include <vector>

/// Values of the axes of a study.
namespace ultr {

/// Returns the value as a number, or NaN.
double axis_number(const std::string& value);
/// Compares values as numbers, or else as texts.
bool same_axis_value(const std::string& a, const std::string& b);
/// Compare by one of < <= > >= = !=. Texts are equal or not.
bool in_order(double a, const std::string& order, double b);
bool in_axis_order(const std::string& a, const std::string& order, const std::string& b);

/// Coordinates: (axis, value), in the order of the axes; later values hide earlier ones.
using StudyCoordinates = std::vector<std::pair<std::string, std::string>>;
/// Returns the coordinates with one more value.
StudyCoordinates with(StudyCoordinates coordinates, const std::string& axis,
                      const std::string& value);
/// Returns the value of an axis, or null.
const std::string* value_on(const std::string& axis, const StudyCoordinates& coordinates);
/// Returns "sessions=1e6, tau=0".
std::string shown_scope(const StudyCoordinates& coordinates);

}  // namespace ultr
