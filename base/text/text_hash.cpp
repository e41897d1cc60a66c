#include "base/text/text_hash.h"

#define XXH_INLINE_ALL
#define XXH_VECTOR 0  // for long texts only; gcc 12 warns of the vectors' headers
#include <xxhash.h>

namespace ultr {

std::uint64_t hash_text(std::string_view text, std::uint64_t seed) {
  return XXH3_64bits_withSeed(text.data(), text.size(), seed);
}

}  // namespace ultr
