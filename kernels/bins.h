#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace ultr {

/// The numbers in a bin: how many there are, how many of them were chosen, and their sum.
struct BinSum {
  std::uint64_t numbers = 0, chosen = 0;
  double sum = 0;
};

/// Bins that divide the numbers from 0 to an upper bound.
///
/// ```
/// const Bins bins({0, 0.1, 1});
/// bins.bin_of(0.1);  // 1
/// ```
class Bins {
 public:
  /// Bin b has the numbers x with edges[b] <= x < edges[b + 1]. There are two edges or more, which
  /// ascend from 0.
  explicit Bins(std::vector<double> edges);

  std::size_t size() const { return edges_.size() - 1; }
  const std::vector<double>& edges() const { return edges_; }
  /// Returns the bin of a number; size() if it is in none, as NaN is.
  std::size_t bin_of(double x) const {
    std::size_t bin = first_bin_[std::min(interval_of(x), first_bin_.size() - 1)];
    bin += x >= next_edge_[bin] ? 1 : 0;  // without a branch, which could not be foreseen
    if (!two_bins_suffice_)
      while (x >= next_edge_[bin]) ++bin;
    return bin;
  }
  /// Returns the sums of each bin. Numbers in none are left out. A number is chosen if its byte is
  /// 1, not if it is 0. In sums, those above `most` count as `most`.
  std::vector<BinSum> sums(std::span<const double> x, std::span<const std::uint8_t> chosen,
                           double most) const;

 private:
  /// Intervals of numbers whose mantissas have the same first five bits. The first has all below
  /// 2^-30, too.
  static constexpr int other_bits = 47;
  static constexpr std::uint64_t first_interval =
      std::bit_cast<std::uint64_t>(0x1p-30) >> other_bits;

  /// Returns the interval of a number. Those of negative numbers and NaN follow all others.
  static std::size_t interval_of(double x) {
    const auto bits = std::bit_cast<std::uint64_t>(x + 0.0);  // of 0 in place of -0
    return std::max(bits >> other_bits, first_interval) - first_interval;
  }

  std::vector<double> edges_;
  std::vector<double> next_edge_;  // by bin, then NaN
  /// The bin of the start of each interval. Hardly any number is looked for in more than two bins.
  std::vector<std::uint32_t> first_bin_;
  bool two_bins_suffice_ = true;  // that of an interval's start, and the next
};

}  // namespace ultr
