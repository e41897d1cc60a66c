#include "layers/compressions.h"

#include "layers/hash_compression.h"
#include "layers/quotient_remainder.h"

namespace ultr {

const std::vector<OptionType>& compression_types() {
  static const std::vector<OptionType> types = {
      option_type<NoCompressionOptions>("none", "One row per entry."),
      option_type<HashOptions>("hash",
                               "Entries with equal hashes share a row (the hashing trick)."),
      option_type<QuotientRemainderOptions>(
          "quotient_remainder",
          "Each entry combines two rows, chosen by the quotient and remainder of its number."),
  };
  return types;
}

}  // namespace ultr
