#include "metrics/click_metrics.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <numeric>

#include <fmt/core.h>

#include "base/error.h"
#include "kernels/sum_of_logs.h"
#include "metrics/rank_runs.h"

namespace ultr {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

/// The excess over 0 of a log probability that is computed in float32: its rounding error, which
/// grows with the size of what cancelled. A probability that is passed by mistake instead of its
/// logarithm exceeds 0 by more.
constexpr double float32_rounding = 1e-3;

void expect_log_probability(double value, const char* event) {
  if (!(value <= float32_rounding))  // NaN
    throw Error(fmt::format("log probability of {} is {}; expected at most 0", event, value));
}

void expect_observed(double log_likelihood, bool clicked) {
  expect_log_probability(log_likelihood, clicked ? "the observed click" : "the observed skip");
}

/// Returns true if all numbers are from `least` to `most`. Looks at all of them, many at a time.
bool are_within(double least, double most, std::span<const double> numbers) {
  using P = Pack<double>;
  Lanes<double> within = P(0) == P(0);
  for_each_pack<double>(numbers.size(), [&](std::size_t i, auto... count) {
    auto here = is_between(P::load(numbers.data() + i, count...), least, most);
    if constexpr (sizeof...(count) > 0) here = here | !first_lanes<double>(count...);
    within = within & here;
  });
  return all_true(within);
}

void expect_log_probabilities(std::span<const double> numbers,
                              std::span<const std::uint8_t> clicked) {
  if (are_within(-HUGE_VAL, float32_rounding, numbers)) return;
  for (std::size_t i = 0; i < numbers.size(); ++i) expect_observed(numbers[i], clicked[i] != 0);
}

void expect_probabilities(std::span<const double> numbers, const char* event) {
  const auto are_probabilities = [](std::span<const double> some) {
    return are_within(0, 1 + 2 * float32_rounding, some);
  };
  if (are_probabilities(numbers)) return;
  const auto found = std::ranges::find_if_not(numbers, [&](const double& one) {
    return are_probabilities({&one, 1});
  });
  throw Error(fmt::format("probability of {} is {}; expected 0 to 1", event, *found));
}

/// The numbers of documents and clicks, and sums of their probabilities, in one bin. There are
/// several of each, which documents take in turns, so that none waits for the one before it.
struct BinTurns {
  static constexpr std::size_t turns = 8;
  double sum[turns] = {};
  std::uint64_t documents_and_clicks[turns] = {};  // in the upper and lower 32 bits
};

/// Intervals of numbers whose mantissas have the same first five bits. The first has all below
/// 2^-30, too.
constexpr int other_bits = 47;
constexpr std::uint64_t first_interval = std::bit_cast<std::uint64_t>(0x1p-30) >> other_bits;

std::size_t interval_of(double p) {
  const auto bits = std::bit_cast<std::uint64_t>(p + 0.0);  // of 0 in place of -0
  return std::max(bits >> other_bits, first_interval) - first_interval;
}

double ratio_or_nan(double sum, double count) { return count == 0 ? nan : sum / count; }

std::uint64_t rounded_count(double count) {
  return static_cast<std::uint64_t>(std::llround(count));
}

/// Returns the three numbers of each entry, one after the other.
std::vector<double> flat(const std::vector<ClickSums>& entries) {
  std::vector<double> numbers;
  for (const auto& [documents, clicks, sum] : entries)
    numbers.insert(numbers.end(), {documents, clicks, sum});
  return numbers;
}

std::vector<ClickSums> entries_of(std::span<const double> flat) {
  std::vector<ClickSums> entries;
  for (; !flat.empty(); flat = flat.subspan(3)) entries.push_back({flat[0], flat[1], flat[2]});
  return entries;
}

/// exp(-mean of natural logs) equals 2^(-mean of log2).
double perplexity_of(double log_likelihood, double documents) {
  return std::exp(-ratio_or_nan(log_likelihood, documents));
}

}  // namespace

void ClickMetrics::add(std::size_t rank, bool clicked, double log_click, double log_no_click) {
  const double observed = clicked ? log_click : log_no_click;
  expect_observed(observed, clicked);
  if (rank >= ranks_.size()) ranks_.resize(rank + 1);
  ranks_[rank].add({.documents = 1, .clicks = clicked ? 1.0 : 0.0, .sum = observed});
}

void ClickMetrics::add(std::span<const std::uint32_t> ranks, std::span<const std::uint8_t> clicked,
                       const Likelihoods& likelihoods, std::span<const double> weights) {
  const auto& [values, are_logarithms] = likelihoods;
  if (are_logarithms)
    expect_log_probabilities(values, clicked);
  else
    expect_probabilities(values, "what was observed");
  for_each_rank_run(ranks, [&](std::uint32_t rank, std::size_t begin, std::size_t count) {
    if (rank >= ranks_.size()) ranks_.resize(std::size_t{rank} + 1);
    const auto* const click = clicked.data() + begin;
    const auto here = values.subspan(begin, count);
    if (weights.empty()) {
      ranks_[rank].add({.documents = static_cast<double>(count),
                        .clicks = static_cast<double>(std::accumulate(click, click + count, 0u)),
                        .sum = are_logarithms ? sum_of(here.data(), count) : sum_of_logs(here)});
      return;
    }
    ClickSums sums;
    for (std::size_t i = 0; i < count; ++i) {
      const double weight = weights[begin + i], log = are_logarithms ? here[i] : std::log(here[i]);
      sums.add({weight, weight * click[i], weight * log});
    }
    ranks_[rank].add(sums);
  });
}

void ClickMetrics::add(const ClickMetrics& other) {
  if (other.ranks() > ranks()) ranks_.resize(other.ranks());
  for (std::size_t rank = 0; rank < other.ranks(); ++rank) ranks_[rank].add(other.ranks_[rank]);
}

double ClickMetrics::counted() const {
  double documents = 0;
  for (const ClickSums& rank : ranks_) documents += rank.documents;
  return documents;
}

std::uint64_t ClickMetrics::documents() const { return rounded_count(counted()); }

double ClickMetrics::log_likelihood() const {
  double sum = 0;
  for (const ClickSums& rank : ranks_) sum += rank.sum;
  return ratio_or_nan(sum, counted());
}

double ClickMetrics::perplexity() const { return std::exp(-log_likelihood()); }

double ClickMetrics::perplexity_rank_mean() const {
  double sum = 0;
  double occurring = 0;
  for (const ClickSums& rank : ranks_) {
    if (rank.documents == 0) continue;
    sum += perplexity_of(rank.sum, rank.documents);
    ++occurring;
  }
  return ratio_or_nan(sum, occurring);
}

std::vector<double> ClickMetrics::perplexity_per_rank() const {
  std::vector<double> perplexities;
  for (const ClickSums& rank : ranks_)
    perplexities.push_back(perplexity_of(rank.sum, rank.documents));
  return perplexities;
}

std::vector<double> ClickMetrics::click_rate_per_rank() const {
  std::vector<double> rates;
  for (const ClickSums& rank : ranks_) rates.push_back(ratio_or_nan(rank.clicks, rank.documents));
  return rates;
}

std::vector<double> ClickMetrics::sums() const { return flat(ranks_); }

ClickMetrics ClickMetrics::of_sums(std::span<const double> sums) {
  if (sums.size() % 3 != 0)
    throw Error(fmt::format("click metrics: {} sums; expected three per rank", sums.size()));
  ClickMetrics metrics;
  metrics.ranks_ = entries_of(sums);
  return metrics;
}

CalibrationEdges::CalibrationEdges(const CalibrationOptions& options) : options_(options) {
  if (options.bins == 0) throw Error("calibration: 0 bins; expected at least 1");
  if (!(options.smallest > 0 && options.smallest < 1))
    throw Error(fmt::format("calibration: smallest is {}; expected a number between 0 and 1",
                            options.smallest));
  for (std::size_t i = 0; i <= options.bins; ++i) {
    const double share = static_cast<double>(i) / static_cast<double>(options.bins);
    const bool logarithmic = options.spacing == BinSpacing::logarithmic;
    edges_.push_back(logarithmic ? std::pow(options.smallest, 1 - share) : share);
  }
  edges_.front() = 0;
  next_edge_.assign(edges_.begin() + 1, edges_.end());
  next_edge_.back() = HUGE_VAL;
  first_bin_.assign(interval_of(1) + 1, 0);
  for (std::size_t i = 1; i < first_bin_.size(); ++i) {
    const double start = std::bit_cast<double>((first_interval + i) << other_bits);
    first_bin_[i] = static_cast<std::uint32_t>(
        std::upper_bound(next_edge_.begin(), next_edge_.end(), start) - next_edge_.begin());
    two_bins_suffice_ &= first_bin_[i] <= first_bin_[i - 1] + 1;
  }
}

std::size_t CalibrationEdges::bin_of(double p) const {
  std::size_t bin = first_bin_[interval_of(p)];
  bin += p >= next_edge_[bin] ? 1 : 0;  // without a branch, which could not be foreseen
  if (!two_bins_suffice_)
    while (p >= next_edge_[bin]) ++bin;
  return bin;
}

Calibration::Calibration(const CalibrationOptions& options)
    : edges_(std::make_shared<CalibrationEdges>(options)), bins_(options.bins) {}

void Calibration::add(bool clicked, double log_click) {
  expect_log_probability(log_click, "a click");
  const std::uint8_t click = clicked ? 1 : 0;
  const double p = std::exp(log_click);
  add({&click, 1}, {&p, 1});
}

void Calibration::add(std::span<const std::uint8_t> clicked, std::span<const double> p,
                      std::span<const double> weights) {
  expect_probabilities(p, "a click");
  const CalibrationEdges& edges = *edges_;
  if (!weights.empty()) {
    for (std::size_t i = 0; i < weights.size(); ++i) {
      const double here = std::min(p[i], 1.0);
      bins_[edges.bin_of(here)].add({weights[i], weights[i] * clicked[i], weights[i] * here});
    }
    return;
  }
  std::vector<BinTurns> all(bins_.size());
  for (std::size_t i = 0; i < p.size(); ++i) {
    const double here = std::min(p[i], 1.0);
    BinTurns& bin = all[edges.bin_of(here)];
    bin.sum[i % BinTurns::turns] += here;
    bin.documents_and_clicks[i % BinTurns::turns] += (std::uint64_t{1} << 32) + clicked[i];
  }
  for (std::size_t i = 0; i < bins_.size(); ++i)
    for (std::size_t turn = 0; turn < BinTurns::turns; ++turn) {
      const std::uint64_t counts = all[i].documents_and_clicks[turn];
      bins_[i].add({static_cast<double>(counts >> 32), static_cast<double>(counts & 0xffffffff),
                    all[i].sum[turn]});
    }
}

void Calibration::add(const Calibration& other) {
  if (edges_->options() != other.edges_->options())
    throw Error("calibration: the parts have different bins; expected equal options");
  for (std::size_t i = 0; i < bins_.size(); ++i) bins_[i].add(other.bins_[i]);
}

std::vector<CalibrationBin> Calibration::bins() const {
  const std::vector<double>& edges = edges_->edges();
  std::vector<CalibrationBin> result;
  for (std::size_t i = 0; i < bins_.size(); ++i) {
    const ClickSums& bin = bins_[i];
    result.push_back({edges[i], edges[i + 1], rounded_count(bin.documents),
                      ratio_or_nan(bin.sum, bin.documents),
                      ratio_or_nan(bin.clicks, bin.documents)});
  }
  return result;
}

std::vector<double> Calibration::sums() const { return flat(bins_); }

void Calibration::set_sums(std::span<const double> sums) {
  if (sums.size() != 3 * bins_.size())
    throw Error(fmt::format("calibration: {} sums; expected {}", sums.size(), 3 * bins_.size()));
  bins_ = entries_of(sums);
}

}  // namespace ultr
