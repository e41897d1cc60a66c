#include "data/simulation/simulated_relevance.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <numeric>

#include <fmt/core.h>

#include "base/error.h"
#include "base/quantile.h"
#include "base/random.h"

namespace ultr {
namespace {

/// Steps of RandomPurpose::synthetic_data, one per use of random numbers.
enum class Draw : std::uint32_t { weights, noise };

RandomStream random_for(std::uint64_t seed, Draw draw, std::uint64_t index) {
  return {seed, RandomPurpose::synthetic_data, static_cast<std::uint32_t>(draw), index};
}

class JudgedRelevance final : public SimulatedRelevanceOptions {
 public:
  void fields(Fields& f) override {
    f.integer("largest", largest_,
              "Largest label of the lists, which counts as relevance 4; others in proportion.",
              between(1, largest_label));
  }
  SimulatedRelevance fit(const FeatureLists&, std::span<const std::uint32_t>,
                         std::uint64_t) const override {
    return [largest = static_cast<double>(largest_)](const FeatureLists& lists,
                                                     std::span<const std::uint32_t>) {
      const Column<std::int32_t>& labels = lists.columns().labels;
      if (labels.empty() && lists.documents() > 0)
        throw DataError("the lists have no relevance labels; expected some to simulate clicks");
      std::vector<double> relevance(labels.size());
      for (std::size_t i = 0; i < labels.size(); ++i) {
        if (labels[i] > largest)
          throw DataError(
              fmt::format("document {} has label {}; expected at most {} to simulate clicks", i + 1,
                          labels[i], largest));
        relevance[i] = largest_simulated_label / largest * std::max(labels[i], 0);
      }
      return relevance;
    };
  }

 private:
  std::int64_t largest_ = largest_simulated_label;
};

struct FeatureMoments {
  double mean = 0, deviation = 0;
};

/// Returns mean and standard deviation of those of number(0), ..., number(n - 1) that are not
/// missing, NaN; 0 if all are.
template <class Number>
FeatureMoments moments(std::size_t n, Number number) {
  FeatureMoments found;
  std::size_t known = 0;
  for (std::size_t i = 0; i < n; ++i)
    if (!std::isnan(number(i))) {
      found.mean += number(i);
      ++known;
    }
  if (known == 0) return found;
  found.mean /= static_cast<double>(known);
  for (std::size_t i = 0; i < n; ++i)
    if (!std::isnan(number(i))) found.deviation += std::pow(number(i) - found.mean, 2);
  found.deviation = std::sqrt(found.deviation / static_cast<double>(known));
  return found;
}

/// Maps the standardised features of one document to its score s.
using Score = std::function<double(std::span<const double> features)>;

/// Relevance from features: s + σξ, mapped to [0, largest_simulated_label]. A missing feature
/// counts as its mean.
class RelevanceOfFeatures {
 public:
  RelevanceOfFeatures(const FeatureLists& train, std::span<const std::uint32_t> rows, Score score,
                      double noise, std::uint64_t seed)
      : score_(std::move(score)), noise_(noise), seed_(seed) {
    if (train.features() == 0)
      throw DataError("the lists have no features; expected some to simulate relevance");
    const std::size_t documents = train.documents();
    const std::span<const float> values = train.columns().features.values();
    for (std::size_t j = 0; j < train.features(); ++j)
      columns_.push_back(moments(documents, [&](std::size_t i) {
        return static_cast<double>(values[i * train.features() + j]);
      }));
    std::vector<double> scores(documents);
    for (std::size_t i = 0; i < documents; ++i) scores[i] = score_of(train, i);
    deviation_ = moments(documents, [&](std::size_t i) { return scores[i]; }).deviation;
    if (!(deviation_ > 0))
      throw DataError(fmt::format(
          "no feature differs between the {} training documents; expected one that does, to "
          "simulate relevance",
          documents));
    for (std::size_t i = 0; i < documents; ++i) scores[i] = with_noise(scores[i], rows[i]);
    std::sort(scores.begin(), scores.end());
    low_ = quantile(scores, 0.05);
    high_ = quantile(scores, 0.95);
  }

  std::vector<double> operator()(const FeatureLists& lists,
                                 std::span<const std::uint32_t> rows) const {
    if (lists.features() != columns_.size())
      throw DataError(fmt::format("the lists have {} features; expected {}, as the training lists",
                                  lists.features(), columns_.size()));
    std::vector<double> relevance(lists.documents());
    for (std::size_t i = 0; i < relevance.size(); ++i) {
      const double s = with_noise(score_of(lists, i), rows[i]);
      // If 90 % of the documents have one score, relevance is a step function.
      const double share = high_ > low_ ? (s - low_) / (high_ - low_) : (s > low_ ? 1. : 0.);
      relevance[i] = largest_simulated_label * std::clamp(share, 0., 1.);
    }
    return relevance;
  }

 private:
  double score_of(const FeatureLists& lists, std::size_t document) const {
    const std::size_t n = columns_.size();
    const auto row = lists.columns().features.values().subspan(document * n, n);
    std::vector<double> x(n);
    for (std::size_t j = 0; j < n; ++j)
      if (columns_[j].deviation > 0 && !std::isnan(row[j]))
        x[j] = (static_cast<double>(row[j]) - columns_[j].mean) / columns_[j].deviation;
    return score_(x);
  }
  double with_noise(double score, std::uint32_t row) const {
    return score / deviation_ + noise_ * random_for(seed_, Draw::noise, row).normal();
  }

  Score score_;
  double noise_;
  std::uint64_t seed_;
  std::vector<FeatureMoments> columns_;  // of each feature over the training documents
  double deviation_ = 1, low_ = 0, high_ = 1;
};

class FeatureRelevance : public SimulatedRelevanceOptions {
 public:
  void fields(Fields& f) override {
    f.number("noise", noise_,
             "Standard deviation σ of the part of relevance that features do not explain, relative "
             "to the part that they do.",
             at_least(0));
  }
  SimulatedRelevance fit(const FeatureLists& train, std::span<const std::uint32_t> rows,
                         std::uint64_t seed) const override {
    return RelevanceOfFeatures(train, rows, draw(train.features(), seed), noise_, seed);
  }

 private:
  /// Draws a random function of so many features.
  virtual Score draw(std::size_t features, std::uint64_t seed) const = 0;

  double noise_ = 0.2;
};

std::vector<double> normals(RandomStream& random, std::size_t count, double deviation) {
  std::vector<double> drawn(count);
  for (double& x : drawn) x = deviation * random.normal();
  return drawn;
}

double dot(std::span<const double> a, std::span<const double> b) {
  return std::inner_product(a.begin(), a.end(), b.begin(), 0.);
}

class LinearRelevance final : public FeatureRelevance {
  Score draw(std::size_t features, std::uint64_t seed) const override {
    RandomStream random = random_for(seed, Draw::weights, 0);
    return [w = normals(random, features, 1 / std::sqrt(static_cast<double>(features)))](
               std::span<const double> x) { return dot(w, x); };
  }
};

class DisagreeingRelevance final : public SimulatedRelevanceOptions {
 public:
  void fields(Fields& f) override {
    f.number("disagreement", disagreement_,
             "Degree d from 0, where users agree with the judges, to 1, where they go by a random "
             "weighted sum of the features.",
             between(0, 1));
    own_.fields(f);
  }
  SimulatedRelevance fit(const FeatureLists& train, std::span<const std::uint32_t> rows,
                         std::uint64_t seed) const override {
    return [judged = JudgedRelevance().fit(train, rows, seed), own = own_.fit(train, rows, seed),
            d = disagreement_](const FeatureLists& lists, std::span<const std::uint32_t> its_rows) {
      std::vector<double> relevance = judged(lists, its_rows);
      const std::vector<double> preferred = own(lists, its_rows);
      for (std::size_t i = 0; i < relevance.size(); ++i)
        relevance[i] = (1 - d) * relevance[i] + d * preferred[i];
      return relevance;
    };
  }

 private:
  double disagreement_ = 0.5;
  LinearRelevance own_;
};

class TanhRelevance final : public FeatureRelevance {
  Score draw(std::size_t features, std::uint64_t seed) const override {
    constexpr std::size_t neurons = 16;
    RandomStream random = random_for(seed, Draw::weights, 1);
    const auto n = static_cast<double>(features);
    return [features, inner = normals(random, neurons * features, 2 / std::sqrt(n)),
            bias = normals(random, neurons, 1),
            outer = normals(random, neurons, 1 / std::sqrt(double{neurons}))](
               std::span<const double> x) {
      double score = 0;
      for (std::size_t i = 0; i < neurons; ++i)
        score += outer[i] *
                 std::tanh(bias[i] + dot(std::span(inner).subspan(i * features, features), x));
      return score;
    };
  }
};

}  // namespace

const std::vector<OptionType>& simulated_relevance_types() {
  static const std::vector<OptionType> types = {
      option_type<JudgedRelevance>("labels", "Judged relevance; 0 for unjudged documents."),
      option_type<DisagreeingRelevance>(
          "disagreeing", "Judged relevance, mixed with a random weighted sum of the features."),
      option_type<LinearRelevance>("linear", "A random weighted sum of the features, plus noise."),
      option_type<TanhRelevance>(
          "tanh", "A random network of the features with 16 tanh neurons, plus noise."),
  };
  return types;
}

}  // namespace ultr
