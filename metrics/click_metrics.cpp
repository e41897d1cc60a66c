#include "metrics/click_metrics.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>

#include <fmt/core.h>

#include "base/error.h"
#include "kernels/pack.h"
#include "metrics/rank_runs.h"

namespace ultr {
namespace {

using Doubles = Pack<double>;
constexpr double nan = std::numeric_limits<double>::quiet_NaN();

/// The excess over 0 of a log probability that is computed in float32: its rounding error, which
/// grows with the size of what cancelled. A probability that is passed by mistake instead of its
/// logarithm exceeds 0 by more.
constexpr double float32_rounding = 1e-3;

/// Returns true if the value can be a log probability.
bool is_log_probability(double value) { return value <= float32_rounding; }  // false for NaN

[[noreturn]] void refuse(double value, const char* event) {
  throw Error(fmt::format("log probability of {} is {}; expected at most 0", event, value));
}

/// Returns true if a condition holds for all numbers. Looks at all of them, many at a time.
template <class Condition>
bool all_of(std::span<const double> numbers, Condition condition) {
  std::int64_t failed = 0;
  for (const double x : numbers) failed |= condition(x) ? 0 : 1;
  return failed == 0;
}

/// The numbers of documents and clicks, and sums of their probabilities, in one bin. Each lane of a
/// pack has its own, so that documents of one pack do not wait for each other.
struct BinLanes {
  double sum[Pack<double>::size] = {};
  std::uint64_t documents_and_clicks[Pack<double>::size] = {};  // in the upper and lower 32 bits
};

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
  const auto at = static_cast<std::uint32_t>(rank);
  const std::uint8_t click = clicked ? 1 : 0;
  add({&at, 1}, {&click, 1}, {clicked ? &log_click : &log_no_click, 1});
}

void ClickMetrics::add(std::span<const std::uint32_t> ranks, std::span<const std::uint8_t> clicked,
                       std::span<const double> log_likelihoods, std::span<const double> weights) {
  if (!all_of(log_likelihoods, is_log_probability))
    for (std::size_t i = 0; i < ranks.size(); ++i)
      if (!is_log_probability(log_likelihoods[i]))
        refuse(log_likelihoods[i], clicked[i] != 0 ? "the observed click" : "the observed skip");
  for_each_rank_run(ranks, [&](std::uint32_t rank, std::size_t begin, std::size_t count) {
    if (rank >= ranks_.size()) ranks_.resize(std::size_t{rank} + 1);
    const auto* const click = clicked.data() + begin;
    if (weights.empty()) {
      ranks_[rank].add({.documents = static_cast<double>(count),
                        .clicks = static_cast<double>(std::accumulate(click, click + count, 0u)),
                        .sum = sum_of(log_likelihoods.data() + begin, count)});
      return;
    }
    ClickSums sums;
    for (std::size_t i = begin; i < begin + count; ++i)
      sums.add({weights[i], weights[i] * clicked[i], weights[i] * log_likelihoods[i]});
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

Calibration::Calibration(const CalibrationOptions& options)
    : options_(options), bins_(options.bins) {
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
}

void Calibration::add(bool clicked, double log_click) {
  if (!is_log_probability(log_click)) refuse(log_click, "a click");
  const std::uint8_t click = clicked ? 1 : 0;
  const double p = std::exp(log_click);
  add({&click, 1}, {&p, 1});
}

std::size_t Calibration::bin_of(double p) const {
  std::size_t bin = 0;
  while (bin + 1 < bins_.size() && p >= edges_[bin + 1]) ++bin;
  return bin;
}

void Calibration::add(std::span<const std::uint8_t> clicked, std::span<const double> p,
                      std::span<const double> weights) {
  const auto is_probability = [](double x) {
    return static_cast<int>(x >= 0) & static_cast<int>(x <= 1 + 2 * float32_rounding);
  };
  if (!all_of(p, is_probability))
    throw Error(fmt::format("probability of a click is {}; expected 0 to 1",
                            *std::ranges::find_if_not(p, is_probability)));
  for (std::size_t i = 0; i < weights.size(); ++i) {
    const double here = std::min(p[i], 1.0);
    bins_[bin_of(here)].add({weights[i], weights[i] * clicked[i], weights[i] * here});
  }
  if (!weights.empty()) return;
  std::vector<BinLanes> lanes(bins_.size());
  for_each_pack<double>(p.size(), [&](std::size_t i, auto... count) {
    const Doubles here = min(Doubles::load(p.data() + i, count...), 1);
    Lanes<double>::Vector bin{};
    for (std::size_t edge = 1; edge < bins_.size(); ++edge)
      bin = bin - (here >= Doubles::broadcast(edges_[edge])).vector;  // a lane that is true is -1
    std::int64_t place[Doubles::size];
    std::memcpy(place, &bin, sizeof place);
    double number[Doubles::size];
    here.store(number);
    const auto add_lane = [&](std::size_t lane) {
      BinLanes& sums = lanes[static_cast<std::size_t>(place[lane])];
      sums.sum[lane] += number[lane];
      sums.documents_and_clicks[lane] += (std::uint64_t{1} << 32) + clicked[i + lane];
    };
    if constexpr (sizeof...(count) == 0)
      for (std::size_t lane = 0; lane < Doubles::size; ++lane) add_lane(lane);
    else
      for (std::size_t lane = 0; lane < std::min({count...}); ++lane) add_lane(lane);
  });
  for (std::size_t i = 0; i < bins_.size(); ++i)
    for (std::size_t lane = 0; lane < Doubles::size; ++lane) {
      const std::uint64_t counts = lanes[i].documents_and_clicks[lane];
      bins_[i].add({static_cast<double>(counts >> 32), static_cast<double>(counts & 0xffffffff),
                    lanes[i].sum[lane]});
    }
}

void Calibration::add(const Calibration& other) {
  if (options_ != other.options_)
    throw Error("calibration: the parts have different bins; expected equal options");
  for (std::size_t i = 0; i < bins_.size(); ++i) bins_[i].add(other.bins_[i]);
}

std::vector<CalibrationBin> Calibration::bins() const {
  std::vector<CalibrationBin> result;
  for (std::size_t i = 0; i < bins_.size(); ++i) {
    const ClickSums& bin = bins_[i];
    result.push_back({edges_[i], edges_[i + 1], rounded_count(bin.documents),
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
