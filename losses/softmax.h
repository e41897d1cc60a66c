#pragma once

#include <optional>

#include "autograd/tensor.h"

namespace ultr {

/// The listwise softmax loss (ListNet's top-one loss; Cao et al., 2007; Bruch et al., 2019): for
/// each list -Σ_i w_i (y_i / Σ_j y_j) log softmax(x)_i, 0 for a list whose labels are all 0.
/// scores, labels (at least 0), weights (1 if left out): [documents]; result: [lists].
///
/// Weights multiply a label's share after labels are normalised to sum to one. Labels that are
/// weighted before, as y_i w_i, lose their weight wherever a list has a single one: it cancels.
Tensor softmax_loss(Tensor scores, Tensor labels, Segments lists,
                    const std::optional<Tensor>& weights = {});

}  // namespace ultr
