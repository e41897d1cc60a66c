#include "base/version.h"

#include <gtest/gtest.h>

namespace ultr {
namespace {

#if defined(__x86_64__)

// A native library is compiled for this machine, and of a portable build the loader takes the best.
TEST(VersionTest, UsesTheBestInstructionsOfTheProcessor) {
  if (__builtin_cpu_supports("avx512f"))
    EXPECT_EQ(vector_instructions(), "AVX-512");
  else if (__builtin_cpu_supports("avx2"))
    EXPECT_EQ(vector_instructions(), "AVX2");
  else
    EXPECT_EQ(vector_instructions(), "SSE2");
}

#endif

}  // namespace
}  // namespace ultr
