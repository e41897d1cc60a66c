#include "metrics/policies/mutual_information.h"

#include <algorithm>
#include <boost/math/special_functions/digamma.hpp>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <vector>

#include "base/error.h"

namespace ultr {
namespace {

constexpr double not_estimated = std::numeric_limits<double>::quiet_NaN();

/// Returns up to `most` elements at even distances.
std::vector<double> thinned(std::span<const double> values, std::size_t most) {
  const std::size_t count = std::min(values.size(), most);
  std::vector<double> kept;
  for (std::size_t i = 0; i < count; ++i) kept.push_back(values[i * values.size() / count]);
  return kept;
}

/// Returns the mean rank of each element among equal ones.
std::vector<double> mean_ranks(const std::vector<double>& values) {
  std::vector<std::size_t> order(values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(),
            [&](std::size_t a, std::size_t b) { return values[a] < values[b]; });
  std::vector<double> ranks(values.size());
  for (std::size_t begin = 0, end = 0; begin < order.size(); begin = end) {
    while (end < order.size() && values[order[end]] == values[order[begin]]) ++end;
    for (std::size_t i = begin; i < end; ++i)
      ranks[order[i]] = static_cast<double>(begin + end - 1) / 2;
  }
  return ranks;
}

/// Counts the elements of a sorted vector that are nearer to one of its elements than a distance,
/// or equal to it if the distance is 0. The element counts itself.
double count_near(const std::vector<double>& sorted, double of, double distance) {
  const auto [begin, end] =
      distance > 0 ? std::pair(std::upper_bound(sorted.begin(), sorted.end(), of - distance),
                               std::lower_bound(sorted.begin(), sorted.end(), of + distance))
                   : std::equal_range(sorted.begin(), sorted.end(), of);
  return static_cast<double>(end - begin);
}

void expect_numbers(std::span<const double> x, std::span<const double> y, std::size_t others) {
  if (x.size() != y.size() || x.size() != others)
    throw Error("mutual information: the lengths differ; expected equal ones");
  const auto is_nan = [](double value) { return std::isnan(value); };
  if (std::any_of(x.begin(), x.end(), is_nan) || std::any_of(y.begin(), y.end(), is_nan))
    throw Error("mutual information: an element is NaN; expected numbers");
}

}  // namespace

double mutual_information(std::span<const double> all_x, std::span<const double> all_y,
                          const MutualInformationOptions& options) {
  expect_numbers(all_x, all_y, all_x.size());
  const std::vector<double> x = mean_ranks(thinned(all_x, options.most)),
                            y = mean_ranks(thinned(all_y, options.most));
  const std::size_t n = x.size(), k = options.neighbours;
  if (n < k + 1) return not_estimated;
  std::vector<double> sorted_x = x, sorted_y = y, distances(n);
  std::sort(sorted_x.begin(), sorted_x.end());
  std::sort(sorted_y.begin(), sorted_y.end());
  using boost::math::digamma;
  double sum = 0;
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j)
      distances[j] = std::max(std::abs(x[i] - x[j]), std::abs(y[i] - y[j]));
    // The point itself is at distance 0 and takes the first place.
    std::nth_element(distances.begin(), distances.begin() + static_cast<std::ptrdiff_t>(k),
                     distances.end());
    const double distance = distances[k];
    const auto near = std::count_if(distances.begin(), distances.end(), [&](double other) {
      return distance > 0 ? other < distance : other == 0;
    });
    sum += digamma(static_cast<double>(near)) + digamma(static_cast<double>(n)) -
           digamma(count_near(sorted_x, x[i], distance)) -
           digamma(count_near(sorted_y, y[i], distance));
  }
  return sum / static_cast<double>(n);
}

double conditional_mutual_information(std::span<const double> x, std::span<const double> y,
                                      std::span<const int> labels,
                                      const MutualInformationOptions& options) {
  expect_numbers(x, y, labels.size());
  struct Group {
    std::vector<double> x, y;
  };
  std::map<int, Group> groups;
  for (std::size_t i = 0; i < labels.size(); ++i) {
    groups[labels[i]].x.push_back(x[i]);
    groups[labels[i]].y.push_back(y[i]);
  }
  double sum = 0, points = 0;
  for (const auto& [label, group] : groups) {
    const double information = mutual_information(group.x, group.y, options);
    if (std::isnan(information)) continue;
    const auto size = static_cast<double>(group.x.size());
    sum += size * information;
    points += size;
  }
  return points > 0 ? sum / points : not_estimated;
}

}  // namespace ultr
