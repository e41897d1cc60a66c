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

/// Points of the plane, to find those near each other by the larger of both distances.
class PlanePoints {
 public:
  PlanePoints(const std::vector<double>& x, const std::vector<double>& y)
      : order_(x.size()), place_(x.size()) {
    std::iota(order_.begin(), order_.end(), std::size_t{0});
    std::sort(order_.begin(), order_.end(),
              [&](std::size_t a, std::size_t b) { return x[a] < x[b]; });
    for (std::size_t place = 0; place < order_.size(); ++place) {
      place_[order_[place]] = place;
      x_.push_back(x[order_[place]]);
      y_.push_back(y[order_[place]]);
    }
  }

  /// Returns the first coordinates in ascending order.
  const std::vector<double>& sorted_x() const { return x_; }

  /// Returns the k + 1 smallest distances to a point, its own 0 among them, in ascending order.
  std::span<const double> nearest(std::size_t point, std::size_t k) {
    // Points are met by growing distance of x, and none beyond the largest one kept can be nearer.
    const std::size_t at = place_[point];
    nearest_.assign(1, 0);
    std::size_t below = at, above = at + 1;
    while (below > 0 || above < x_.size()) {
      const bool down =
          above == x_.size() || (below > 0 && x_[at] - x_[below - 1] <= x_[above] - x_[at]);
      const std::size_t other = down ? --below : above++;
      const double apart = std::abs(x_[at] - x_[other]);
      if (nearest_.size() > k && apart >= nearest_.back()) break;
      const double distance = std::max(apart, std::abs(y_[at] - y_[other]));
      if (nearest_.size() > k) {
        if (distance >= nearest_.back()) continue;
        nearest_.pop_back();
      }
      nearest_.insert(std::upper_bound(nearest_.begin(), nearest_.end(), distance), distance);
    }
    return nearest_;
  }

  /// Counts the points equal to a point, itself included.
  std::size_t equal_to(std::size_t point) const {
    const std::size_t at = place_[point];
    const auto [begin, end] = std::equal_range(x_.begin(), x_.end(), x_[at]);
    return static_cast<std::size_t>(
        std::count(y_.begin() + (begin - x_.begin()), y_.begin() + (end - x_.begin()), y_[at]));
  }

 private:
  std::vector<std::size_t> order_, place_;  // points by x, and the place of each among them
  std::vector<double> x_, y_;               // in this order
  std::vector<double> nearest_;
};

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
  PlanePoints points(x, y);
  std::vector<double> sorted_y = y;
  std::sort(sorted_y.begin(), sorted_y.end());
  using boost::math::digamma;
  double sum = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const std::span<const double> nearest = points.nearest(i, k);
    const double distance = nearest.back();
    // All that are nearer are among these; of those at no distance there may be more.
    const auto near =
        distance > 0 ? std::lower_bound(nearest.begin(), nearest.end(), distance) - nearest.begin()
                     : static_cast<std::ptrdiff_t>(points.equal_to(i));
    sum += digamma(static_cast<double>(near)) + digamma(static_cast<double>(n)) -
           digamma(count_near(points.sorted_x(), x[i], distance)) -
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
