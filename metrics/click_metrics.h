#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "kernels/bins.h"

/// Measures of how well predicted click probabilities fit observed clicks.
namespace ultr {

/// Documents, their clicks, and the sum of a number that each has. Each document counts by the
/// weight of its session.
struct ClickSums {
  double documents = 0, clicks = 0;
  double sum = 0;

  void add(const ClickSums& other) {
    documents += other.documents;
    clicks += other.clicks;
    sum += other.sum;
  }
};

/// The predicted probability of what was observed at each document: of a click where it was
/// clicked.
struct Likelihoods {
  std::span<const double> values;
  bool are_logarithms;  // natural ones
};

/// Likelihood and perplexity of click predictions, pooled and per rank.
///
/// Holds sums per rank, not documents. Sums are taken in the order of the calls, and in a fixed
/// order within a call. Shards that are evaluated by any number of threads and merged in shard
/// order therefore give bit-identical results; cutting the documents into other shards may change
/// the last digits.
///
/// The metrics are the same for conditional probabilities P(C_k | clicks before k) and
/// unconditional ones P(C_k): fill one object with each. By convention the log-likelihood is that
/// of conditional probabilities and the perplexity that of unconditional ones.
///
/// A result over no documents is NaN. An event that was predicted with probability exactly 0 has
/// log probability -inf: likelihoods that contain it are -inf and perplexities +inf, never NaN.
class ClickMetrics {
 public:
  /// Counts one shown document.
  ///
  /// - rank: 0-based displayed rank; memory grows with the largest.
  /// - log_click, log_no_click: natural logarithms of the predicted P(click) and 1 - P(click). Both
  ///   are given because 1 - p loses the digits of a small complement. Only that of the observed
  ///   event is read. Throws Error if it is NaN or above 0 by more than the rounding of float32
  ///   (1e-3).
  void add(std::size_t rank, bool clicked, double log_click, double log_no_click);
  /// Counts documents together; there is a rank, a click and a likelihood of each. Long runs of
  /// documents at the same rank are added fastest. `weights`, if not empty, says how often each
  /// document counts. Throws Error if a likelihood is no probability, but for rounding.
  void add(std::span<const std::uint32_t> ranks, std::span<const std::uint8_t> clicked,
           const Likelihoods& likelihoods, std::span<const double> weights = {});

  /// Adds the documents of another part of the data, as if they followed those already here.
  void add(const ClickMetrics& other);

  /// Number of documents added, by their weights, rounded.
  std::uint64_t documents() const;
  /// The largest rank added, counted from 1; the length of the vectors below.
  std::size_t ranks() const { return ranks_.size(); }

  /// The mean over documents of c log p + (1-c) log(1-p), natural logarithm. At most 0; higher is
  /// better.
  double log_likelihood() const;
  /// 2^(-mean over documents of log2 likelihood). 1 is perfect; p = 1/2 gives 2.
  double perplexity() const;
  /// The plain mean of the perplexities of the ranks that occur (Dupret and Piwowarski, SIGIR
  /// 2008). Rare ranks weigh as much as the first.
  double perplexity_rank_mean() const;
  /// Perplexity of the documents at each rank; NaN at ranks that do not occur.
  std::vector<double> perplexity_per_rank() const;
  /// Observed clicks over documents at each rank; NaN at ranks that do not occur.
  std::vector<double> click_rate_per_rank() const;

  /// Returns everything added so far, to send to another process: documents, clicks and
  /// log-likelihood of each rank.
  std::vector<double> sums() const;
  /// Returns the metrics with these sums. Throws Error unless there are three per rank.
  static ClickMetrics of_sums(std::span<const double> sums);

 private:
  double counted() const;

  std::vector<ClickSums> ranks_;  // with summed log-likelihoods
};

/// The spacing of the bins in which a Calibration divides the probabilities 0 to 1.
enum class BinSpacing : std::uint8_t {
  equal_width,  // all bins have the same width
  /// Edges in geometric progression from CalibrationOptions::smallest to 1; the first bin also
  /// takes everything below. Click rates are small, so bins of equal width put most documents into
  /// one bin. Bins of equal counts would need all predictions in memory and could not be merged.
  logarithmic,
};

/// The options of a Calibration.
struct CalibrationOptions {
  std::size_t bins = 20;
  BinSpacing spacing = BinSpacing::equal_width;
  double smallest = 1e-4;  // lower end of the geometric progression, in (0, 1)

  friend bool operator==(const CalibrationOptions&, const CalibrationOptions&) = default;
};

/// The predictions p with lower <= p < upper, up to the rounding of p = exp(log p). The last bin
/// includes 1.
struct CalibrationBin {
  double lower = 0, upper = 0;
  std::uint64_t documents = 0;  // by their weights, rounded
  double mean_prediction = 0;   // mean predicted probability of a click; NaN without documents
  double click_rate = 0;        // observed clicks over documents; NaN without documents
};

/// A reliability diagram: the observed click rate of documents by their predicted click
/// probability. Perfect predictions have mean_prediction = click_rate in every bin. Merging is
/// bit-identical under the same condition as for ClickMetrics.
class Calibration {
 public:
  /// Throws Error if there are no bins or `smallest` is not in (0, 1).
  explicit Calibration(const CalibrationOptions& options = {});

  /// Counts one document. log_click is the natural logarithm of the predicted P(click), -inf
  /// included. Throws Error if it is NaN or above 0 by more than the rounding of float32 (1e-3).
  void add(bool clicked, double log_click);
  /// Counts documents with predicted probabilities p of a click; the spans have the same length.
  /// Throws Error if one is NaN, negative or above 1 by more than rounding. `weights`: see
  /// ClickMetrics::add.
  void add(std::span<const std::uint8_t> clicked, std::span<const double> p,
           std::span<const double> weights = {});

  /// Adds another part of the data. Throws Error if its options differ.
  void add(const Calibration& other);

  /// All bins in ascending order, empty ones included.
  std::vector<CalibrationBin> bins() const;

  /// Returns everything added so far, to send to another process: documents, clicks and summed
  /// predicted probabilities of each bin.
  std::vector<double> sums() const;
  /// Replaces its sums by these. Throws Error unless there are three per bin.
  void set_sums(std::span<const double> sums);

 private:
  CalibrationOptions options_;
  std::shared_ptr<const Bins> edges_;  // which its copies share
  std::vector<ClickSums> bins_;        // with summed probabilities
};

}  // namespace ultr
