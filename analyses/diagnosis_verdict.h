#pragma once

#include <string>
#include <vector>

#include "analyses/diagnosis.h"

namespace ultr {

/// The degree to which clicks tell position bias from relevance.
enum class Identification {
  identified,
  weak,  // in theory, but from too few swaps or clicks
  none,
  not_measured,  // the data have no features
};

/// Returns "identifiable", "weakly identifiable", "not identifiable" or "not measured".
std::string_view identification_name(Identification identification);

/// A diagnosis in plain words.
struct Verdict {
  /// With a parameter for each query-document pair: none if the graph of ranks is not connected,
  /// weak if a rank's bias is known worse than to a factor of 2 in odds (weak_standard_error). Here
  /// and below, combinations of rank and bias features take the place of ranks if there are any.
  Identification pairs = Identification::none;
  /// With relevance from features alone, by the overlap of features between ranks: none or weak if
  /// the hardest step from the first rank to another has an area above disjoint_area or weak_area.
  Identification features = Identification::not_measured;
  /// "identifiable", "weakly identifiable", "identifiable through features only", "weakly
  /// identifiable through features only" or "not identifiable".
  std::string answer;
  std::vector<std::string> reasons;  // for the answer, a few sentences each
  std::vector<std::string> advice;
};

/// log 2 / 1.96: a 95% interval of θ_k - θ_1 then extends log 2 to either side.
inline constexpr double weak_standard_error = 0.3536;
/// Areas at which 36% and 10% of two normal samples overlap (two_sample_auc).
inline constexpr double weak_area = 0.9, disjoint_area = 0.99;

/// Judges a diagnosis.
Verdict verdict_of(const Diagnosis& diagnosis);

}  // namespace ultr
