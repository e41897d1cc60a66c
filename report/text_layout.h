#pragma once

#include <string>
#include <string_view>
#include <vector>

/// Layout of text in pictures: SVG does not break lines by itself.
namespace ultr {

/// Estimates the width of a line of UTF-8 text in a sans-serif font, in the unit of `font_size`.
/// The reader's font is unknown: real widths are within about a tenth.
double text_width(std::string_view text, double font_size);

/// Breaks the text at white space into lines of at most `width`; longer words are shortened. Line
/// feeds count as spaces. Returns no lines if there are no words.
std::vector<std::string> wrap_text(std::string_view text, double font_size, double width);

/// Returns the text, or as much of it as fits into the width, followed by "…".
std::string shorten_text(std::string_view text, double font_size, double width);

}  // namespace ultr
