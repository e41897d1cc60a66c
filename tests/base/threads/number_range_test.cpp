#include "base/threads/number_range.h"

#include <gtest/gtest.h>

namespace ultr::number_range_test {
namespace {

TEST(NumberRangeTest, PartsCoverAllNumbersOnce) {
  for (const std::size_t count : {0u, 1u, 2u, 7u, 100u})
    for (std::size_t parts = 1; parts < 9; ++parts) {
      std::size_t next = 0;
      for (std::size_t part = 0; part < parts; ++part) {
        const NumberRange range = part_of(count, part, parts);
        EXPECT_EQ(range.first, next);
        EXPECT_GE(range.size(), count / parts);
        EXPECT_LE(range.size(), (count + parts - 1) / parts);
        next = range.last;
      }
      EXPECT_EQ(next, count);
    }
}

}  // namespace
}  // namespace ultr::number_range_test
