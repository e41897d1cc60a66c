#include "data/simulation/logging_policy.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include <fmt/core.h>

#include "base/error.h"
#include "base/log.h"
#include "data/features/lambdamart.h"
#include "data/simulation/simulated_relevance.h"

namespace ultr {
namespace {

/// Steps of RandomPurpose::simulation that policies draw from. Noise takes one per ranking.
constexpr std::uint32_t training_lists_step = 1, first_noise_step = 2;

class RelevancePolicy final : public LoggingPolicyOptions {
 public:
  PolicyScores fit(const PolicyTraining&) const override {
    return [](const FeatureLists&, std::span<const double> relevance) {
      return std::vector<double>(relevance.begin(), relevance.end());
    };
  }
};

class LambdaMartPolicy final : public LearnedPolicyOptions {
 public:
  void fields(Fields& f) override {
    LearnedPolicyOptions::fields(f);
    f.integer("queries", queries_,
              "Number of training lists, drawn at random, that the trees learn from.",
              between(1, 1e9));
    trees_.fields(f);
  }

 private:
  PolicyScores learn(const PolicyTraining& training) const override {
    const FeatureLists& lists = training.lists;
    std::vector<float> features;
    std::vector<std::uint32_t> sizes;
    std::vector<std::int32_t> labels;
    for (const std::size_t l : drawn_lists(lists.lists(), training.seed)) {
      const std::span<const float> rows = lists[l].features;
      features.insert(features.end(), rows.begin(), rows.end());
      sizes.push_back(static_cast<std::uint32_t>(lists.length(l)));
      const auto first = static_cast<std::size_t>(lists.columns().offsets[l]);
      for (const double y : training.relevance.subspan(first, lists.length(l)))
        labels.push_back(static_cast<std::int32_t>(std::lround(y)));
    }
    const LambdaMart trees({.features = features,
                            .feature_count = lists.features(),
                            .list_sizes = sizes,
                            .labels = labels},
                           trees_, training.seed);
    return [trees, scale = score_scale(trees.score(lists.columns().features.values()))](
               const FeatureLists& others, std::span<const double>) {
      std::vector<double> scores = trees.score(others.columns().features.values());
      for (double& score : scores) score = scale(score);
      return scores;
    };
  }

  std::vector<std::size_t> drawn_lists(std::size_t lists, std::uint64_t seed) const {
    std::vector<std::size_t> drawn(lists);
    std::iota(drawn.begin(), drawn.end(), std::size_t{0});
    RandomStream random(seed, RandomPurpose::simulation, training_lists_step, 0);
    const std::size_t count = std::min(lists, static_cast<std::size_t>(queries_));
    for (std::size_t i = 0; i < count; ++i)
      std::swap(drawn[i], drawn[i + static_cast<std::size_t>(random.below(lists - i))]);
    drawn.resize(count);
    return drawn;
  }

  std::int64_t queries_ = 20;
  LambdaMartOptions trees_;
};

/// Returns one feature, numbered from 0, of all documents.
std::vector<double> feature_of(const FeatureLists& lists, std::size_t feature) {
  const std::span<const float> values = lists.columns().features.values();
  std::vector<double> column(lists.documents());
  for (std::size_t i = 0; i < column.size(); ++i)
    column[i] = static_cast<double>(values[i * lists.features() + feature]);
  return column;
}

/// Gives documents without a score, NaN, one that is below 0 and those of all others.
void put_missing_last(std::vector<double>& scores) {
  double lowest = 0;
  for (const double score : scores)
    if (score < lowest) lowest = score;
  for (double& score : scores)
    if (std::isnan(score)) score = lowest - 1;
}

/// Scores by one feature. Documents that lack it come last.
class FeaturePolicy final : public LoggingPolicyOptions {
 public:
  void fields(Fields& f) override {
    LoggingPolicyOptions::fields(f);
    f.integer("feature", feature_,
              "Number of the feature, from 1; documents that lack it come last.", between(1, 1e9));
  }

  PolicyScores fit(const PolicyTraining& training) const override {
    const auto number = static_cast<std::size_t>(feature_);
    if (number > training.lists.features())
      throw DataError(fmt::format(
          "data.learn_from.policy.feature is {} and the lists have {} features; expected the "
          "number of one of them",
          number, training.lists.features()));
    const std::vector<double> values = feature_of(training.lists, number - 1);
    if (std::ranges::all_of(values, [](double value) { return std::isnan(value); }))
      throw DataError(fmt::format(
          "data.learn_from.policy.feature is {}, which is missing in all {} training documents; "
          "expected a feature that some have",
          number, training.lists.documents()));
    return [feature = number - 1, scale = score_scale(values)](const FeatureLists& lists,
                                                               std::span<const double>) {
      std::vector<double> scores = feature_of(lists, feature);
      for (double& score : scores) score = scale(score);
      put_missing_last(scores);
      return scores;
    };
  }

 private:
  std::int64_t feature_ = 1;
};

/// Moves the document at rank `from` up to rank `to`. Those between move down by one.
void move_up(std::vector<std::uint32_t>& order, std::size_t from, std::size_t to) {
  const auto begin = order.begin();
  std::rotate(begin + static_cast<std::ptrdiff_t>(to), begin + static_cast<std::ptrdiff_t>(from),
              begin + static_cast<std::ptrdiff_t>(from + 1));
}

/// Sorts the indices of scores by falling score. Ties keep their order.
void sort_by(std::span<const double> scores, std::vector<std::uint32_t>& order) {
  order.resize(scores.size());
  std::iota(order.begin(), order.end(), std::uint32_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::uint32_t a, std::uint32_t b) { return scores[a] > scores[b]; });
}

}  // namespace

void LoggingPolicyOptions::fields(Fields& f) {
  f.number("strength", strength,
           "Strength α: 1 orders by falling score, 0 at random, -1 by rising score; the same order "
           "in every session.",
           between(-1, 1));
  f.number("temperature", temperature,
           "Probability τ that a session shows a uniformly random order.", between(0, 1));
  f.number("epsilon", epsilon,
           "Probability ε, at each rank, of a random remaining document instead of the best.",
           between(0, 1));
  f.number("plackett_luce", plackett_luce,
           "Temperature T of the Plackett-Luce model that draws orders; 0: none are drawn.",
           at_least(0));
}

const std::vector<OptionType>& untrained_policy_types() {
  static const std::vector<OptionType> types = {
      option_type<RelevancePolicy>("relevance", "Orders by relevance, as experts would."),
      option_type<LambdaMartPolicy>("lambdamart",
                                    "Orders by the scores of LambdaMART, trained on a few lists."),
      option_type<FeaturePolicy>("feature", "Orders by one feature, such as BM25."),
  };
  return types;
}

std::function<double(double)> score_scale(std::vector<double> scores) {
  const bool missing = std::erase_if(scores, [](double score) { return std::isnan(score); }) > 0;
  if (scores.empty()) throw Error("score_scale was given no scores");
  std::sort(scores.begin(), scores.end());
  if (!missing && scores.size() > 1 && scores.front() == scores.back())
    log().warn(
        "data.learn_from.policy gives all {} training documents the same score, so that lists keep "
        "the order in which they were read; expected a policy that tells them apart",
        scores.size());
  const auto percentile = [&](double share) {
    return scores[static_cast<std::size_t>(share * static_cast<double>(scores.size() - 1))];
  };
  const double low = percentile(0.05), high = percentile(0.95);
  const double slope = high > low ? largest_simulated_label / (high - low) : 1;
  return [low, slope](double score) { return slope * (score - low); };
}

LoggingPolicy::LoggingPolicy(const FeatureLists& lists, std::span<const std::uint32_t> rows,
                             std::span<const double> scores, const LoggingPolicyOptions& options,
                             std::size_t rankings, std::uint64_t seed,
                             std::optional<double> strength)
    : temperature_(options.temperature),
      epsilon_(options.epsilon),
      plackett_luce_(options.plackett_luce),
      rankings_(rankings) {
  for (const std::int64_t offset : lists.columns().offsets)
    begin_.push_back(static_cast<std::size_t>(offset));
  scores_.resize(lists.documents() * rankings);
  orders_.resize(scores_.size());
  const double alpha = strength.value_or(options.strength);
  const double share = std::abs(alpha), sign = alpha < 0 ? -1 : 1;
  std::vector<std::uint32_t> order;
  for (std::size_t l = 0; l < lists.lists(); ++l)
    for (std::size_t r = 0; r < rankings; ++r) {
      const auto its = std::span(scores_).subspan(at(l, r), length(l));
      for (std::size_t i = 0; i < its.size(); ++i) {
        const auto step = first_noise_step + static_cast<std::uint32_t>(r);
        RandomStream random(seed, RandomPurpose::simulation, step, rows[begin_[l] + i]);
        const double u = largest_simulated_label * random.uniform();
        its[i] = sign * (share * scores[begin_[l] + i] + (1 - share) * u);
      }
      sort_by(its, order);
      std::copy(order.begin(), order.end(),
                orders_.begin() + static_cast<std::ptrdiff_t>(at(l, r)));
    }
}

void LoggingPolicy::rank(std::size_t list, std::size_t ranking, std::size_t shown,
                         RandomStream& session, std::vector<std::uint32_t>& order) const {
  const std::size_t first = at(list, ranking), n = length(list);
  shown = std::min(shown, n);
  const auto given = std::span(orders_).subspan(first, n);
  order.assign(given.begin(), given.end());
  if (temperature_ > 0 && session.uniform() < temperature_) {
    for (std::size_t k = 0; k < shown; ++k)
      std::swap(order[k], order[k + static_cast<std::size_t>(session.below(n - k))]);
  } else {
    if (plackett_luce_ > 0) {
      std::vector<double> perturbed(n);
      for (std::size_t i = 0; i < n; ++i)
        perturbed[i] = scores_[first + i] / plackett_luce_ - std::log(-std::log(session.uniform()));
      sort_by(perturbed, order);
    }
    for (std::size_t k = 0; epsilon_ > 0 && k < shown; ++k)
      if (session.uniform() < epsilon_)
        move_up(order, k + static_cast<std::size_t>(session.below(n - k)), k);
  }
  order.resize(shown);
}

}  // namespace ultr
