#include "base/peak_memory.h"

#include <cstring>

#include <gtest/gtest.h>
#include <sys/mman.h>

namespace ultr::peak_memory_test {
namespace {

TEST(PeakMemoryTest, GrowsWithHeldMemoryAndCanBeReset) {
  if (!peak_memory_bytes()) GTEST_SKIP() << "this system does not tell";
  constexpr std::size_t size = 200'000'000;
  const std::uint64_t before = *peak_memory_bytes();
  // Allocate from the system directly: memory that an allocator frees may stay in the process, as
  // it does under sanitizers.
  void* held = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(held, MAP_FAILED);
  std::memset(held, 1, size);
  EXPECT_GE(*peak_memory_bytes(), size);
  munmap(held, size);
  EXPECT_GE(*peak_memory_bytes(), size) << "it is the most, not what is held now";
  forget_peak_memory();
  EXPECT_LT(*peak_memory_bytes(), before + size / 2);
}

}  // namespace
}  // namespace ultr::peak_memory_test
