#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace ultr {

/// Characters of a text that a message shows unless it says otherwise.
inline constexpr std::size_t longest_quote = 200;

/// Quotes text from a user or a file for a message: in single quotes, always one line of valid
/// UTF-8. Control characters and bytes that are not UTF-8 are shown as \n, \r, \t or in the form
/// \x1b. Of a text longer than `most` characters, the first `most` are shown, followed by "...".
std::string quote(std::string_view text, std::size_t most = longest_quote);
/// Returns the text as in quotes, without the quotes.
std::string one_line(std::string_view text, std::size_t most = longest_quote);

}  // namespace ultr
