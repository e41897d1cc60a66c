#include "metrics/two_sample_auc.h"

#include <algorithm>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include "base/error.h"
#include "data/features/boosted_trees.h"
#include "metrics/group_folds.h"

namespace ultr {
namespace {

/// The rows of both samples inside or outside a fold.
struct FoldPart {
  std::vector<float> features;
  std::vector<float> labels;  // 0: of the first sample, 1: of the second

  bool has_both() const {
    return std::find(labels.begin(), labels.end(), 0.f) != labels.end() &&
           std::find(labels.begin(), labels.end(), 1.f) != labels.end();
  }
};

FoldPart fold_part(const FeatureSample& first, const FeatureSample& second,
                   std::size_t feature_count, std::uint64_t seed, std::uint64_t fold,
                   bool held_out) {
  FoldPart part;
  for (const float label : {0.f, 1.f}) {
    const FeatureSample& sample = label == 0 ? first : second;
    for (std::size_t i = 0; i < sample.groups.size(); ++i) {
      if ((fold_of(sample.groups[i], seed) == fold) != held_out) continue;
      const auto row = std::span(sample.features).subspan(i * feature_count, feature_count);
      part.features.insert(part.features.end(), row.begin(), row.end());
      part.labels.push_back(label);
    }
  }
  return part;
}

BoostedTrees classifier(const FoldPart& part, std::size_t feature_count, std::uint64_t seed) {
  const auto second = static_cast<double>(std::count(part.labels.begin(), part.labels.end(), 1.f));
  const double first = static_cast<double>(part.labels.size()) - second;
  return {{.features = part.features, .feature_count = feature_count, .labels = part.labels},
          50,
          {{"objective", "binary:logistic"},
           {"tree_method", "hist"},
           {"max_leaves", "16"},
           {"grow_policy", "lossguide"},
           {"max_depth", "0"},
           {"eta", "0.1"},
           {"scale_pos_weight", fmt::format("{}", first / second)}},
          seed};
}

void check_sample(const FeatureSample& sample, std::size_t feature_count) {
  if (feature_count == 0 || sample.features.size() != feature_count * sample.groups.size())
    throw Error(
        fmt::format("a sample has {} numbers and {} groups; expected {} per group, at least 1",
                    sample.features.size(), sample.groups.size(), feature_count));
}

}  // namespace

double roc_area(std::span<const double> first, std::span<const double> second) {
  if (first.empty() || second.empty()) return std::numeric_limits<double>::quiet_NaN();
  std::vector<std::pair<double, bool>> scores;  // with true for the second sample
  for (const double score : first) scores.emplace_back(score, false);
  for (const double score : second) scores.emplace_back(score, true);
  std::sort(scores.begin(), scores.end());
  double wins = 0, below = 0;  // below: smaller scores of the first
  for (std::size_t begin = 0, end = 0; begin < scores.size(); begin = end) {
    double tied_first = 0, tied_second = 0;
    for (; end < scores.size() && scores[end].first == scores[begin].first; ++end)
      ++(scores[end].second ? tied_second : tied_first);
    wins += tied_second * (below + tied_first / 2);
    below += tied_first;
  }
  return wins / static_cast<double>(first.size()) / static_cast<double>(second.size());
}

std::optional<double> two_sample_auc(const FeatureSample& first, const FeatureSample& second,
                                     std::size_t feature_count, std::uint64_t seed) {
  check_sample(first, feature_count);
  check_sample(second, feature_count);
  double sum = 0, weight = 0;
  for (std::uint64_t fold = 0; fold < folds; ++fold) {
    const FoldPart training = fold_part(first, second, feature_count, seed, fold, false);
    const FoldPart held_out = fold_part(first, second, feature_count, seed, fold, true);
    if (!training.has_both() || !held_out.has_both()) continue;
    const std::vector<double> scores =
        classifier(training, feature_count, seed).score(held_out.features);
    std::vector<double> of_first, of_second;
    for (std::size_t i = 0; i < scores.size(); ++i)
      (held_out.labels[i] == 0 ? of_first : of_second).push_back(scores[i]);
    const auto pairs = static_cast<double>(of_first.size() * of_second.size());
    sum += pairs * roc_area(of_first, of_second);
    weight += pairs;
  }
  if (weight == 0) return std::nullopt;
  return sum / weight;
}

}  // namespace ultr
