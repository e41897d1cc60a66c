#pragma once

#include <nlohmann/json.hpp>

#include "analyses/diagnosis_verdict.h"

namespace ultr {

/// diagnosis.json: the verdict and all that it rests on. Arrays are by `rank_graph.ranks`, which
/// count from 1; numbers that there are none of are null. `verdict.pairs_identified` and
/// `verdict.features_identified` are 1 where clicks tell position bias from relevance, 0.5 where
/// weakly, else 0.
nlohmann::ordered_json diagnosis_json(const Diagnosis& diagnosis, const Verdict& verdict);

}  // namespace ultr
