#pragma once

#include <cstddef>
#include <limits>
#include <string>
#include <string_view>

namespace ultr {

/// Quotes text from a user or a file for a message: in single quotes, always one line of valid
/// UTF-8. Control characters and bytes that are not UTF-8 are shown as \n, \r, \t or in the form
/// \x1b. Of a text longer than `most` characters, the first `most` are shown, followed by "...".
std::string quote(std::string_view text,
                  std::size_t most = std::numeric_limits<std::size_t>::max());
/// Returns the text as in quotes, without the quotes.
std::string one_line(std::string_view text,
                     std::size_t most = std::numeric_limits<std::size_t>::max());

}  // namespace ultr
