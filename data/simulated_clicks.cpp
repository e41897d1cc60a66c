#include "data/simulated_clicks.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include <fmt/core.h>

#include "autograd/random.h"
#include "data/error.h"

namespace ultr {
namespace {

int label_or_zero(std::int32_t label) { return std::max(label, 0); }

void check_labels(const FeatureLists& lists) {
  const Column<std::int32_t>& labels = lists.columns().labels;
  if (labels.empty() && lists.documents() > 0)
    throw DataError("the lists have no relevance labels; expected some to simulate clicks of");
  for (std::size_t i = 0; i < labels.size(); ++i)
    if (labels[i] > largest_simulated_label)
      throw DataError(
          fmt::format("document {} has label {}; expected at most {} to simulate clicks of", i + 1,
                      labels[i], largest_simulated_label));
}

/// The ranks, in the list, of its documents in the order in which the policy shows them.
std::vector<std::size_t> order_of(std::span<const std::int32_t> labels, double strength,
                                  RandomStream& random) {
  std::vector<double> score(labels.size());
  for (std::size_t i = 0; i < score.size(); ++i) {
    const double noise = largest_simulated_label * random.uniform();
    const double mixed =
        std::abs(strength) * label_or_zero(labels[i]) + (1 - std::abs(strength)) * noise;
    score[i] = strength < 0 ? -mixed : mixed;
  }
  std::vector<std::size_t> order(labels.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return score[a] > score[b]; });
  return order;
}

}  // namespace

void SimulatedClickOptions::fields(Fields& f) {
  f.integer("sessions", sessions,
            "Sessions on the training lists, at least: each order of each list has as many. Lists "
            "held out are shown as often.",
            between(1, 1e9));
  f.integer("positions", positions, "Documents a session shows.", between(1, 1000));
  f.number("eta", eta, "Position bias η: rank k is examined with probability (1/k)^η.",
           at_least(0));
  f.number("noise", noise, "Click probability ε of an examined document with label 0.",
           between(0, 1));
  f.number("policy_strength", policy_strength,
           "How well the shown order follows relevance: 1 perfectly, 0 not at all, -1 inversely.",
           between(-1, 1));
  f.integer("rankings", rankings, "Orders in which each list is shown.", between(1, 1e6));
  f.boolean("aggregate", aggregate,
            "Learn from the mean click rates of each order instead of session by session.");
}

double attractiveness(int label, double noise) {
  const double relevance = (std::exp2(label) - 1) / (std::exp2(largest_simulated_label) - 1);
  return noise + (1 - noise) * relevance;
}

double position_bias(std::size_t position, double eta) {
  return std::pow(1 / static_cast<double>(position + 1), eta);
}

std::int64_t sessions_an_order(const SimulatedClickOptions& options, std::size_t lists) {
  const std::int64_t orders =
      std::max<std::int64_t>(1, static_cast<std::int64_t>(lists) * options.rankings);
  return (options.sessions + orders - 1) / orders;
}

SessionLog simulate_clicks(const FeatureLists& lists, std::span<const std::uint32_t> rows,
                           const SimulatedClickOptions& options, std::int64_t repeats,
                           std::uint64_t seed) {
  check_labels(lists);
  SessionLog log;
  std::vector<std::uint32_t> shown;
  std::vector<std::uint16_t> positions;
  std::vector<double> probabilities;
  std::vector<std::uint8_t> clicks;
  std::vector<float> rates;
  for (std::size_t l = 0; l < lists.lists(); ++l) {
    const FeatureListView list = lists[l];
    const auto list_rows =
        rows.subspan(static_cast<std::size_t>(lists.columns().offsets[l]), lists.length(l));
    for (std::int64_t r = 0; r < options.rankings; ++r) {
      RandomStream random(seed, RandomPurpose::simulation, static_cast<std::uint32_t>(r),
                          list_rows[0]);
      std::vector<std::size_t> order = order_of(list.labels, options.policy_strength, random);
      order.resize(std::min(order.size(), static_cast<std::size_t>(options.positions)));
      shown.clear(), positions.clear(), probabilities.clear();
      for (std::size_t k = 0; k < order.size(); ++k) {
        shown.push_back(list_rows[order[k]]);
        positions.push_back(static_cast<std::uint16_t>(k));
        probabilities.push_back(
            position_bias(k, options.eta) *
            attractiveness(label_or_zero(list.labels[order[k]]), options.noise));
      }
      rates.assign(order.size(), 0);
      for (std::int64_t s = 0; s < repeats; ++s) {
        clicks.clear();
        for (std::size_t k = 0; k < order.size(); ++k) {
          clicks.push_back(random.uniform() < probabilities[k] ? 1 : 0);
          rates[k] += clicks[k];
        }
        if (!options.aggregate)
          log.add({.rows = shown, .positions = positions, .clicks = clicks, .query = list.query});
      }
      if (!options.aggregate) continue;
      for (float& rate : rates) rate /= static_cast<float>(repeats);
      clicks.assign(order.size(), 0);
      log.add({.rows = shown,
               .positions = positions,
               .clicks = clicks,
               .query = list.query,
               .propensities = {},
               .targets = rates});
    }
  }
  return log;
}

}  // namespace ultr
