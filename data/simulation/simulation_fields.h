#pragma once

#include "options/fields.h"

/// Options that several simulations have.
namespace ultr {

/// Declares the number of documents that a session shows.
inline void shown_positions_field(Fields& f, std::int64_t& positions) {
  f.integer("positions", positions, "Documents shown per session.", between(1, 1000));
}

/// Declares the position bias η of examination (position_bias).
inline void examination_field(Fields& f, double& eta) {
  f.number("eta", eta, "Position bias η: rank k is examined with probability (1/k)^η.",
           at_least(0));
}

/// Declares the probability of parameters of click models that have no domain, such as λ.
inline void global_parameter_field(Fields& f, double& global) {
  f.number("global", global, "Probability of global parameters, such as λ.", inside(0, 1));
}

}  // namespace ultr
