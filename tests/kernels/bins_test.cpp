#include "kernels/bins.h"

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include <gtest/gtest.h>

namespace ultr::bins_test {
namespace {

std::vector<double> equal_edges(std::size_t bins) {
  std::vector<double> edges;
  for (std::size_t i = 0; i <= bins; ++i)
    edges.push_back(static_cast<double>(i) / static_cast<double>(bins));
  return edges;
}

std::vector<double> growing_edges(std::size_t bins, double smallest) {
  std::vector<double> edges = equal_edges(bins);
  for (std::size_t i = 1; i <= bins; ++i) edges[i] = std::pow(smallest, 1 - edges[i]);
  return edges;
}

/// Few bins and many, of equal and of growing widths.
std::vector<Bins> all_bins() {
  return {Bins(equal_edges(1)),          Bins(equal_edges(20)),
          Bins(equal_edges(21)),         Bins(equal_edges(3000)),
          Bins(growing_edges(20, 1e-4)), Bins(growing_edges(7, 1e-15)),
          Bins(growing_edges(40, 1e-6)), Bins({0, 1e-300, 0.5, 1.002})};
}

/// Numbers in every bin, at the edges and beside them, and numbers in none, in any order.
std::vector<double> numbers_around(const Bins& bins) {
  std::vector<double> x = {5e-324, -0.0, -1, -HUGE_VAL, HUGE_VAL, NAN, -NAN, 1e300};
  for (const double edge : bins.edges())
    for (const double there : {std::nextafter(edge, -1), edge, std::nextafter(edge, 2)})
      x.push_back(there);
  std::mt19937_64 random(1);
  std::uniform_real_distribution<double> exponent(-12, 0);
  for (int i = 0; i < 500; ++i) x.push_back(std::exp(exponent(random)));
  std::shuffle(x.begin(), x.end(), random);
  return x;
}

std::size_t expected_bin(const Bins& bins, double x) {
  std::size_t bin = 0;
  while (bin < bins.size() && !(x >= bins.edges()[bin] && x < bins.edges()[bin + 1])) ++bin;
  return bin;
}

TEST(BinsTest, EveryNumberIsInItsBin) {
  for (const Bins& bins : all_bins())
    for (const double x : numbers_around(bins))
      EXPECT_EQ(bins.bin_of(x), expected_bin(bins, x)) << x;
}

TEST(BinsTest, SumsAreThoseOfTheNumbersInEachBin) {
  constexpr double most = 0.75;
  for (const Bins& bins : all_bins()) {
    const std::vector<double> all = numbers_around(bins);
    for (std::size_t count : {std::size_t{0}, std::size_t{63}, std::size_t{64}, all.size()}) {
      std::vector<std::uint8_t> chosen;
      std::vector<BinSum> expected(bins.size());
      const std::vector<double> x(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(count));
      for (const double one : x) {
        chosen.push_back(chosen.size() % 3 == 0 ? 1 : 0);
        const std::size_t bin = expected_bin(bins, one);
        if (bin == bins.size()) continue;
        ++expected[bin].numbers;
        expected[bin].chosen += chosen.back();
        expected[bin].sum += std::min(one, most);
      }
      const std::vector<BinSum> sums = bins.sums(x, chosen, most);
      ASSERT_EQ(sums.size(), bins.size());
      for (std::size_t bin = 0; bin < bins.size(); ++bin) {
        EXPECT_EQ(sums[bin].numbers, expected[bin].numbers) << bin << " of " << bins.size();
        EXPECT_EQ(sums[bin].chosen, expected[bin].chosen) << bin << " of " << bins.size();
        EXPECT_NEAR(sums[bin].sum, expected[bin].sum, 1e-14 * expected[bin].sum);
      }
    }
  }
}

}  // namespace
}  // namespace ultr::bins_test
