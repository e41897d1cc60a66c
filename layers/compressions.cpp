#include "layers/compressions.h"

#include "layers/hash_compression.h"
#include "layers/quotient_remainder.h"

namespace ultr {

const std::vector<OptionType>& compression_types() {
  static const std::vector<OptionType> types = {
      option_type<NoCompressionOptions>("none", "A row an entry."),
      option_type<HashOptions>("hash",
                               "Entries whose hashes agree share a row (the hashing trick)."),
      option_type<QuotientRemainderOptions>(
          "quotient_remainder",
          "Each entry combines a row of two tables, those of its number's quotient and remainder."),
  };
  return types;
}

}  // namespace ultr
