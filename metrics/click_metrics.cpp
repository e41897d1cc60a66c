#include "metrics/click_metrics.h"

#include <algorithm>
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

/// A probability may exceed 1 as its logarithm may exceed 0.
constexpr double largest_probability = 1 + 2 * float32_rounding;

/// Returns the sum of log probabilities; NaN if one is none.
double sum_of_log_probabilities(std::span<const double> logs) {
  using P = Pack<double>;
  P total(0);
  for_each_pack<double>(logs.size(), [&](std::size_t i, auto... lanes) {
    const P here = P::load(logs.data() + i, lanes...);
    total += where(here <= P(float32_rounding), here, nan);
  });
  return sum(total);
}

[[noreturn]] void refuse_probabilities(std::span<const double> numbers, const char* event) {
  const auto found = std::ranges::find_if_not(
      numbers, [](double p) { return p >= 0 && p <= largest_probability; });
  throw Error(fmt::format("probability of {} is {}; expected 0 to 1", event, *found));
}

/// Returns the log-likelihood of documents. Throws Error if a likelihood is no probability.
double log_likelihood_of(std::span<const std::uint8_t> clicked, const Likelihoods& likelihoods) {
  const auto& [values, are_logarithms] = likelihoods;
  const double sum =
      are_logarithms ? sum_of_log_probabilities(values) : sum_of_logs(values, largest_probability);
  if (!std::isnan(sum)) return sum;
  if (!are_logarithms) refuse_probabilities(values, "what was observed");
  for (std::size_t i = 0; i < values.size(); ++i) expect_observed(values[i], clicked[i] != 0);
  return sum;
}

double ratio_or_nan(double sum, double count) { return count == 0 ? nan : sum / count; }

std::uint64_t rounded_count(double count) {
  return static_cast<std::uint64_t>(std::llround(count));
}

/// Adds entry by entry; those beyond the end are appended.
void add_to(std::vector<ClickSums>& entries, std::span<const ClickSums> others) {
  if (others.size() > entries.size()) entries.resize(others.size());
  for (std::size_t i = 0; i < others.size(); ++i) entries[i].add(others[i]);
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

/// Returns the edges of the bins of a calibration. The last is above what 1 may be rounded to.
std::vector<double> edges_of(const CalibrationOptions& options) {
  if (options.bins == 0) throw Error("calibration: 0 bins; expected at least 1");
  if (!(options.smallest > 0 && options.smallest < 1))
    throw Error(fmt::format("calibration: smallest is {}; expected a number between 0 and 1",
                            options.smallest));
  std::vector<double> edges = {0};
  for (std::size_t i = 1; i < options.bins; ++i) {
    const double share = static_cast<double>(i) / static_cast<double>(options.bins);
    const bool logarithmic = options.spacing == BinSpacing::logarithmic;
    edges.push_back(logarithmic ? std::pow(options.smallest, 1 - share) : share);
  }
  edges.push_back(std::nextafter(largest_probability, HUGE_VAL));
  return edges;
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
  std::vector<ClickSums> added;
  added.reserve(ranks.empty() ? 0 : std::size_t{ranks.back()} + 1);  // the largest in a shard
  for_each_rank_run(ranks, [&](std::uint32_t rank, std::size_t begin, std::size_t count) {
    const auto click = clicked.subspan(begin, count);
    const Likelihoods here = {likelihoods.values.subspan(begin, count), likelihoods.are_logarithms};
    ClickSums sums = {
        .documents = static_cast<double>(count),
        .clicks = static_cast<double>(std::accumulate(click.begin(), click.end(), 0u)),
        .sum = log_likelihood_of(click, here)};
    if (!weights.empty()) {
      sums = {};
      for (std::size_t i = 0; i < count; ++i) {
        const double weight = weights[begin + i], one = here.values[i];
        sums.add({weight, weight * click[i], weight * (here.are_logarithms ? one : std::log(one))});
      }
    }
    if (rank >= added.size()) added.resize(std::size_t{rank} + 1);
    added[rank].add(sums);
  });
  add_to(ranks_, added);
}

void ClickMetrics::add(const ClickMetrics& other) { add_to(ranks_, other.ranks_); }

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
    : options_(options), edges_(std::make_shared<Bins>(edges_of(options))), bins_(options.bins) {}

void Calibration::add(bool clicked, double log_click) {
  expect_log_probability(log_click, "a click");
  const std::uint8_t click = clicked ? 1 : 0;
  const double p = std::exp(log_click);
  add({&click, 1}, {&p, 1});
}

void Calibration::add(std::span<const std::uint8_t> clicked, std::span<const double> p,
                      std::span<const double> weights) {
  std::vector<ClickSums> added(bins_.size());
  std::size_t found = 0;  // documents with a bin; what is no probability has none
  if (weights.empty()) {
    const std::vector<BinSum> sums = edges_->sums(p, clicked, 1);
    for (std::size_t bin = 0; bin < sums.size(); ++bin) {
      const auto& [documents, clicks, sum] = sums[bin];
      added[bin] = {static_cast<double>(documents), static_cast<double>(clicks), sum};
      found += documents;
    }
  } else {
    for (std::size_t i = 0; i < p.size(); ++i)
      if (const std::size_t bin = edges_->bin_of(p[i]); bin < added.size()) {
        added[bin].add({weights[i], weights[i] * clicked[i], weights[i] * std::min(p[i], 1.0)});
        ++found;
      }
  }
  if (found < p.size()) refuse_probabilities(p, "a click");
  add_to(bins_, added);
}

void Calibration::add(const Calibration& other) {
  if (options_ != other.options_)
    throw Error("calibration: the parts have different bins; expected equal options");
  add_to(bins_, other.bins_);
}

std::vector<CalibrationBin> Calibration::bins() const {
  const std::vector<double>& edges = edges_->edges();
  std::vector<CalibrationBin> result;
  for (std::size_t i = 0; i < bins_.size(); ++i) {
    const ClickSums& bin = bins_[i];
    const double upper = i + 1 < bins_.size() ? edges[i + 1] : 1;
    result.push_back({edges[i], upper, rounded_count(bin.documents),
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
