#include "experiment/peak_memory.h"

#include <vector>

#include <gtest/gtest.h>

namespace ultr {
namespace {

TEST(PeakMemoryTest, GrowsWithWhatIsHeldAndCanBeForgotten) {
  if (!peak_memory_bytes()) GTEST_SKIP() << "this system does not tell";
  constexpr std::size_t size = 200'000'000;
  const std::uint64_t before = *peak_memory_bytes();
  {
    std::vector<char> held(size, 1);
    EXPECT_GE(*peak_memory_bytes(), size);
  }
  EXPECT_GE(*peak_memory_bytes(), size) << "it is the most, not what is held now";
  forget_peak_memory();
  EXPECT_LT(*peak_memory_bytes(), before + size / 2);
}

}  // namespace
}  // namespace ultr
