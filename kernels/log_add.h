#pragma once

#include <cmath>

#include "kernels/pack_group.h"

namespace ultr {

/// log(e^x + e^y) of packs or of groups of packs, and its slopes; -inf with slopes 0 if both are
/// -inf. Error of the value below 1.5 ulp of the larger of it and log1p(e^-|x-y|).
template <class P>
struct LogAdd {
  P value, slope_of_x, slope_of_y;

  [[gnu::always_inline]] LogAdd(const P& x, const P& y) {
    const auto below = x < y;
    const P u = exp(where(x == y, 0, -abs(x - y)));  // inf - inf would be NaN
    value = where(below, y, x) + log1p_of_unit(u);
    const P larger = where(value == P(-HUGE_VAL), 0, 1 / (u + 1)), smaller = u * larger;
    slope_of_x = where(below, smaller, larger);
    slope_of_y = where(below, larger, smaller);
  }
};

}  // namespace ultr
