#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <vector>

#include "base/random.h"
#include "experiment/data_options.h"

namespace ultr::testing {

/// Sessions of a logging policy of temperature τ, shown to users whose clicks are additive.
struct TemperatureLog {
  double temperature = 0;      // share of sessions in random order
  bool with_features = false;  // of which the policy and the users know one, and one is noise
  std::uint64_t sessions = 4000, queries = 40;
  std::size_t documents = 5;  // of a query, all shown
};

/// Queries whose documents have a relevance γ, normal; the policy shows them by falling γ, or, with
/// probability τ, in random order. P(click at rank k) = σ(γ - log k).
inline ExperimentData temperature_data(const TemperatureLog& made) {
  ExperimentData data;
  Dataset& dataset = data.dataset;
  std::vector<float> features(2);  // row 0
  std::vector<double> relevance = {0};
  for (std::uint64_t query = 0; query < made.queries; ++query)
    for (std::uint64_t document = 0; document < made.documents; ++document) {
      dataset.dictionary.add(query, document);
      RandomStream random(1, RandomPurpose::testing, 1, relevance.size());
      relevance.push_back(random.normal());
      features.push_back(static_cast<float>(relevance.back()));
      features.push_back(static_cast<float>(random.normal()));
    }
  std::vector<std::uint16_t> positions(made.documents);
  std::iota(positions.begin(), positions.end(), std::uint16_t{0});
  for (std::uint64_t session = 0; session < made.sessions; ++session) {
    RandomStream random(1, RandomPurpose::testing, 2, session);
    const std::uint64_t query = session % made.queries;
    std::vector<std::uint32_t> rows(made.documents);
    std::iota(rows.begin(), rows.end(), static_cast<std::uint32_t>(1 + query * made.documents));
    std::sort(rows.begin(), rows.end(),
              [&](std::uint32_t a, std::uint32_t b) { return relevance[a] > relevance[b]; });
    if (random.uniform() < made.temperature)
      for (std::size_t k = rows.size(); k > 1; --k) std::swap(rows[k - 1], rows[random.below(k)]);
    std::vector<std::uint8_t> clicks;
    for (std::size_t k = 0; k < rows.size(); ++k) {
      const double logit = relevance[rows[k]] - std::log(static_cast<double>(k + 1));
      clicks.push_back(random.uniform() < 1 / (1 + std::exp(-logit)) ? 1 : 0);
    }
    dataset.train.add({.rows = rows, .positions = positions, .clicks = clicks, .query = query});
  }
  if (made.with_features) dataset.features = FeatureTable(std::move(features), 2);
  dataset.positions = dataset.train.positions();
  return data;
}

}  // namespace ultr::testing
