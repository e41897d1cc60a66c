#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "base/random.h"
#include "data/features/feature_lists.h"
#include "options/fields.h"

namespace ultr {

/// Scores of the documents of some lists, list after list, whose relevance is given: the higher,
/// the nearer to the top, on the scale of relevance, 0 to largest_simulated_label.
using PolicyScores = std::function<std::vector<double>(const FeatureLists& lists,
                                                       std::span<const double> relevance)>;

/// What a policy learns its scores from: training lists, and a relevance for each document.
struct PolicyTraining {
  const FeatureLists& lists;
  std::span<const double> relevance;
  std::uint64_t seed = 1;
  int threads = 1;
};

/// The options of a logging policy: how scores γ̂ become orders. Subclasses say where they are from.
class LoggingPolicyOptions : public Options {
 public:
  double strength = 1;       // α
  double temperature = 0;    // τ
  double epsilon = 0;        // ε
  double plackett_luce = 0;  // T

  void fields(Fields& f) override;
  /// Whether sessions of the same list are shown different orders.
  bool draws_orders() const { return temperature > 0 || epsilon > 0 || plackett_luce > 0; }
  virtual PolicyScores fit(const PolicyTraining& training) const = 0;
};

/// Types of policies, each a LoggingPolicyOptions, by where their scores come from: `relevance`,
/// the relevance itself, as experts would sort; `lambdamart`, trees that are trained on the
/// relevance, rounded to whole numbers, of a few training lists (Hager et al., ECIR 2023: 20).
const std::vector<OptionType>& untrained_policy_types();

/// An increasing straight line that maps the 5th percentile of the given scores to 0 and the 95th
/// to largest_simulated_label, so that scores of any ranker can be mixed with noise as relevance
/// can. It is not cut, so that all orders remain. If the percentiles are the same: a shift.
std::function<double(double)> score_scale(std::vector<double> scores);

/// The orders in which documents are logged. Of the scores γ̂ of query-document pairs it makes
///
///     s = sign(α) (|α| γ̂ + (1-|α|) u),   u uniform on [0, 4)        (Hager, 2025, equation 4.25)
///
/// u is drawn once a pair (or once for each of several rankings), so that α = 1 gives the order by
/// scores, 0 a random and -1 the reverse one, the same in every session. Ties keep the documents'
/// order. A session is shown
///
///     with probability τ (`temperature`) a uniformly random order, which is what the thesis calls
///     ε-greedy;
///     else the documents by falling s; or, if T = `plackett_luce` > 0, an order of the
///     Plackett-Luce model with weights exp(s / T): the first document is drawn with probability
///     proportional to its weight, then the next among those left. That is to sort by s / T plus
///     Gumbel noise;
///     and then, at each rank from the top, with probability ε (`epsilon`) a document drawn
///     uniformly from those not yet shown takes the place of the best of them: ε-greedy as of
///     bandits, which mixes orders rank by rank where τ draws whole orders.
class LoggingPolicy {
 public:
  /// `scores`: γ̂ of every document of the lists; `rows`: theirs in the dictionary. `rankings`: how
  /// often u is drawn, at least 1.
  LoggingPolicy(const FeatureLists& lists, std::span<const std::uint32_t> rows,
                std::span<const double> scores, const LoggingPolicyOptions& options,
                std::size_t rankings, std::uint64_t seed);

  std::size_t lists() const { return begin_.size() - 1; }
  std::size_t rankings() const { return rankings_; }
  std::size_t length(std::size_t list) const { return begin_[list + 1] - begin_[list]; }
  /// The order of one session: the numbers, within the list, of the `shown` documents from the top
  /// (of all, if the list has no more), by draws from `session`.
  void rank(std::size_t list, std::size_t ranking, std::size_t shown, RandomStream& session,
            std::vector<std::uint32_t>& order) const;
  /// s of the list's documents in the first ranking.
  std::span<const double> scores(std::size_t list) const {
    return std::span(scores_).subspan(begin_[list] * rankings_, length(list));
  }

 private:
  std::size_t at(std::size_t list, std::size_t ranking) const {
    return begin_[list] * rankings_ + ranking * length(list);
  }

  double temperature_, epsilon_, plackett_luce_;
  std::size_t rankings_;
  std::vector<std::size_t> begin_;     // of each list's documents
  std::vector<double> scores_;         // s, list after list, ranking after ranking
  std::vector<std::uint32_t> orders_;  // by falling s
};

}  // namespace ultr
