#include "metrics/rank_correlation.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include "base/error.h"

namespace ultr {
namespace {

using Pair = std::pair<double, double>;

/// Returns the number of pairs of equal items in a sorted list: Σ of m (m-1) / 2 over the runs of m
/// equals.
template <class Equal>
std::int64_t tied_pairs(const std::vector<Pair>& sorted, Equal equal) {
  std::int64_t pairs = 0, run = 0;
  for (std::size_t i = 1; i < sorted.size(); ++i) {
    run = equal(sorted[i - 1], sorted[i]) ? run + 1 : 0;
    pairs += run;
  }
  return pairs;
}

/// Sorts items by their second number and returns the number of pairs that were out of order: the
/// exchanges of a bubble sort, counted by a merge sort.
std::int64_t sort_by_second(std::vector<Pair>& items) {
  std::vector<Pair> merged(items.size());
  std::int64_t exchanges = 0;
  for (std::size_t width = 1; width < items.size(); width *= 2) {
    for (std::size_t begin = 0; begin < items.size(); begin += 2 * width) {
      const std::size_t middle = std::min(begin + width, items.size());
      const std::size_t end = std::min(begin + 2 * width, items.size());
      std::size_t left = begin, right = middle;
      for (std::size_t out = begin; out < end; ++out) {
        if (right == end || (left < middle && items[left].second <= items[right].second)) {
          merged[out] = items[left++];
        } else {
          exchanges += static_cast<std::int64_t>(middle - left);  // it passes all that are left
          merged[out] = items[right++];
        }
      }
    }
    items.swap(merged);
  }
  return exchanges;
}

}  // namespace

double kendall_tau(std::span<const double> a, std::span<const double> b) {
  if (a.size() != b.size())
    throw Error(
        fmt::format("kendall_tau: {} and {} values; expected equally many", a.size(), b.size()));
  std::vector<Pair> items;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (std::isnan(a[i]) || std::isnan(b[i]))
      throw Error(fmt::format("kendall_tau: element {} is NaN", i));
    items.emplace_back(a[i], b[i]);
  }
  // Sorted by a, and by b among equals of a, so that only discordant pairs need an exchange.
  std::sort(items.begin(), items.end());
  const std::int64_t ties_a =
      tied_pairs(items, [](const Pair& x, const Pair& y) { return x.first == y.first; });
  const std::int64_t ties_both =
      tied_pairs(items, [](const Pair& x, const Pair& y) { return x == y; });
  const std::int64_t discordant = sort_by_second(items);
  const std::int64_t ties_b =
      tied_pairs(items, [](const Pair& x, const Pair& y) { return x.second == y.second; });

  const auto n = static_cast<std::int64_t>(items.size());
  const std::int64_t pairs = n * (n - 1) / 2;
  const std::int64_t concordant = pairs - ties_a - ties_b + ties_both - discordant;
  const auto untied_a = static_cast<double>(pairs - ties_a);
  const auto untied_b = static_cast<double>(pairs - ties_b);
  // One root of the product rather than a product of roots, because sqrt(x * x) is exactly x. 0 / 0
  // is NaN.
  return static_cast<double>(concordant - discordant) / std::sqrt(untied_a * untied_b);
}

}  // namespace ultr
