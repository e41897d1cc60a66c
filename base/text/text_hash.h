#pragma once

#include <cstdint>
#include <string_view>

namespace ultr {

/// Returns the 64-bit hash XXH3 of a text: the same on every machine and in every version.
std::uint64_t hash_text(std::string_view text, std::uint64_t seed = 0);

}  // namespace ultr
