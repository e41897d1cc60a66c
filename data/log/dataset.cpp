#include "data/log/dataset.h"

#include "base/random.h"

namespace ultr {

Split SplitShares::of(std::uint64_t session) const {
  if (valid == 0 && test == 0) return Split::train;
  const double drawn = RandomStream(seed, RandomPurpose::split, 0, session).uniform();
  return drawn < valid ? Split::valid : drawn < valid + test ? Split::test : Split::train;
}

}  // namespace ultr
