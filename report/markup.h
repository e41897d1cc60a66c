#pragma once

#include <string>
#include <string_view>

/// What SVG and HTML have in common.
namespace ultr {

/// Text for element content and for quoted attributes: & < > " ' become entities, and bytes that
/// are not UTF-8 or stand for characters that XML forbids (controls, U+FFFE, U+FFFF) become U+FFFD.
std::string escape_markup(std::string_view text);

/// A finite number with at most two decimals: "12", "0.5", "-3.25"; never "-0" or "1.50".
std::string short_number(double value);

}  // namespace ultr
