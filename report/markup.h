#pragma once

#include <cstdint>
#include <string>
#include <string_view>

/// Text and numbers in SVG and HTML.
namespace ultr {

/// Escapes text for element content and quoted attributes: & < > " ' become entities. Bytes that
/// are not UTF-8, and characters that XML forbids (controls, U+FFFE, U+FFFF), become U+FFFD.
std::string escape_markup(std::string_view text);

/// Formats a finite number with at most two decimals: "12", "0.5", "-3.25"; never "-0" or "1.50".
std::string short_number(double value);

/// Formats a count with separators of thousands: "12,000".
std::string group_digits(std::uint64_t count);
/// Formats a finite number with so many decimals and separators of thousands: "12,000.5".
std::string group_digits(double value, int decimals);

/// Returns a path as the address of a link: bytes that have a meaning in addresses are escaped.
std::string link_address(std::string_view path);

}  // namespace ultr
