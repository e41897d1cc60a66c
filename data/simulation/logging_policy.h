#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "base/random.h"
#include "data/features/feature_lists.h"
#include "options/fields.h"

namespace ultr {

/// Scores the documents of some lists, list after list, given their relevance. Higher scores are
/// nearer to the top. Scores are on the scale of relevance, 0 to largest_simulated_label.
using PolicyScores = std::function<std::vector<double>(const FeatureLists& lists,
                                                       std::span<const double> relevance)>;

/// Data that a policy learns its scores from: training lists and one relevance per document.
struct PolicyTraining {
  const FeatureLists& lists;
  std::span<const double> relevance;
  std::uint64_t seed = 1;
  int threads = 1;
};

/// Options of a logging policy: how scores γ̂ become orders. Subclasses provide the scores.
class LoggingPolicyOptions : public Options {
 public:
  double strength = 1;       // α
  double temperature = 0;    // τ
  double epsilon = 0;        // ε
  double plackett_luce = 0;  // T

  void fields(Fields& f) override;
  /// Throws ConfigError if the options do not fit together.
  virtual void check() const {}
  /// Returns true if sessions of the same list may show different orders.
  bool draws_orders() const { return temperature > 0 || epsilon > 0 || plackett_luce > 0; }
  /// Returns the policy's scores, learned from the training data if the policy learns. Throws
  /// DataError if it learns from features and the lists have none, or if its feature is missing in
  /// all documents.
  virtual PolicyScores fit(const PolicyTraining& training) const = 0;
};

/// Options of a policy that learns its scores. With K = `folds` > 1 it is cross-fitted: lists fall
/// into K folds by their query (without queries, by their first document's features), and those of
/// a fold get the scores of a policy that was trained without this fold. So the policy has seen
/// no list that it ranks. Lists that are not for training have folds, too.
class LearnedPolicyOptions : public LoggingPolicyOptions {
 public:
  void fields(Fields& f) override;
  PolicyScores fit(const PolicyTraining& training) const final;

 private:
  /// Learns scores from all of the training data.
  virtual PolicyScores learn(const PolicyTraining& training) const = 0;

  std::int64_t folds_ = 1;
};

/// Policy types that need no click model, each a LoggingPolicyOptions, by the source of their
/// scores. `relevance` scores by the relevance itself, as experts would sort. `lambdamart` scores
/// by trees trained on the relevance, rounded to integers, of a few training lists (Hager et al.,
/// ECIR 2023: 20). `feature` scores by one feature, such as BM25, and documents that lack it below
/// all others.
const std::vector<OptionType>& untrained_policy_types();

/// Returns an increasing linear function that maps the 5th percentile of the given scores to 0 and
/// the 95th to largest_simulated_label. Scores of any ranker can then be mixed with noise as
/// relevance can. Values outside are not clipped, so all orders remain. If the percentiles are
/// equal, the function is a shift. Missing scores, NaN, do not count, and stay so. Warns if all
/// scores are there and the same. Throws Error without scores.
std::function<double(double)> score_scale(std::vector<double> scores);

/// The orders in which documents are logged. From the scores γ̂ of query-document pairs it computes
///
///     s = sign(α) (|α| γ̂ + (1-|α|) u),   u uniform on [0, 4)        (Hager, 2025, equation 4.25)
///
/// u is drawn once per pair (or once per pair for each of several rankings). So α = 1 gives the
/// order by scores, 0 a random order and -1 the reverse order, the same in every session. Ties keep
/// the documents' order.
///
/// With probability τ (`temperature`), a session shows a uniformly random order, which the thesis
/// calls ε-greedy. Otherwise it shows the documents by falling s, unless one of two options changes
/// that:
///
/// T = `plackett_luce` > 0: the order is drawn from the Plackett-Luce model with weights exp(s /
/// T). The first document is drawn with probability proportional to its weight, then the next among
/// those left. This is the same as sorting by s / T plus Gumbel noise.
///
/// ε = `epsilon` > 0: at each rank from the top, with probability ε, a document drawn uniformly
/// from those not yet shown takes the place of the best of them. This is the ε-greedy of bandits:
/// it mixes orders rank by rank, where τ draws whole orders.
///
/// Both options together apply ε to the order that the Plackett-Luce model draws.
class LoggingPolicy {
 public:
  /// `scores`: γ̂ of every document of the lists. `rows`: the documents' rows in the dictionary; u
  /// of a pair depends on (seed, ranking, row) alone. `rankings`: how often u is drawn, at least 1.
  /// `strength`: α, if it is not that of the options.
  LoggingPolicy(const FeatureLists& lists, std::span<const std::uint32_t> rows,
                std::span<const double> scores, const LoggingPolicyOptions& options,
                std::size_t rankings, std::uint64_t seed, std::optional<double> strength = {});

  std::size_t lists() const { return begin_.size() - 1; }
  std::size_t rankings() const { return rankings_; }
  std::size_t length(std::size_t list) const { return begin_[list + 1] - begin_[list]; }
  /// Writes the order of one session to `order`: the `shown` documents from the top (all, if the
  /// list has no more), as their numbers within the list. Random numbers come from `session`.
  void rank(std::size_t list, std::size_t ranking, std::size_t shown, RandomStream& session,
            std::vector<std::uint32_t>& order) const;
  /// Returns s of the list's documents in the first ranking.
  std::span<const double> scores(std::size_t list) const {
    return std::span(scores_).subspan(begin_[list] * rankings_, length(list));
  }

 private:
  std::size_t at(std::size_t list, std::size_t ranking) const {
    return begin_[list] * rankings_ + ranking * length(list);
  }

  double temperature_, epsilon_, plackett_luce_;
  std::size_t rankings_;
  std::vector<std::size_t> begin_;     // first document of each list
  std::vector<double> scores_;         // s by list, ranking and document
  std::vector<std::uint32_t> orders_;  // documents by falling s, for each list and ranking
};

}  // namespace ultr
