#include "report/text_layout.h"

#include <algorithm>

namespace ultr {
namespace {

/// Returns the width of the character that starts with this byte, in units of the font size,
/// rounded up from common sans-serif fonts; 0 for later bytes of a character.
double byte_width(char c) {
  const auto byte = static_cast<unsigned char>(c);
  if (byte >= 0xE3) return 1.0;  // Chinese, Japanese, Korean; emoji
  if (byte >= 0xC0) return 0.6;
  if (byte >= 0x80) return 0;
  if (std::string_view("iIjl.,:;|!'").find(c) != std::string_view::npos) return 0.28;
  if (std::string_view(" ftr()[]/-").find(c) != std::string_view::npos) return 0.36;
  if (std::string_view("mwMW@%").find(c) != std::string_view::npos) return 0.88;
  return c >= 'A' && c <= 'Z' ? 0.68 : 0.58;
}

}  // namespace

double text_width(std::string_view text, double font_size) {
  double width = 0;
  for (const char c : text) width += byte_width(c);
  return width * font_size;
}

std::vector<std::string> wrap_text(std::string_view text, double font_size, double width) {
  std::vector<std::string> lines;
  constexpr std::string_view spaces = " \t\r\n";
  for (std::size_t at = text.find_first_not_of(spaces); at < text.size();) {
    const std::size_t end = std::min(text.find_first_of(spaces, at), text.size());
    const std::string word = shorten_text(text.substr(at, end - at), font_size, width);
    if (!lines.empty() && text_width(lines.back() + ' ' + word, font_size) <= width)
      lines.back() += ' ' + word;
    else
      lines.push_back(word);
    at = text.find_first_not_of(spaces, end);
  }
  return lines;
}

std::string shorten_text(std::string_view text, double font_size, double width) {
  if (text_width(text, font_size) <= width) return std::string(text);
  constexpr std::string_view ellipsis = "…";
  // Only first bytes have a width, so that the loop never stops inside a character.
  while (!text.empty() && text_width(text, font_size) + text_width(ellipsis, font_size) > width)
    text.remove_suffix(1);
  return std::string(text) + std::string(ellipsis);
}

}  // namespace ultr
