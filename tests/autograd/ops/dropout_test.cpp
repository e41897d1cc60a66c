#include "autograd/ops/dropout.h"

#include <algorithm>
#include <array>
#include <cmath>

#include <gtest/gtest.h>

#include "autograd/ops/arithmetic.h"
#include "autograd/ops/reductions.h"
#include "autograd/tape/tape.h"
#include "base/error.h"
#include "testing/errors.h"

namespace ultr::dropout_test {
namespace {

using Key = std::array<std::uint32_t, dropout_key_words>;
using Numbers = std::vector<double>;

/// A program that applies dropout to `count` ones.
class Dropout {
 public:
  Dropout(double rate, std::int64_t count, const Key& key, std::uint32_t salt = 0,
          Precision precision = Precision::float32)
      : tape_(precision),
        index_(tape_.index(dropout_key_words)),
        x_(tape_.variable(Shape::vector(count), Numbers(static_cast<std::size_t>(count), 1))),
        y_(dropout(x_, rate, index_, salt)) {
    set(key);
  }

  void set(const Key& key) {
    key_ = key;
    tape_.bind(index_, key_);
    tape_.replay();
  }
  Tape& tape() { return tape_; }
  Tensor input() const { return x_; }
  Tensor result() const { return y_; }
  Numbers values() const { return y_.values(); }

 private:
  Tape tape_;
  Key key_{};
  Index index_;
  Tensor x_, y_;
};

double share_of_zeros(const Numbers& numbers) {
  return static_cast<double>(std::count(numbers.begin(), numbers.end(), 0.0)) /
         static_cast<double>(numbers.size());
}

constexpr std::int64_t many = 100'003;  // not a multiple of the elements per block

TEST(DropoutTest, DropsTheRateAndKeepsTheMean) {
  for (const double rate : {0.1, 0.25, 0.5, 0.9}) {
    const Numbers values = Dropout(rate, many, {1, 0, 2, 3}).values();
    const double error = std::sqrt(rate * (1 - rate) / many);
    EXPECT_NEAR(share_of_zeros(values), rate, 4 * error);
    double mean = 0;
    for (const double x : values) mean += x / many;
    EXPECT_NEAR(mean, 1, 4 * error / (1 - rate));
    for (const double x : values)
      if (x != 0) {
        ASSERT_NEAR(x, 1 / (1 - rate), 1e-3);
      }
  }
}

TEST(DropoutTest, NeighboursAreIndependent) {
  constexpr double rate = 0.3;
  const Numbers values = Dropout(rate, many, {4, 0, 0, 0}).values();
  for (const std::size_t distance : {1, 2, 8, 16}) {
    double both = 0;
    for (std::size_t i = distance; i < values.size(); ++i)
      both += values[i] == 0 && values[i - distance] == 0 ? 1 : 0;
    const double expected = rate * rate;
    EXPECT_NEAR(both / many, expected, 5 * std::sqrt(expected / many)) << distance;
  }
}

TEST(DropoutTest, TheSameKeyDropsTheSameElements) {
  Dropout one(0.5, 1000, {1, 2, 3, 4});
  const Numbers first = one.values();
  one.set({1, 2, 3, 5});
  EXPECT_NE(one.values(), first);
  one.set({1, 2, 3, 4});
  EXPECT_EQ(one.values(), first);
  EXPECT_EQ(Dropout(0.5, 1000, {1, 2, 3, 4}, 0, Precision::float64).values(), first);
  // The kept elements do not depend on the number of elements.
  const Numbers fewer = Dropout(0.5, 501, {1, 2, 3, 4}).values();
  EXPECT_TRUE(std::equal(fewer.begin(), fewer.end(), first.begin()));
}

TEST(DropoutTest, EveryWordOfTheKeyAndTheSaltMatter) {
  const Numbers base = Dropout(0.5, 1000, {1, 2, 3, 4}, 5).values();
  EXPECT_NE(Dropout(0.5, 1000, {0, 2, 3, 4}, 5).values(), base);
  EXPECT_NE(Dropout(0.5, 1000, {1, 0, 3, 4}, 5).values(), base);
  EXPECT_NE(Dropout(0.5, 1000, {1, 2, 0, 4}, 5).values(), base);
  EXPECT_NE(Dropout(0.5, 1000, {1, 2, 3, 0}, 5).values(), base);
  EXPECT_NE(Dropout(0.5, 1000, {1, 2, 3, 4}, 6).values(), base);
}

TEST(DropoutTest, TheGradientOfAScaledInputIsItsFactor) {
  Dropout one(0.4, 1000, {7, 0, 0, 0}, 0, Precision::float64);
  const Numbers factors = one.values();  // ones after dropout
  one.tape().backward(sum(one.result()) + 10 * sum(one.input()));
  const Numbers gradient = one.input().gradient();
  for (std::size_t i = 0; i < factors.size(); ++i) EXPECT_EQ(gradient[i], 10 + factors[i]);
}

TEST(DropoutTest, DroppedInfinitiesAreZero) {
  Dropout one(0.5, 64, {1, 0, 0, 0});
  one.tape().assign(one.input(), Numbers(64, HUGE_VAL));
  one.tape().replay();
  for (const double x : one.values()) EXPECT_TRUE(x == 0 || x == HUGE_VAL);
  EXPECT_GT(share_of_zeros(one.values()), 0);
}

TEST(DropoutTest, ARateOfZeroKeepsAll) {
  EXPECT_EQ(Dropout(0, 100, {1, 0, 0, 0}).values(), Numbers(100, 1));
}

TEST(DropoutTest, RefusesRatesAndKeysOutOfRange) {
  Tape tape;
  const Tensor x = tape.constant(1);
  const Index key = tape.index(dropout_key_words);
  EXPECT_THROW(dropout(x, 1, key, 0), Error);
  EXPECT_THROW(dropout(x, -0.1, key, 0), Error);
  EXPECT_EQ(testing::shape_error([&] { dropout(x, 0.5, tape.index(3), 0); }),
            "dropout: the key is [3]; expected [4]");
}

}  // namespace
}  // namespace ultr::dropout_test
