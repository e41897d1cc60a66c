#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "metrics/bias/interventions.h"

namespace ultr {

/// A link between two ranks of a log: the query-document pairs that it shows at both. Ranks are
/// displayed positions, 0-based.
struct RankLink {
  std::size_t a = 0, b = 0;  // a < b
  double pairs = 0;          // query-document pairs shown at both
  /// The number of swaps that the link is worth: Σ over these pairs of 2 / (1/n_a + 1/n_b), where
  /// n_a and n_b are the impressions of a pair at a and at b.
  ///
  /// With click rates c and p = P(click) about the same at both, c_a - c_b has the variance p (1-p)
  /// (1/n_a + 1/n_b). Weighting each pair by the inverse of its variance, as Mantel and Haenszel
  /// (1959) and Cochran (Biometrics 1954) do, gives an estimate with the variance of this many
  /// pairs that were shown once at each rank. One impression at a rank is worth two at most,
  /// however many the other rank has.
  double effective_swaps = 0;
};

/// The graph of ranks of a log (Chen et al., "Identifiability Matters", NeurIPS 2023, theorem 1).
/// Its vertices are the ranks that are shown; an edge links two ranks that share a query-document
/// pair. With one parameter per pair, clicks identify examination, up to a factor or an additive
/// constant, if and only if the graph is connected. Otherwise the documents at the ranks of one
/// component may just as well be less relevant, and these ranks more examined, than those of
/// another.
struct RankGraph {
  std::vector<std::size_t> ranks;           // shown, ascending; the first is the reference
  std::vector<double> impressions, clicks;  // of all documents at each of `ranks`
  std::vector<RankLink> links;              // ascending by a, then by b
  /// Connected components: that of the first rank first, the others by their first rank. The ranks
  /// of each are ascending.
  std::vector<std::vector<std::size_t>> components;
  /// For each of `ranks`, the weakest link (fewest effective swaps) of a widest path to the first
  /// rank, the path on which that link is as strong as possible. Nothing for the first rank and for
  /// ranks that are not connected to it.
  std::vector<std::optional<RankLink>> weakest_links;
  /// For each of `ranks`, the standard error of θ_k - θ_1 in the additive model P(click) = σ(θ_k +
  /// γ_qd). 0 for the first, infinite where clicks do not determine the difference.
  ///
  /// It follows from the Fisher information of θ when all γ_qd are estimated too: the Laplacian of
  /// the graph whose links have conductance Σ over pairs of w_a w_b / Σ_k w_k, with w_k = n_k p_k
  /// (1-p_k). The error is the square root of a rank's effective resistance to the first. p_k is
  /// the click rate at k of pairs that are shown at several ranks. This ignores their spread, so
  /// the error is slightly too small.
  std::vector<double> standard_errors;

  bool connected() const { return components.size() == 1; }
  /// Returns the click rate at each of `ranks`.
  std::vector<double> click_rates() const;
  /// Returns the links of a spanning forest in which every path is a widest one.
  std::vector<RankLink> widest_forest() const;
};

/// Builds the graph of all sessions; click rates count as clicks. Pairs of row 0, which stands for
/// unknown ones, link no ranks. Uses memory for positions x positions, and 16 bytes per impression
/// of pairs at several ranks.
RankGraph rank_graph(const SessionLog& log);
/// Builds the graph of the places at which documents are displayed: `ranks` then holds the numbers
/// of those places that are shown.
RankGraph rank_graph(const SessionLog& log, const DisplayPlaces& places);

}  // namespace ultr
