#pragma once

#include "kernels/vector_math.h"

namespace ultr {

/// σ(x) and σ(-x) from one exponential, without subtraction: with u = e^-|x|, one of them is
/// 1/(1+u) and the other u/(1+u).
template <class P>
struct SigmoidPair {
  P u, yes, no;  // yes = σ(x), no = σ(-x)
  explicit SigmoidPair(P x) : u(exp(-abs(x))) {
    const P larger = 1 / (u + 1), smaller = u * larger;
    yes = where(x < 0, smaller, larger);
    no = where(x < 0, larger, smaller);
  }
};

}  // namespace ultr
