#pragma once

#include <nlohmann/json.hpp>

#include "analyses/diagnosis_verdict.h"

namespace ultr {

/// Returns the contents of diagnosis.json: the verdict and everything it rests on. Arrays are
/// indexed by `rank_graph.ranks`, which count from 1; missing values are null.
/// `verdict.pairs_identified` and `verdict.features_identified` are 1 if clicks tell position bias
/// from relevance, 0.5 if they do weakly, else 0.
nlohmann::ordered_json diagnosis_json(const Diagnosis& diagnosis, const Verdict& verdict);

}  // namespace ultr
