#pragma once

#include <string>
#include <string_view>

/// Text and numbers in SVG and HTML.
namespace ultr {

/// Escapes text for element content and quoted attributes: & < > " ' become entities. Bytes that
/// are not UTF-8, and characters that XML forbids (controls, U+FFFE, U+FFFF), become U+FFFD.
std::string escape_markup(std::string_view text);

/// Formats a finite number with at most two decimals: "12", "0.5", "-3.25"; never "-0" or "1.50".
std::string short_number(double value);

}  // namespace ultr
