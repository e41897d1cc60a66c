#include "base/quote.h"

#include <fmt/format.h>

namespace ultr {
namespace {

/// Returns the length in bytes of the UTF-8 character at the start of a text; 0 if there is none.
std::size_t character_length(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned first = byte(0);
  const std::size_t length = first < 0x80                    ? 1
                             : first >= 0xC2 && first < 0xE0 ? 2
                             : first >= 0xE0 && first < 0xF0 ? 3
                             : first >= 0xF0 && first < 0xF5 ? 4
                                                             : 0;
  if (length > text.size()) return 0;
  for (std::size_t i = 1; i < length; ++i)
    if (byte(i) < 0x80 || byte(i) >= 0xC0) return 0;
  // An overlong form, a surrogate, or a character beyond U+10FFFF.
  if ((first == 0xE0 && byte(1) < 0xA0) || (first == 0xED && byte(1) >= 0xA0) ||
      (first == 0xF0 && byte(1) < 0x90) || (first == 0xF4 && byte(1) >= 0x90))
    return 0;
  return length;
}

bool is_control(std::string_view character) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(character[i]); };
  return byte(0) < 0x20 || byte(0) == 0x7F || (byte(0) == 0xC2 && byte(1) < 0xA0);
}

}  // namespace

std::string quote(std::string_view text, std::size_t most) {
  std::string shown = "'";
  for (std::size_t characters = 0; !text.empty(); ++characters) {
    if (characters == most) return shown + "'...";
    std::size_t length = character_length(text);
    if (length > 0 && !is_control(text.substr(0, length))) {
      shown += text.substr(0, length);
    } else {
      length = 1;
      const char byte = text.front();
      shown += byte == '\n'   ? "\\n"
               : byte == '\r' ? "\\r"
               : byte == '\t' ? "\\t"
                              : fmt::format("\\x{:02x}", static_cast<unsigned char>(byte));
    }
    text.remove_prefix(length);
  }
  return shown + "'";
}

}  // namespace ultr
