#include "base/text/quote.h"

#include <boost/locale/utf.hpp>

#include <fmt/format.h>

namespace ultr {
namespace {

/// Returns the text in one line between marks.
std::string put_in_one_line(std::string_view mark, std::string_view text, std::size_t most) {
  namespace utf = boost::locale::utf;
  std::string shown(mark);
  const char* at = text.data();
  const char* const end = at + text.size();
  for (std::size_t characters = 0; at != end; ++characters) {
    if (characters == most) return shown.append(mark) + "...";
    const char* next = at;
    const utf::code_point character = utf::utf_traits<char>::decode(next, end);
    const bool control = character < 0x20 || (character >= 0x7F && character < 0xA0);
    if (utf::is_valid_codepoint(character) && !control) {
      shown.append(at, next);
      at = next;
    } else {
      const char byte = *at++;
      shown += byte == '\n'   ? "\\n"
               : byte == '\r' ? "\\r"
               : byte == '\t' ? "\\t"
                              : fmt::format("\\x{:02x}", static_cast<unsigned char>(byte));
    }
  }
  return shown.append(mark);
}

}  // namespace

std::string quote(std::string_view text, std::size_t most) {
  return put_in_one_line("'", text, most);
}

std::string one_line(std::string_view text, std::size_t most) {
  return put_in_one_line("", text, most);
}

}  // namespace ultr
