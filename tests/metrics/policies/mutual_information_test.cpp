#include "metrics/policies/mutual_information.h"

#include <algorithm>
#include <boost/math/special_functions/digamma.hpp>
#include <cmath>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "base/error.h"

namespace ultr::mutual_information_test {
namespace {

using Numbers = std::vector<double>;

constexpr std::size_t points = 2000;

/// Pairs of normal numbers with a correlation, whose information is -log(1 - ρ²) / 2.
struct NormalPairs {
  NormalPairs(double correlation, std::size_t count, unsigned seed) {
    std::mt19937_64 random(seed);
    std::normal_distribution<double> normal;
    for (std::size_t i = 0; i < count; ++i) {
      x.push_back(normal(random));
      y.push_back(correlation * x.back() +
                  std::sqrt(1 - correlation * correlation) * normal(random));
    }
  }

  Numbers x, y;
};

TEST(MutualInformationTest, IsThatOfTheClosedFormForNormalNumbers) {
  for (const double correlation : {0., 0.3, -0.6, 0.9}) {
    const NormalPairs pairs(correlation, points, 1);
    EXPECT_NEAR(mutual_information(pairs.x, pairs.y), -std::log(1 - correlation * correlation) / 2,
                0.05)
        << correlation;
  }
}

TEST(MutualInformationTest, DependsOnTheOrderOfNumbersAlone) {
  NormalPairs pairs(0.6, points, 2);
  const double before = mutual_information(pairs.x, pairs.y);
  for (double& x : pairs.x) x = std::exp(3 * x);
  for (double& y : pairs.y) y = 1000 * y - 7;
  EXPECT_DOUBLE_EQ(mutual_information(pairs.x, pairs.y), before);
}

/// The estimate by its definition: for each point, all distances.
double by_all_distances(const Numbers& x, const Numbers& y) {
  constexpr std::size_t k = 5;
  using boost::math::digamma;
  const std::size_t n = x.size();
  double sum = 0;
  for (std::size_t i = 0; i < n; ++i) {
    Numbers distances;
    for (std::size_t j = 0; j < n; ++j)
      distances.push_back(std::max(std::abs(x[i] - x[j]), std::abs(y[i] - y[j])));
    Numbers sorted = distances;
    std::sort(sorted.begin(), sorted.end());
    const double distance = sorted[k];
    const auto near = [&](double other) { return distance > 0 ? other < distance : other == 0; };
    double both = 0, in_x = 0, in_y = 0;
    for (std::size_t j = 0; j < n; ++j) {
      both += near(distances[j]) ? 1 : 0;
      in_x += near(std::abs(x[i] - x[j])) ? 1 : 0;
      in_y += near(std::abs(y[i] - y[j])) ? 1 : 0;
    }
    sum += digamma(both) + digamma(static_cast<double>(n)) - digamma(in_x) - digamma(in_y);
  }
  return sum / static_cast<double>(n);
}

TEST(MutualInformationTest, IsThatOfAllDistances) {
  std::mt19937 random(5);
  for (const int values : {2, 7, 40, 300}) {  // from hardly any different numbers to no equal ones
    // Shuffled ranks stay what they are; where numbers are equal, each has their mean rank.
    const std::size_t n = 300;
    Numbers x(n), y(n);
    for (std::size_t i = 0; i < n; ++i) x[i] = y[i] = static_cast<double>(i * values / n);
    for (Numbers* numbers : {&x, &y}) {
      const Numbers given = *numbers;
      for (double& number : *numbers) {
        const auto [begin, end] = std::equal_range(given.begin(), given.end(), number);
        number = static_cast<double>((begin - given.begin()) + (end - given.begin()) - 1) / 2;
      }
    }
    std::shuffle(y.begin() + 100, y.end(), random);  // a third depends on x
    EXPECT_DOUBLE_EQ(mutual_information(x, y), by_all_distances(x, y)) << values;
    EXPECT_DOUBLE_EQ(mutual_information(y, x), by_all_distances(y, x)) << values;
  }
}

/// All eight cells of a table of probabilities, as often as they say.
TEST(MutualInformationTest, IsThatOfATableForDiscreteNumbers) {
  const std::vector<std::vector<double>> table = {{0.30, 0.05, 0.05}, {0.10, 0.40, 0.10}};
  Numbers x, y;
  double expected = 0;
  for (std::size_t i = 0; i < table.size(); ++i)
    for (std::size_t j = 0; j < table[i].size(); ++j) {
      double row = 0, column = 0;
      for (const double p : table[i]) row += p;
      for (const auto& other : table) column += other[j];
      expected += table[i][j] * std::log(table[i][j] / (row * column));
      for (int n = 0; n < std::lround(table[i][j] * points); ++n) {
        x.push_back(static_cast<double>(i));
        y.push_back(static_cast<double>(j));
      }
    }
  EXPECT_NEAR(mutual_information(x, y), expected, 0.005);
}

/// A continuous number, and the half of the line that it lies in: log 2.
TEST(MutualInformationTest, IsThatOfAMixtureOfKinds) {
  const NormalPairs pairs(0, points, 3);
  Numbers half;
  for (const double x : pairs.x) half.push_back(x > 0 ? 1 : 0);
  EXPECT_NEAR(mutual_information(pairs.x, half), std::log(2), 0.02);
}

TEST(MutualInformationTest, ThinsLargeSamples) {
  const NormalPairs pairs(0.6, 3 * points, 4);
  EXPECT_NEAR(mutual_information(pairs.x, pairs.y), -std::log(1 - 0.36) / 2, 0.05);
  EXPECT_NE(mutual_information(pairs.x, pairs.y),
            mutual_information(pairs.x, pairs.y, {.most = 3 * points}));
}

TEST(MutualInformationTest, NeedsMorePointsThanNeighbours) {
  const Numbers few = {1, 2, 3, 4, 5};
  EXPECT_TRUE(std::isnan(mutual_information(few, few)));
  EXPECT_FALSE(std::isnan(mutual_information(few, few, {.neighbours = 4})));
  EXPECT_TRUE(std::isnan(mutual_information({}, {})));
  EXPECT_THROW(mutual_information(few, Numbers{1, 2}), Error);
  EXPECT_THROW(mutual_information(few, Numbers{1, 2, std::nan(""), 4, 5}), Error);
}

/// Two numbers that both follow a label depend on each other, but not given the label.
TEST(ConditionalMutualInformationTest, IsZeroIfTheLabelExplainsTheDependence) {
  NormalPairs pairs(0, points, 5);
  std::vector<int> labels;
  for (std::size_t i = 0; i < points; ++i) {
    labels.push_back(static_cast<int>(i % 4));
    pairs.x[i] += 2 * labels[i];
    pairs.y[i] += 2 * labels[i];
  }
  EXPECT_GT(mutual_information(pairs.x, pairs.y), 0.4);
  EXPECT_NEAR(conditional_mutual_information(pairs.x, pairs.y, labels), 0, 0.05);
}

TEST(ConditionalMutualInformationTest, IsTheMeanOverLabels) {
  const NormalPairs dependent(0.8, points, 6), independent(0, points, 7), few(0.9, 3, 8);
  Numbers x, y;
  std::vector<int> labels;
  const auto add = [&](const NormalPairs& pairs, int label) {
    x.insert(x.end(), pairs.x.begin(), pairs.x.end());
    y.insert(y.end(), pairs.y.begin(), pairs.y.end());
    labels.insert(labels.end(), pairs.x.size(), label);
  };
  add(dependent, 0);
  add(independent, 3);
  add(few, 4);  // too few to count
  EXPECT_DOUBLE_EQ(conditional_mutual_information(x, y, labels),
                   (mutual_information(dependent.x, dependent.y) +
                    mutual_information(independent.x, independent.y)) /
                       2);
  EXPECT_TRUE(std::isnan(conditional_mutual_information(few.x, few.y, std::vector<int>{1, 1, 1})));
  EXPECT_THROW(conditional_mutual_information(x, y, std::vector<int>{1}), Error);
}

}  // namespace
}  // namespace ultr::mutual_information_test
