#include "metrics/click_metrics.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/core.h>

#include "base/error.h"
#include "kernels/vector_math.h"

namespace ultr {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

/// Returns true if the value can be a log probability. One computed in float32 may exceed 0 by its
/// rounding error, which grows with the size of what cancelled; a probability passed by mistake
/// instead of its logarithm exceeds it by more.
bool is_log_probability(double value) {
  constexpr double rounding = 1e-3;
  return value <= rounding;  // false for NaN
}

[[noreturn]] void refuse(double value, const char* event) {
  throw Error(fmt::format("log probability of {} is {}; expected at most 0", event, value));
}

double ratio(double sum, std::uint64_t count) {
  return count == 0 ? nan : sum / static_cast<double>(count);
}

/// Returns the three numbers of each entry, one after the other.
std::vector<double> flat(const std::vector<ClickSums>& entries) {
  std::vector<double> numbers;
  for (const auto& [documents, clicks, sum] : entries)
    numbers.insert(numbers.end(),
                   {static_cast<double>(documents), static_cast<double>(clicks), sum});
  return numbers;
}

std::vector<ClickSums> entries_of(std::span<const double> flat) {
  std::vector<ClickSums> entries;
  for (; !flat.empty(); flat = flat.subspan(3))
    entries.push_back(
        {static_cast<std::uint64_t>(flat[0]), static_cast<std::uint64_t>(flat[1]), flat[2]});
  return entries;
}

/// exp(-mean of natural logs) equals 2^(-mean of log2).
double perplexity_of(double log_likelihood, std::uint64_t documents) {
  return std::exp(-ratio(log_likelihood, documents));
}

}  // namespace

void ClickMetrics::add(std::size_t rank, bool clicked, double log_click, double log_no_click) {
  const auto at = static_cast<std::uint32_t>(rank);
  const std::uint8_t click = clicked ? 1 : 0;
  add({&at, 1}, {&click, 1}, {&log_click, 1}, {&log_no_click, 1});
}

void ClickMetrics::add(std::span<const std::uint32_t> ranks, std::span<const std::uint8_t> clicked,
                       std::span<const double> log_click, std::span<const double> log_no_click) {
  for (std::size_t i = 0; i < ranks.size();) {
    const std::uint32_t rank = ranks[i];
    // A shard's documents come rank by rank, so a rank's sums stay in registers meanwhile.
    ClickSums sums = rank < ranks_.size() ? ranks_[rank] : ClickSums();
    for (; i < ranks.size() && ranks[i] == rank; ++i) {
      const double observed = clicked[i] != 0 ? log_click[i] : log_no_click[i];
      if (!is_log_probability(observed))
        refuse(observed, clicked[i] != 0 ? "the observed click" : "the observed skip");
      ++sums.documents;
      sums.clicks += clicked[i];
      sums.sum += observed;
    }
    if (rank >= ranks_.size()) ranks_.resize(std::size_t{rank} + 1);
    ranks_[rank] = sums;
  }
}

void ClickMetrics::add(const ClickMetrics& other) {
  if (other.ranks() > ranks()) ranks_.resize(other.ranks());
  for (std::size_t rank = 0; rank < other.ranks(); ++rank) ranks_[rank].add(other.ranks_[rank]);
}

std::uint64_t ClickMetrics::documents() const {
  std::uint64_t documents = 0;
  for (const ClickSums& rank : ranks_) documents += rank.documents;
  return documents;
}

double ClickMetrics::log_likelihood() const {
  double sum = 0;
  for (const ClickSums& rank : ranks_) sum += rank.sum;
  return ratio(sum, documents());
}

double ClickMetrics::perplexity() const { return std::exp(-log_likelihood()); }

double ClickMetrics::perplexity_rank_mean() const {
  double sum = 0;
  std::uint64_t occurring = 0;
  for (const ClickSums& rank : ranks_) {
    if (rank.documents == 0) continue;
    sum += perplexity_of(rank.sum, rank.documents);
    ++occurring;
  }
  return ratio(sum, occurring);
}

std::vector<double> ClickMetrics::perplexity_per_rank() const {
  std::vector<double> perplexities;
  for (const ClickSums& rank : ranks_)
    perplexities.push_back(perplexity_of(rank.sum, rank.documents));
  return perplexities;
}

std::vector<double> ClickMetrics::click_rate_per_rank() const {
  std::vector<double> rates;
  for (const ClickSums& rank : ranks_)
    rates.push_back(ratio(static_cast<double>(rank.clicks), rank.documents));
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
  log_smallest_ = std::log(options.smallest);
}

std::size_t Calibration::bin_of(double probability, double log_probability) const {
  const auto last = static_cast<double>(bins_.size() - 1);
  const double share = options_.spacing == BinSpacing::logarithmic
                           ? 1 - log_probability / log_smallest_
                           : probability;
  // A guess that rounding may put one bin off.
  auto bin = static_cast<std::size_t>(std::clamp(share * (last + 1), 0.0, last));
  while (bin > 0 && probability < edges_[bin]) --bin;
  while (bin + 1 < bins_.size() && probability >= edges_[bin + 1]) ++bin;
  return bin;
}

void Calibration::add(bool clicked, double log_click) {
  const std::uint8_t click = clicked ? 1 : 0;
  add({&click, 1}, {&log_click, 1});
}

void Calibration::add(std::span<const std::uint8_t> clicked, std::span<const double> log_click) {
  using P = Pack<double>;
  for (const double value : log_click)
    if (!is_log_probability(value)) refuse(value, "a click");
  double probability[P::size];
  for (std::size_t begin = 0; begin < log_click.size(); begin += P::size) {
    const std::size_t count = std::min(P::size, log_click.size() - begin);
    exp(P::load(log_click.data() + begin, count)).store(probability);
    for (std::size_t i = 0; i < count; ++i) {
      const double p = std::min(probability[i], 1.0);
      ClickSums& bin = bins_[bin_of(p, log_click[begin + i])];
      ++bin.documents;
      bin.clicks += clicked[begin + i];
      bin.sum += p;
    }
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
    result.push_back({edges_[i], edges_[i + 1], bin.documents, ratio(bin.sum, bin.documents),
                      ratio(static_cast<double>(bin.clicks), bin.documents)});
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
