#include "losses/softmax.h"

#include "autograd/arithmetic.h"
#include "autograd/segments.h"

namespace ultr {

Tensor softmax_loss(Tensor scores, Tensor labels, Segments lists,
                    const std::optional<Tensor>& weights) {
  const Tensor shares = segment_shares(labels, lists);
  const Tensor targets = weights ? *weights * shares : shares;
  return -segment_sum(targets * segment_log_softmax(scores, lists), lists);
}

}  // namespace ultr
