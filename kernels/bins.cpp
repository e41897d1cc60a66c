#include "kernels/bins.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <utility>

#include "kernels/bits.h"
#include "kernels/pack.h"

namespace ultr {
namespace {

/// The numbers in a bin. There are several sums and counts, which numbers take in turns, so that
/// none waits for the one before it.
struct BinTurns {
  static constexpr std::size_t turns = 8;
  double sum[turns] = {};
  std::uint64_t numbers_and_chosen[turns] = {};  // in the upper and lower 32 bits

  void add_to(BinSum& bin) const {
    for (std::size_t turn = 0; turn < turns; ++turn) {
      bin.numbers += numbers_and_chosen[turn] >> 32;
      bin.chosen += numbers_and_chosen[turn] & 0xffffffff;
      bin.sum += sum[turn];
    }
  }
};

#if defined(__AVX512BW__) && defined(__AVX512DQ__)
/// The bins whose sums have registers of their own.
constexpr std::size_t few_bins = 20;

/// Adds a block of numbers to few bins. Each number is compared with all edges: nothing depends on
/// where it lies, and no sum waits for memory.
[[gnu::always_inline]] inline void add_block(const std::array<double, few_bins + 1>& edges,
                                             double most, const double* x,
                                             const std::uint8_t* chosen, Pack<double>* sums,
                                             BinSum* counts) {
  constexpr std::size_t registers = 8;
  std::uint8_t bits[few_bins][registers];  // of the numbers in each bin
#pragma GCC unroll 1
  for (std::size_t i = 0; i < registers; ++i) {
    const auto here = Pack<double>::load(x + i * Pack<double>::size);
    const Pack<double> added = min(here, most);
    __mmask8 above = _mm512_cmp_pd_mask(here.vector, _mm512_set1_pd(edges[0]), _CMP_GE_OQ);
#pragma GCC unroll few_bins
    for (std::size_t bin = 0; bin < few_bins; ++bin) {
      const __mmask8 beyond =
          _mm512_cmp_pd_mask(here.vector, _mm512_set1_pd(edges[bin + 1]), _CMP_GE_OQ);
      const auto inside = static_cast<__mmask8>(above & ~beyond);
      sums[bin].vector =
          _mm512_mask_add_pd(sums[bin].vector, inside, sums[bin].vector, added.vector);
      bits[bin][i] = inside;
      above = beyond;
    }
  }
  const std::uint64_t chosen_here = bits_equal_to(1, chosen);
  for (std::size_t bin = 0; bin < few_bins; ++bin) {
    const auto inside = std::bit_cast<std::uint64_t>(bits[bin]);
    counts[bin].numbers += static_cast<std::uint64_t>(std::popcount(inside));
    counts[bin].chosen += static_cast<std::uint64_t>(std::popcount(inside & chosen_here));
  }
}

/// Adds whole blocks of numbers to the sums of bins, if those are few. Returns how many it added.
std::size_t add_to_few(std::span<const double> edges, std::span<const double> x,
                       const std::uint8_t* chosen, double most, std::span<BinSum> bins) {
  constexpr std::size_t block = 64;
  if (bins.size() > few_bins) return 0;
  std::array<double, few_bins + 1> all_edges;
  all_edges.fill(edges.back());  // so that bins that are not there stay empty
  std::ranges::copy(edges, all_edges.begin());
  Pack<double> sums[few_bins];
  std::fill_n(sums, few_bins, Pack<double>(0));
  BinSum counts[few_bins];
  std::size_t i = 0;
  for (; i + block <= x.size(); i += block)
    add_block(all_edges, most, &x[i], chosen + i, sums, counts);
  for (std::size_t bin = 0; bin < bins.size(); ++bin)
    bins[bin] = {counts[bin].numbers, counts[bin].chosen, sum(sums[bin])};
  return i;
}
#else
/// Without enough registers, looking for bins is faster.
std::size_t add_to_few(std::span<const double>, std::span<const double>, const std::uint8_t*,
                       double, std::span<BinSum>) {
  return 0;
}
#endif

}  // namespace

Bins::Bins(std::vector<double> edges) : edges_(std::move(edges)) {
  next_edge_.assign(edges_.begin() + 1, edges_.end());
  first_bin_.assign(interval_of(edges_.back()) + 2, 0);
  for (std::size_t i = 1; i < first_bin_.size(); ++i) {
    const double start = std::bit_cast<double>((first_interval + i) << other_bits);
    first_bin_[i] = static_cast<std::uint32_t>(
        std::upper_bound(next_edge_.begin(), next_edge_.end(), start) - next_edge_.begin());
    two_bins_suffice_ &= first_bin_[i] <= first_bin_[i - 1] + 1;
  }
  next_edge_.push_back(NAN);  // nothing lies beyond the numbers in no bin
}

std::vector<BinSum> Bins::sums(std::span<const double> x, std::span<const std::uint8_t> chosen,
                               double most) const {
  std::vector<BinSum> sums(size());
  std::size_t i = add_to_few(edges_, x, chosen.data(), most, sums);
  if (i < x.size()) {
    std::vector<BinTurns> turns(size() + 1);
    for (; i < x.size(); ++i) {
      BinTurns& bin = turns[bin_of(x[i])];
      const std::size_t turn = i % BinTurns::turns;
      bin.sum[turn] += std::min(x[i], most);
      bin.numbers_and_chosen[turn] += (std::uint64_t{1} << 32) + chosen[i];
    }
    for (std::size_t bin = 0; bin < size(); ++bin) turns[bin].add_to(sums[bin]);
  }
  return sums;
}

}  // namespace ultr
