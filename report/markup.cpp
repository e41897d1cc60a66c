#include "report/markup.h"

#include <algorithm>
#include <array>
#include <boost/locale/utf.hpp>

#include <fmt/format.h>

namespace ultr {
namespace {

constexpr std::string_view replacement = "\xEF\xBF\xBD";  // U+FFFD

/// Returns the number of bytes of the UTF-8 character at the front of the text; 0 if it is not
/// valid UTF-8 or a character that XML forbids.
std::size_t character_length(std::string_view text) {
  auto end = text.begin();
  const auto code = boost::locale::utf::utf_traits<char>::decode(end, text.end());
  const bool control = (code < 0x20 && code != '\t' && code != '\n' && code != '\r') ||
                       (code >= 0x80 && code < 0xA0);
  const bool forbidden = control || (code & 0xFFFE) == 0xFFFE;  // such as what is not UTF-8
  return forbidden ? 0 : static_cast<std::size_t>(end - text.begin());
}

/// Inserts separators of thousands before the decimal point of a number.
std::string grouped(std::string number) {
  const std::size_t first = number.starts_with('-') ? 1 : 0;
  for (std::size_t at = std::min(number.find('.'), number.size()); at > first + 3;)
    number.insert(at -= 3, ",");
  return number;
}

}  // namespace

std::string escape_markup(std::string_view text) {
  constexpr std::array<std::pair<char, std::string_view>, 5> entities = {
      {{'&', "&amp;"}, {'<', "&lt;"}, {'>', "&gt;"}, {'"', "&quot;"}, {'\'', "&#39;"}}};
  std::string result;
  result.reserve(text.size());
  while (!text.empty()) {
    const std::size_t length = character_length(text);
    const auto* entity = std::ranges::find(entities, text.front(), [](auto& e) { return e.first; });
    if (entity != entities.end())
      result += entity->second;
    else
      result += length == 0 ? replacement : text.substr(0, length);
    text.remove_prefix(length == 0 ? 1 : length);
  }
  return result;
}

std::string short_number(double value) {
  std::string text = fmt::format("{:.2f}", value);
  text.erase(text.find_last_not_of('0') + 1);
  if (text.back() == '.') text.pop_back();
  return text == "-0" ? "0" : text;
}

std::string group_digits(std::uint64_t count) { return grouped(fmt::format("{}", count)); }

std::string group_digits(double value, int decimals) {
  return grouped(fmt::format("{:.{}f}", value, decimals));
}

std::string link_address(std::string_view path) {
  std::string address;
  for (const char c : path) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       std::string_view("-._~/=,+@").find(c) != std::string_view::npos;
    address += plain ? std::string(1, c) : fmt::format("%{:02X}", static_cast<unsigned char>(c));
  }
  return address;
}

}  // namespace ultr
