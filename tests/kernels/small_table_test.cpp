#include "kernels/small_table.h"

#include <numeric>
#include <random>
#include <vector>

#include <gtest/gtest.h>

namespace ultr {
namespace {

/// Tables of every size around those that registers hold, and entries of every number around that
/// of a register.
template <class T>
void expect_every_entry_is_found() {
  std::mt19937_64 random(1);
  for (std::size_t size : {1, 2, 15, 16, 17, 31, 32, 33, 63, 64, 65, 110, 127, 128, 129, 1000}) {
    std::vector<T> table(size);
    std::iota(table.begin(), table.end(), T(1));
    for (std::size_t count = 0; count < 40; ++count) {
      std::vector<std::uint32_t> entries(count);
      for (std::uint32_t& entry : entries) entry = static_cast<std::uint32_t>(random() % size);
      std::vector<T> found(count + 1, T(-1));
      look_up<T>(table, entries, found.data());
      for (std::size_t i = 0; i < count; ++i)
        EXPECT_EQ(found[i], table[entries[i]])
            << size << " numbers, entry " << i << " of " << count;
      EXPECT_EQ(found[count], T(-1));  // nothing is written after the last
    }
  }
}

TEST(SmallTableTest, EveryEntryIsFound) {
  expect_every_entry_is_found<float>();
  expect_every_entry_is_found<double>();
}

}  // namespace
}  // namespace ultr
