#pragma once

#include <optional>

#include "dsl/prob.h"

namespace ultr {

/// Returns the numbers p of the entries of the probability's table, which has an index that gives
/// each document's entry. Returns nothing if there is no table, or if they are known as logarithms
/// only. See Prob::value.
std::optional<Tensor> value_by_entry(Prob p);

}  // namespace ultr
