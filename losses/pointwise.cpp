#include "losses/pointwise.h"

#include "autograd/arithmetic.h"
#include "autograd/logspace.h"
#include "autograd/segments.h"

namespace ultr {

Tensor pointwise_loss(Tensor logits, Tensor targets, Segments lists,
                      const std::optional<Tensor>& weights) {
  const Tensor losses = sigmoid_cross_entropy(logits, targets);
  return segment_sum(weights ? *weights * losses : losses, lists);
}

}  // namespace ultr
