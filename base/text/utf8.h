#pragma once

#include <string_view>

namespace ultr {

/// Returns true if a text is UTF-8.
bool is_utf8(std::string_view text);

}  // namespace ultr
