#include "metrics/bias/rank_graph.h"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace ultr {
namespace {

/// Sets of linked ranks that merge as links are added (union-find).
class Forest {
 public:
  explicit Forest(std::size_t positions) : parents_(positions) {
    std::iota(parents_.begin(), parents_.end(), std::size_t{0});
  }
  /// Returns the smallest rank of the tree.
  std::size_t root(std::size_t rank) const {
    while (parents_[rank] != rank) rank = parents_[rank];
    return rank;
  }
  /// Merges two trees. Returns true if they were separate.
  bool link(std::size_t a, std::size_t b) {
    a = root(a);
    b = root(b);
    parents_[std::max(a, b)] = std::min(a, b);
    return a != b;
  }

 private:
  std::vector<std::size_t> parents_;
};

std::vector<RankLink> links_of(const Interventions& interventions, std::size_t positions) {
  std::vector<RankLink> all(positions * positions);
  interventions.each_pair([&](std::span<const PairAtPosition> shown) {
    for (std::size_t i = 0; i < shown.size(); ++i)
      for (std::size_t j = i + 1; j < shown.size(); ++j) {
        const PairAtPosition &a = shown[i], &b = shown[j];
        RankLink& link = all[a.position * positions + b.position];
        link = {
            .a = a.position,
            .b = b.position,
            .pairs = link.pairs + 1,
            .effective_swaps = link.effective_swaps + 2 / (1 / a.impressions + 1 / b.impressions)};
      }
  });
  std::erase_if(all, [](const RankLink& link) { return link.pairs == 0; });
  return all;
}

std::vector<std::vector<std::size_t>> components_of(const RankGraph& graph, std::size_t positions) {
  Forest forest(positions);
  for (const RankLink& link : graph.links) forest.link(link.a, link.b);
  std::vector<std::vector<std::size_t>> components;
  std::vector<std::size_t> number(positions);
  for (const std::size_t rank : graph.ranks) {
    const std::size_t root = forest.root(rank);
    if (root == rank) {
      number[rank] = components.size();
      components.emplace_back();
    }
    components[number[root]].push_back(rank);
  }
  return components;
}

std::vector<std::optional<RankLink>> weakest_links_of(const RankGraph& graph,
                                                      std::size_t positions) {
  const std::vector<RankLink> tree = graph.widest_forest();
  std::vector<std::optional<RankLink>> weakest(positions);
  std::vector<std::size_t> open = {graph.ranks.front()};
  std::vector<bool> seen(positions);
  seen[graph.ranks.front()] = true;
  while (!open.empty()) {
    const std::size_t rank = open.back();
    open.pop_back();
    for (const RankLink& link : tree) {
      if (link.a != rank && link.b != rank) continue;
      const std::size_t other = link.a == rank ? link.b : link.a;
      if (seen[other]) continue;
      seen[other] = true;
      const auto& before = weakest[rank];
      weakest[other] =
          before && before->effective_swaps <= link.effective_swaps ? before : std::optional(link);
      open.push_back(other);
    }
  }
  std::vector<std::optional<RankLink>> by_rank;
  for (const std::size_t rank : graph.ranks) by_rank.push_back(weakest[rank]);
  return by_rank;
}

/// Returns p_k (1-p_k) by position, of pairs at several positions; 0 where there are none.
std::vector<double> click_variances(const Interventions& interventions, std::size_t positions) {
  std::vector<double> impressions(positions), clicks(positions), variances(positions);
  interventions.each_pair([&](std::span<const PairAtPosition> shown) {
    for (const PairAtPosition& at : shown) {
      impressions[at.position] += at.impressions;
      clicks[at.position] += at.clicks;
    }
  });
  for (std::size_t k = 0; k < positions; ++k)
    if (impressions[k] > 0)
      variances[k] = clicks[k] / impressions[k] * (1 - clicks[k] / impressions[k]);
  return variances;
}

std::vector<double> standard_errors_of(const RankGraph& graph, const Interventions& interventions,
                                       std::size_t positions) {
  const std::vector<double> variances = click_variances(interventions, positions);
  const auto size = static_cast<Eigen::Index>(positions);
  Eigen::MatrixXd laplacian = Eigen::MatrixXd::Zero(size, size);
  Forest forest(positions);
  interventions.each_pair([&](std::span<const PairAtPosition> shown) {
    double sum = 0;
    for (const PairAtPosition& at : shown) sum += at.impressions * variances[at.position];
    for (const PairAtPosition& a : shown)
      for (const PairAtPosition& b : shown) {
        const double conductance =
            a.impressions * variances[a.position] * b.impressions * variances[b.position] / sum;
        if (a.position == b.position || !(conductance > 0)) continue;
        const auto i = static_cast<Eigen::Index>(a.position);
        laplacian(i, static_cast<Eigen::Index>(b.position)) -= conductance;
        laplacian(i, i) += conductance;
        forest.link(a.position, b.position);
      }
  });
  // The ranks whose θ clicks determine, without the first, whose θ is fixed.
  std::vector<Eigen::Index> told;
  for (const std::size_t rank : graph.ranks)
    if (rank != graph.ranks.front() && forest.root(rank) == graph.ranks.front())
      told.push_back(static_cast<Eigen::Index>(rank));
  const Eigen::MatrixXd held = laplacian(told, told);
  const Eigen::MatrixXd covariance =
      held.ldlt().solve(Eigen::MatrixXd::Identity(held.rows(), held.cols()));
  std::vector<double> errors(graph.ranks.size(), std::numeric_limits<double>::infinity());
  errors[0] = 0;
  for (std::size_t i = 0; i < told.size(); ++i) {
    const auto at = std::find(graph.ranks.begin(), graph.ranks.end(), told[i]);
    const auto diagonal = static_cast<Eigen::Index>(i);
    errors[static_cast<std::size_t>(at - graph.ranks.begin())] =
        std::sqrt(covariance(diagonal, diagonal));
  }
  return errors;
}

RankGraph graph_of(const Interventions& interventions) {
  RankGraph graph;
  const InterventionSums sums = interventions.sums();
  const std::size_t positions = sums.positions;
  for (std::size_t k = 0; k < positions; ++k) {
    if (sums.impressions[k] == 0) continue;
    graph.ranks.push_back(k);
    graph.impressions.push_back(sums.impressions[k]);
    graph.clicks.push_back(sums.clicks[k]);
  }
  if (graph.ranks.empty()) return graph;
  graph.links = links_of(interventions, positions);
  graph.components = components_of(graph, positions);
  graph.weakest_links = weakest_links_of(graph, positions);
  graph.standard_errors = standard_errors_of(graph, interventions, positions);
  return graph;
}

}  // namespace

std::vector<double> RankGraph::click_rates() const {
  std::vector<double> rates;
  for (std::size_t i = 0; i < ranks.size(); ++i) rates.push_back(clicks[i] / impressions[i]);
  return rates;
}

std::vector<RankLink> RankGraph::widest_forest() const {
  std::vector<RankLink> strongest_first = links;
  std::stable_sort(
      strongest_first.begin(), strongest_first.end(),
      [](const RankLink& a, const RankLink& b) { return a.effective_swaps > b.effective_swaps; });
  Forest forest(ranks.empty() ? 0 : ranks.back() + 1);
  std::erase_if(strongest_first,
                [&](const RankLink& link) { return !forest.link(link.a, link.b); });
  return strongest_first;
}

RankGraph rank_graph(const SessionLog& log) { return graph_of(Interventions(log)); }

RankGraph rank_graph(const SessionLog& log, const DisplayPlaces& places) {
  return graph_of(Interventions(log, places));
}

}  // namespace ultr
