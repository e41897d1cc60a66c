#pragma once

#include <array>
#include <vector>

#include "autograd/ops/dropout.h"
#include "autograd/ops/gather.h"
#include "autograd/ops/slice.h"
#include "base/random.h"
#include "data/log/feature_table.h"
#include "layers/logit_layer.h"

namespace ultr::testing {

/// Number of entries of the domains rank and rank pair.
inline constexpr std::int64_t entries_of_small_domains = 6;
inline constexpr std::int64_t listed_feature_count = 5;

/// Features of six documents. Those of the first are all 0.
inline FeatureTable listed_features() {
  std::vector<float> values(static_cast<std::size_t>(listed_feature_count), 0.0f);
  RandomStream random(1, RandomPurpose::testing, 0, 0);
  while (values.size() < 6 * listed_feature_count)
    values.push_back(static_cast<float>(random.normal()));
  return {std::move(values), listed_feature_count};
}

/// Number of feature columns that ListedInputs has for a domain.
inline std::int64_t listed_columns(Domain domain) {
  switch (domain) {
    case Domain::global:
      return 1;
    case Domain::document:
    case Domain::document_rank:
      return listed_feature_count;
    default:
      return entries_of_small_domains;
  }
}

/// Inputs of a few documents. They have the same entries in every domain but `global`, which has
/// one for all.
class ListedInputs final : public Inputs {
 public:
  ListedInputs(Tape& tape, std::vector<std::uint32_t> entries)
      : tape_(tape),
        values_(std::move(entries)),
        listed_(tape.index(static_cast<std::int64_t>(values_.size()))),
        only_(tape.index(1)) {
    tape.bind(listed_, values_);
    tape.bind(only_, zero_);
  }

  Tape& tape() const override { return tape_; }
  Index index(Domain domain) const override { return domain == Domain::global ? only_ : listed_; }
  Tensor features(Domain domain) const override {
    const std::int64_t n = entries_of_small_domains;
    if (domain == Domain::global) return tape_.constant(Shape::matrix(1, 1), std::array{1.0});
    if (domain == Domain::document || domain == Domain::document_rank)
      return gather_fixed(tape_, feature_view_, listed_);
    std::vector<double> identity(static_cast<std::size_t>(n * n), 0.0);
    for (std::size_t i = 0; i < identity.size(); i += static_cast<std::size_t>(n) + 1)
      identity[i] = 1;
    return tape_.constant(Shape::matrix(n, n), identity);
  }
  Tensor scores(const FeatureScorer& scorer) const override {
    std::vector<float> scores(values_.size());
    scorer.score(feature_view_, features_.owner(), values_, scores);
    return tape_.constant(Shape::vector(documents()),
                          std::vector<double>(scores.begin(), scores.end()));
  }
  std::optional<Index> noise() const override { return noise_; }
  /// Turns dropout on, with random numbers from a seed.
  void use_noise(std::uint32_t seed) {
    key_[0] = seed;
    noise_ = tape_.index(dropout_key_words);
    tape_.bind(*noise_, key_);
  }
  std::int64_t documents() const { return static_cast<std::int64_t>(values_.size()); }

  /// Records the logit of each document.
  Tensor logits_of(const LogitLayer& layer) const {
    const Logits logits = layer.logits(*this);
    if (logits.per_document) return take(logits.values, *logits.per_document);
    return logits.values.shape().single() ? repeat(logits.values, documents()) : logits.values;
  }

 private:
  Tape& tape_;
  FeatureTable features_ = listed_features();
  ParameterView feature_view_ = features_.relevance_view();
  std::array<std::uint32_t, dropout_key_words> key_{};
  std::optional<Index> noise_;
  std::vector<std::uint32_t> values_, zero_ = {0};
  Index listed_, only_;
};

/// Computes the logits that a layer gives to documents with these entries.
inline std::vector<double> logits_of(const LogitLayer& layer,
                                     const std::vector<std::uint32_t>& entries) {
  Tape tape;
  const ListedInputs inputs(tape, entries);
  return inputs.logits_of(layer).values();
}

}  // namespace ultr::testing
