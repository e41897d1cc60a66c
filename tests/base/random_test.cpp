#include "base/random.h"

#include <array>
#include <cmath>
#include <map>
#include <numbers>
#include <numeric>
#include <set>
#include <vector>

#include <Random123/philox.h>
#include <gtest/gtest.h>

namespace ultr::random_test {
namespace {

using Words = std::array<std::uint32_t, 4>;

std::vector<std::uint64_t> draw(RandomStream stream, std::size_t count) {
  std::vector<std::uint64_t> drawn(count);
  for (std::uint64_t& bits : drawn) bits = stream.bits();
  return drawn;
}

/// Returns a block of four words as a stream draws it: the second pair first.
std::vector<std::uint64_t> as_drawn(const Words& words) {
  return {words[2] | std::uint64_t{words[3]} << 32, words[0] | std::uint64_t{words[1]} << 32};
}

Words philox(const Words& counter, const std::array<std::uint32_t, 2>& key) {
  const auto words =
      r123::Philox4x32()({{counter[0], counter[1], counter[2], counter[3]}}, {{key[0], key[1]}});
  return {words[0], words[1], words[2], words[3]};
}

/// The three known answers for philox4x32 with 10 rounds in Random123's kat_vectors.
constexpr Words zeros_answer = {0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8};
constexpr Words ones_answer = {0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd};
constexpr Words pi_answer = {0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1};

TEST(PhiloxTest, GivesTheKnownAnswers) {
  constexpr std::uint32_t ones = ~std::uint32_t{0};
  EXPECT_EQ(philox({0, 0, 0, 0}, {0, 0}), zeros_answer);
  EXPECT_EQ(philox({ones, ones, ones, ones}, {ones, ones}), ones_answer);
  EXPECT_EQ(philox({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, {0xa4093822, 0x299f31d0}),
            pi_answer);
}

TEST(RandomStreamTest, IsPhiloxOfItsKey) {
  EXPECT_EQ(draw(RandomStream(0, RandomPurpose{0}, 0, 0), 2), as_drawn(zeros_answer));

  const std::uint64_t seed = 0x0123456789abcdef, index = 0xfedcba9876543210;
  const std::uint32_t step = 0xdeadbeef;
  std::vector<std::uint64_t> expected;
  for (std::uint32_t block = 0; block < 40; ++block) {
    const Words counter = {0x76543210, 0xfedcba98, step,
                           (std::uint32_t{5} << 27) + block};  // split is purpose 5
    for (const std::uint64_t bits : as_drawn(philox(counter, {0x89abcdef, 0x01234567})))
      expected.push_back(bits);
  }
  EXPECT_EQ(draw(RandomStream(seed, RandomPurpose::split, step, index), 80), expected);
}

TEST(RandomBlocksTest, AreThoseOfOneByOne) {
  const std::uint64_t seed = 0x0123456789abcdef, index = 0xfedcba9876543210;
  std::vector<RandomBlock> blocks(37);
  random_blocks(seed, RandomPurpose::clicks, 9, index, 5, blocks);
  for (std::uint32_t i = 0; i < 37; ++i)
    EXPECT_EQ(blocks[i], random_block(seed, RandomPurpose::clicks, 9, index, 5 + i)) << i;
}

TEST(RandomBlocksTest, OfConsecutiveStreamsAreThoseOfOneByOne) {
  const std::uint64_t seed = 0x0123456789abcdef, first = 0xfedcba98fffffff0;  // carries
  std::vector<RandomBlock> blocks(37);
  random_blocks_of_streams(seed, RandomPurpose::dropout, 9, first, 5, blocks);
  for (std::uint32_t i = 0; i < 37; ++i)
    EXPECT_EQ(blocks[i], random_block(seed, RandomPurpose::dropout, 9, first + i, 5)) << i;
}

TEST(RandomBlocksTest, HaveTheDrawsOfTheirStream) {
  RandomStream stream(3, RandomPurpose::clicks, 0, 11);
  for (std::uint32_t block = 0; block < 3; ++block)
    for (const std::size_t which : {0u, 1u})
      EXPECT_EQ(bits_of_block(random_block(3, RandomPurpose::clicks, 0, 11, block), which),
                stream.bits());
}

TEST(RandomStreamTest, GivesTheSameNumbersForTheSameKey) {
  const auto stream = [] { return RandomStream(7, RandomPurpose::shuffle, 3, 11); };
  EXPECT_EQ(draw(stream(), 101), draw(stream(), 101));
  const auto longer = draw(stream(), 101), shorter = draw(stream(), 50);
  EXPECT_TRUE(std::equal(shorter.begin(), shorter.end(), longer.begin()))
      << "later draws changed earlier numbers";
}

TEST(RandomStreamTest, GivesOtherNumbersForAnotherKey) {
  std::set<std::uint64_t> seen;
  std::size_t drawn = 0;
  const auto add = [&](std::uint64_t seed, RandomPurpose purpose, std::uint32_t step,
                       std::uint64_t index) {
    for (const std::uint64_t bits : draw(RandomStream(seed, purpose, step, index), 16)) {
      seen.insert(bits);
      ++drawn;
    }
  };
  const RandomPurpose purpose = RandomPurpose::initialisation;
  add(0, purpose, 0, 0);
  // Neighbouring values, and both halves of every 64-bit number.
  for (const std::uint64_t other : {1ull, 2ull, 3ull, 1ull << 31, 1ull << 32, 1ull << 63}) {
    add(other, purpose, 0, 0);
    add(0, purpose, 0, other);
  }
  for (const std::uint32_t step : {1u, 2u, 3u, 1u << 31}) add(0, purpose, step, 0);
  for (const RandomPurpose other :
       {RandomPurpose::shuffle, RandomPurpose::dropout, RandomPurpose::clicks, RandomPurpose::split,
        RandomPurpose::simulation, RandomPurpose::testing})
    add(0, other, 0, 0);
  // Among a million 64-bit numbers, one repeats with probability 3e-8; these are a few hundred.
  EXPECT_EQ(seen.size(), drawn);
}

TEST(RandomStreamTest, PurposesKeepTheirNumbers) {
  // The values are part of every result: renumbering a purpose changes results.
  EXPECT_EQ(static_cast<int>(RandomPurpose::initialisation), 1);
  EXPECT_EQ(static_cast<int>(RandomPurpose::shuffle), 2);
  EXPECT_EQ(static_cast<int>(RandomPurpose::dropout), 3);
  EXPECT_EQ(static_cast<int>(RandomPurpose::clicks), 4);
  EXPECT_EQ(static_cast<int>(RandomPurpose::split), 5);
  EXPECT_EQ(static_cast<int>(RandomPurpose::simulation), 6);
  EXPECT_EQ(static_cast<int>(RandomPurpose::testing), 7);
}

/// The mean and variance of a sample.
struct Moments {
  double mean = 0, variance = 0;
};

Moments moments(const std::vector<double>& sample) {
  const auto n = static_cast<double>(sample.size());
  Moments result;
  for (const double x : sample) result.mean += x / n;
  for (const double x : sample) result.variance += (x - result.mean) * (x - result.mean) / (n - 1);
  return result;
}

/// Returns two samples: `count` numbers of one stream, and the first number of each of `count`
/// streams.
template <class Draw>
std::vector<std::vector<double>> along_and_across(std::size_t count, Draw draw_one) {
  std::vector<std::vector<double>> samples(2);
  RandomStream stream(3, RandomPurpose::testing, 0, 0);
  for (std::size_t i = 0; i < count; ++i) {
    samples[0].push_back(draw_one(stream));
    RandomStream other(3, RandomPurpose::testing, 1, i);
    samples[1].push_back(draw_one(other));
  }
  return samples;
}

TEST(RandomStreamTest, UniformNumbersAreUniform) {
  constexpr std::size_t count = 200'000;
  const auto n = static_cast<double>(count);
  for (const auto& sample :
       along_and_across(count, [](RandomStream& stream) { return stream.uniform(); })) {
    std::array<double, 16> bins = {};
    for (const double x : sample) {
      ASSERT_GE(x, 0);
      ASSERT_LT(x, 1);
      ++bins[static_cast<std::size_t>(x * 16)];
    }
    const Moments found = moments(sample);
    EXPECT_NEAR(found.mean, 0.5, 5 * std::sqrt(1. / 12 / n));
    // The variance of (x - 1/2)^2 is 1/80 - 1/144.
    EXPECT_NEAR(found.variance, 1. / 12, 5 * std::sqrt((1. / 80 - 1. / 144) / n));
    for (const double bin : bins)
      EXPECT_NEAR(bin / n, 1. / 16, 5 * std::sqrt(1. / 16 * 15. / 16 / n));
  }
}

TEST(RandomStreamTest, UniformNumbersHave53Bits) {
  RandomStream stream(4, RandomPurpose::testing, 0, 0), same = stream;
  bool last_bit = false;
  for (int i = 0; i < 100; ++i) {
    const double scaled = std::ldexp(stream.uniform(), 53);
    EXPECT_EQ(scaled, std::floor(scaled));
    EXPECT_EQ(static_cast<std::uint64_t>(scaled), same.bits() >> 11);
    last_bit |= std::fmod(scaled, 2) == 1;
  }
  EXPECT_TRUE(last_bit);
}

TEST(RandomStreamTest, NormalNumbersAreNormal) {
  constexpr std::size_t count = 200'000;
  const auto n = static_cast<double>(count);
  for (const auto& sample :
       along_and_across(count, [](RandomStream& stream) { return stream.normal(); })) {
    double within_one = 0, above_two = 0;
    for (const double x : sample) {
      ASSERT_TRUE(std::isfinite(x));
      within_one += std::abs(x) < 1 ? 1 : 0;
      above_two += x > 2 ? 1 : 0;
    }
    const Moments found = moments(sample);
    EXPECT_NEAR(found.mean, 0, 5 * std::sqrt(1 / n));
    EXPECT_NEAR(found.variance, 1, 5 * std::sqrt(2 / n));
    const auto expect_share = [&](double hits, double p) {
      EXPECT_NEAR(hits / n, p, 5 * std::sqrt(p * (1 - p) / n));
    };
    expect_share(within_one, std::erf(1 / std::numbers::sqrt2));
    expect_share(above_two, std::erfc(2 / std::numbers::sqrt2) / 2);
  }
}

TEST(RandomStreamTest, BelowIsUnbiasedAndNeverN) {
  constexpr std::size_t count = 100'000;
  for (const std::uint64_t n : {1u, 2u, 3u, 7u, 8u, 100u}) {
    RandomStream stream(5, RandomPurpose::testing, 0, n);
    std::vector<double> hits(n);
    for (std::size_t i = 0; i < count; ++i) {
      const std::uint64_t drawn = stream.below(n);
      ASSERT_LT(drawn, n);
      ++hits[drawn];
    }
    const double p = 1 / static_cast<double>(n);
    for (const double hit : hits)
      EXPECT_NEAR(hit / count, p, 5 * std::sqrt(p * (1 - p) / count)) << "below " << n;
  }
}

TEST(RandomStreamTest, BelowHasNotTheBiasOfARemainder) {
  // The remainder of 64 bits by 3/4 of 2^64 falls into the first third of its range with
  // probability 1/2 instead of 1/3.
  constexpr std::size_t count = 20'000;
  constexpr std::uint64_t n = 3ull << 62;
  RandomStream stream(6, RandomPurpose::testing, 0, 0);
  double thirds[3] = {};
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint64_t drawn = stream.below(n);
    ASSERT_LT(drawn, n);
    ++thirds[drawn / (1ull << 62)];
  }
  for (const double third : thirds)
    EXPECT_NEAR(third / count, 1. / 3, 5 * std::sqrt(1. / 3 * 2. / 3 / count));
}

TEST(RandomStreamTest, WordsThatWouldFavourResultsAreLeftOut) {
  // 2^32 mod n is 2^31 - 1: a word is rejected if its product's lower half is below that.
  constexpr std::uint32_t n = (1u << 31) + 1;
  const std::vector<std::uint32_t> words = {0, 2, 0x80000000u, 0xfffffffeu, 1};
  auto word = words.begin();
  const auto next = [&] { return *word++; };
  // 0 * n = 0; 2 n = 2^32 + 2; 2^31 n = 2^62 + 2^31, whose lower half is large enough.
  EXPECT_EQ(below_from_words(n, next), 0x40000000u);
  EXPECT_EQ(word - words.begin(), 3);
  // (2^32 - 2) n = 2^63 - 2.
  EXPECT_EQ(below_from_words(n, next), 0x7fffffffu);
  // n itself: the lower half is n.
  EXPECT_EQ(below_from_words(n, next), 0u);
  // If n divides 2^32, no word is rejected.
  EXPECT_EQ(below_from_words(1u << 31, [] { return 0u; }), 0u);
}

TEST(RandomStreamTest, ShufflesByFisherAndYates) {
  for (const std::uint32_t count : {0u, 1u, 2u, 3u, 4u, 33u, 1000u}) {
    std::vector<std::uint32_t> shuffled(count);
    std::iota(shuffled.begin(), shuffled.end(), 0u);
    std::vector<std::uint32_t> expected = shuffled;
    RandomStream stream(3, RandomPurpose::testing, 1, 2);
    for (std::uint32_t before = 0; before < count % 32; ++before) stream.bits();
    stream.shuffle(shuffled);
    // For these arguments no word is rejected. A block whose half was drawn is left behind.
    for (std::uint32_t i = count, drawn = (count % 32 + 1) / 2 * 4; i > 1; --i, ++drawn) {
      const RandomBlock block = random_block(3, RandomPurpose::testing, 1, 2, drawn / 4);
      std::swap(expected[i - 1], expected[std::uint64_t{block[drawn % 4]} * i >> 32]);
    }
    EXPECT_EQ(shuffled, expected);
  }
}

TEST(RandomStreamTest, ShufflesIntoAllOrdersAlike) {
  constexpr std::size_t orders = 24, draws = 24000;
  std::map<std::vector<std::uint32_t>, std::size_t> seen;
  for (std::uint64_t i = 0; i < draws; ++i) {
    std::vector<std::uint32_t> numbers = {0, 1, 2, 3};
    RandomStream(3, RandomPurpose::testing, 0, i).shuffle(numbers);
    ++seen[numbers];
  }
  ASSERT_EQ(seen.size(), orders);
  constexpr double expected = double{draws} / orders;
  for (const auto& [order, count] : seen)
    EXPECT_NEAR(static_cast<double>(count), expected, 5 * std::sqrt(expected));
}

}  // namespace
}  // namespace ultr::random_test
