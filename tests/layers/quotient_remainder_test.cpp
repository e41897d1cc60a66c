#include "layers/quotient_remainder.h"

#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "layers/listed_rows.h"
#include "testing/tensors.h"

namespace ultr::quotient_remainder_test {
namespace {

using ::testing::ElementsAre;
using testing::listed_rows;

LayerSetting setting(std::int64_t entries, std::int64_t unknown = 0) {
  return {.name = "attraction", .domain = Domain::document, .entries = entries, .unknown = unknown};
}

constexpr std::size_t quotients = 0, remainders = 1;

TEST(QuotientRemainderTest, RowsAreQuotientAndRemainder) {
  for (const std::int64_t unknown : {0, 4})
    for (const std::int64_t known : {1, 2, 10, 97, 1000})
      for (const double ratio : {1.0, 1.5, 2.0, 7.0, 97.0}) {
        if (static_cast<double>(known) < ratio) continue;
        const std::int64_t entries = known + unknown;
        const QuotientRemainder compression(setting(entries, unknown), ratio, true);
        const auto high = listed_rows(compression, quotients, entries);
        const auto low = listed_rows(compression, remainders, entries);
        const auto divisor = static_cast<std::int64_t>(static_cast<double>(known) / ratio);
        const std::int64_t shared = unknown > 0 ? 1 : 0;
        EXPECT_EQ(compression.tables()[remainders].rows, shared + divisor);
        EXPECT_EQ(compression.tables()[quotients].rows, shared + (known - 1) / divisor + 1);
        std::set<std::pair<std::uint32_t, std::uint32_t>> pairs;
        for (std::int64_t i = 0; i < known; ++i) {
          const auto at = static_cast<std::size_t>(unknown + i);
          ASSERT_EQ(high[at], shared + i / divisor);
          ASSERT_EQ(low[at], shared + i % divisor);
          ASSERT_TRUE(pairs.insert({high[at], low[at]}).second) << "entries share both rows";
        }
      }
}

TEST(QuotientRemainderTest, DividesExactlyUpToTheLargestEntry) {
  constexpr std::int64_t entries = 0xffffffff;
  for (const double ratio : {1.0, 3.0, 1000.0, 123456.0, 1e9}) {
    const QuotientRemainder compression(setting(entries), ratio, true);
    const std::int64_t divisor = compression.tables()[remainders].rows;
    std::vector<std::uint32_t> some;
    for (const std::int64_t near :
         {std::int64_t{0}, divisor, 2 * divisor, entries / 2, entries / divisor * divisor, entries})
      for (std::int64_t i = near - 2; i <= near + 2; ++i)
        if (i >= 0 && i < entries) some.push_back(static_cast<std::uint32_t>(i));
    Tape tape;
    const Index index = tape.index(static_cast<std::int64_t>(some.size()));
    tape.bind(index, some);
    const Index high = compression.rows(quotients, index),
                low = compression.rows(remainders, index);
    tape.forward();
    const auto* q = reinterpret_cast<const std::uint32_t*>(tape.node(high.node).value);
    const auto* r = reinterpret_cast<const std::uint32_t*>(tape.node(low.node).value);
    for (std::size_t i = 0; i < some.size(); ++i) {
      EXPECT_EQ(q[i], some[i] / divisor) << some[i] << " / " << divisor;
      EXPECT_EQ(r[i], some[i] % divisor) << some[i] << " % " << divisor;
    }
  }
}

TEST(QuotientRemainderTest, CombinesElementByElement) {
  Tape tape;
  const std::vector<Tensor> read = {testing::constant(tape, {2, 3}),
                                    testing::constant(tape, {5, 7})};
  EXPECT_THAT(QuotientRemainder(setting(10), 2, true).combine(read).values(),
              ElementsAre(2 * 5, 3 * 7));
  EXPECT_THAT(QuotientRemainder(setting(10), 2, false).combine(read).values(),
              ElementsAre(2 + 5, 3 + 7));
}

TEST(QuotientRemainderTest, QuotientsStartWhereTheyChangeNothing) {
  EXPECT_EQ(QuotientRemainder(setting(10), 2, true).tables()[quotients].start, 1);
  EXPECT_EQ(QuotientRemainder(setting(10), 2, false).tables()[quotients].start, 0);
}

TEST(QuotientRemainderTest, TheFormulaHasTheDivisor) {
  EXPECT_EQ(QuotientRemainder(setting(100), 10, true).formula(),
            "attraction.quotient[e // 10] * attraction.remainder[e % 10]");
  EXPECT_EQ(QuotientRemainder(setting(101, 1), 4, false).formula(),
            "attraction.quotient[0 if e < 1 else 1 + (e - 1) // 25] + "
            "attraction.remainder[0 if e < 1 else 1 + (e - 1) % 25]");
}

}  // namespace
}  // namespace ultr::quotient_remainder_test
