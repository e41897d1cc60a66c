#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "data/log/session_log.h"

namespace ultr {

/// Two ranks that a log compares, by query-document pairs that it shows at both. Ranks are
/// displayed positions, 0-based.
struct RankLink {
  std::size_t a = 0, b = 0;  // a < b
  double pairs = 0;          // query-document pairs shown at both
  /// Of how many swaps the link is worth: Σ over these pairs of 2 / (1/n_a + 1/n_b), n_a and n_b
  /// the impressions of a pair at a and at b.
  ///
  /// With click rates c and p = P(click) about the same, c_a - c_b has the variance
  /// p (1-p) (1/n_a + 1/n_b), so that the estimate from all pairs that weights each by its inverse,
  /// as Mantel and Haenszel (1959) and Cochran (Biometrics 1954) do, has the variance of as many
  /// pairs that were shown once at each rank. One impression at a rank is worth two at the most,
  /// however many the other has.
  double effective_swaps = 0;
};

/// The graph of ranks of a log (Chen et al., "Identifiability Matters", NeurIPS 2023, theorem 1):
/// its vertices are the ranks that are shown, an edge links two that share a query-document pair.
/// With a parameter for each pair, clicks identify examination, up to a factor or an additive
/// constant, if and only if the graph is connected: what is shown at the ranks of one component may
/// as well be less relevant, and they more examined, than those of another.
struct RankGraph {
  std::vector<std::size_t> ranks;  // shown, rising; the first is what others are compared with
  std::vector<double> impressions, clicks;  // of all documents at each of `ranks`
  std::vector<RankLink> links;              // rising by a, then b
  /// Connected components, each rising, the first rank's first, others by their first rank.
  std::vector<std::vector<std::size_t>> components;
  /// For each of `ranks` the link with the fewest effective swaps on the way to the first rank on
  /// which this is most (a widest path); nothing for the first and those that are not connected.
  std::vector<std::optional<RankLink>> weakest_links;
  /// For each of `ranks` the standard error of θ_k - θ_1 in the additive model
  /// P(click) = σ(θ_k + γ_qd), infinite where clicks do not tell it; 0 for the first.
  ///
  /// It is that of the Fisher information of θ with all γ_qd estimated along, which is the
  /// Laplacian of the graph with links of conductance Σ over pairs of w_a w_b / Σ_k w_k, w_k = n_k
  /// p_k (1-p_k): the root of a rank's effective resistance to the first. p_k is the click rate at
  /// k of pairs that are shown at several ranks. That leaves their spread out: it is a little too
  /// small.
  std::vector<double> standard_errors;

  bool connected() const { return components.size() == 1; }
  /// Links of a spanning forest in which every path is a widest one.
  std::vector<RankLink> widest_forest() const;
};

/// Of all sessions; click rates count as clicks. Pairs of row 0, which stands for unknown ones,
/// link nothing. Memory for positions x positions, and 16 bytes an impression of pairs at several
/// ranks.
RankGraph rank_graph(const SessionLog& log);

}  // namespace ultr
