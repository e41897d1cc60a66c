#include "kernels/small_table.h"

#include <numeric>
#include <random>
#include <vector>

#include <gtest/gtest.h>

namespace ultr {
namespace {

/// Tables of every size around those that registers hold, and entries of every number around that
/// of a register and of a block; all of the table, or a part of it.
template <class T>
void expect_every_entry_is_found() {
  std::mt19937_64 random(1);
  for (std::size_t size : {1, 2, 15, 16, 17, 31, 32, 33, 63, 64, 65, 110, 127, 128, 129, 1000}) {
    std::vector<T> table(size);
    std::iota(table.begin(), table.end(), T(1));
    for (std::size_t count = 0; count < 600; count += count < 40 || count > 250 ? 1 : 50) {
      std::vector<std::uint32_t> entries(count);
      const std::size_t first = count % 2 * (size / 3);
      for (std::uint32_t& entry : entries)
        entry = static_cast<std::uint32_t>(first + random() % (size - first));
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

/// Entries in blocks of few and of many different ones, in tables of sizes around those that are
/// summed in other ways. Sums of whole numbers are exact.
template <class T>
void expect_every_number_is_added() {
  std::mt19937_64 random(2);
  for (const std::size_t size : {1, 3, 16, 17, 100, 511, 512, 513})
    for (const std::size_t count : {0, 1, 15, 16, 17, 255, 256, 257, 700, 2000, 5000})
      for (const std::size_t spread : {1, 2, 16, 17, 600}) {
        std::vector<T> numbers(count), sums(size), expected(size);
        for (std::size_t e = 0; e < size; ++e) sums[e] = expected[e] = static_cast<T>(e);
        std::vector<std::uint32_t> entries(count);
        for (std::size_t i = 0; i < count; ++i) {
          const std::size_t first = i / 300 * 7;  // blocks are not those of the function
          entries[i] = static_cast<std::uint32_t>((first + random() % spread) % size);
          numbers[i] = static_cast<T>(random() % 8) - 3;
          expected[entries[i]] += numbers[i];
        }
        add_at<T>(sums, entries, numbers.data());
        ASSERT_EQ(sums, expected) << count << " numbers in a table of " << size << ", " << spread
                                  << " entries in a block";
      }
}

TEST(SmallTableTest, EveryNumberIsAdded) {
  expect_every_number_is_added<float>();
  expect_every_number_is_added<double>();
}

}  // namespace
}  // namespace ultr
