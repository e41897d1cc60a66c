#pragma once

#include <span>

#include "autograd/tape/tensor.h"

/// Probabilities in log space, exact at the edges: finite inputs of the domain never give NaN, and
/// infinities only where stated; full relative precision where a textbook formula cancels. Where a
/// value is -inf, its gradients are 0; all gradients are finite. Tested against
/// golden/numerics.json to 4 ulp in float64 and 8 in float32.
namespace ultr {

/// σ(x) = 1/(1+e^-x).   d/dx = σ(x) σ(-x).   All of R.
Tensor sigmoid(Tensor x);
/// max(σ(s x), least), where the sign s is 1 or -1.   d/dx = s σ(x) σ(-x), 0 where σ(s x) is below
/// `least`.   All of R.
Tensor sigmoid_from(double least, Tensor x, double sign);
/// log σ(x) = -log(1+e^-x).   d/dx = σ(-x).   All of R.
Tensor log_sigmoid(Tensor x);
/// log(1 - σ(x)) = log σ(-x), the complement of log_sigmoid.   d/dx = -σ(x).   All of R.
Tensor log_one_minus_sigmoid(Tensor x);
/// log(1+e^x).   d/dx = σ(x).   All of R.
Tensor softplus(Tensor x);
/// log(e^x - 1), the inverse of softplus.   d/dx = 1/(1-e^-x).   x > 0; -inf at 0.
Tensor softplus_inverse(Tensor x);

/// log(1-e^x): the log of 1-p from x = log p.   d/dx = -e^x/(1-e^x).   x <= 0; -inf at 0.
Tensor log1mexp(Tensor x);
/// log(e^a+e^b).   d/da = e^(a-value), d/db = e^(b-value).   All of R and -inf.
Tensor logaddexp(Tensor a, Tensor b);
/// log Σ e^x of one or more terms. Takes fewer logarithms than adding the terms two at a time.
/// d/dx = e^(x-value).   All of R and -inf. Throws ShapeError if there are no terms.
Tensor logaddexp(std::span<const Tensor> terms);
/// log(e^a-e^b).   d/da = 1/(1-e^(b-a)), d/db = -e^(b-a)/(1-e^(b-a)).   a >= b; -inf if equal.
Tensor logsubexp(Tensor a, Tensor b);
/// log(p/(1-p)) from x = log p: the logit of a log probability.   d/dx = 1/(1-e^x).   x < 0.
Tensor logit_of_log_prob(Tensor x);

/// log(1 - σ(a)σ(b)): the log probability that two independent events do not both happen. All of R;
/// one of a and b may be +inf.
/// d/da = -σ(a)σ(-a)σ(b)/(1-σ(a)σ(b)); d/db likewise with a and b exchanged.
Tensor log_not_both(Tensor a, Tensor b);
/// e(1-r)/(1-er) with e = σ(a), r = σ(b), which equals σ(a - softplus(b)): the probability of
/// examination after no click under a position-based model (RegressionEM's target).   All of R.
/// d/da = value (1-value), d/db = -σ(b) value (1-value).
Tensor posterior_examination(Tensor a, Tensor b);

/// -(y log σ(x) + (1-y) log(1 - σ(x))), the sigmoid cross-entropy of logit x and target y. Targets
/// may lie outside [0, 1], as those of weighted clicks do.   x, y: all of R.
/// d/dx = (1-y) σ(x) - y σ(-x), d/dy = -x.
Tensor sigmoid_cross_entropy(Tensor logits, Tensor targets);
/// The sigmoid cross-entropy of logit x and target t = σ(a)(1-σ(b))/(1-σ(a)σ(b)): the probability
/// of an event with logit a, given that it and an event with logit b did not both happen. No
/// gradient flows to a and b. Where a is x, as in expectation maximisation, the slope does not
/// cancel.   All of R.
/// d/dx = σ(x) - t.
Tensor posterior_cross_entropy(Tensor x, Tensor a, Tensor b);

}  // namespace ultr
