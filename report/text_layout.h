#pragma once

#include <string>
#include <string_view>
#include <vector>

/// Text in pictures, which nobody breaks into lines but we.
namespace ultr {

/// About how wide a line of UTF-8 text is in a sans-serif font of this size, in the unit of the
/// size. The reader's font is unknown: real widths are within about a tenth.
double text_width(std::string_view text, double font_size);

/// Breaks the text at spaces into lines that are at most this wide; a longer word is shortened.
/// Line feeds count as spaces. Without words: no lines.
std::vector<std::string> wrap_text(std::string_view text, double font_size, double width);

/// The text, or as much of it as fits the width, with "…" behind it.
std::string shorten_text(std::string_view text, double font_size, double width);

}  // namespace ultr
