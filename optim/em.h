#pragma once

#include "optim/coins.h"
#include "optim/optimizer.h"

namespace ultr {

/// Options of expectation maximisation (EM; Dempster, Laird & Rubin, 1977). Each pass over all
/// sessions replaces every probability by its expected share of heads given the clicks. That share
/// follows from the derivative of the log-likelihood (Fisher's identity), so that no model needs an
/// E-step of its own. Without pseudo-tosses, no pass lowers the likelihood. With a given
/// pseudo_mean, no pass lowers the likelihood times the prior.
struct EmOptions final : FitOptions {
  PseudoTosses pseudo;

  void fields(Fields& f) override;
};

}  // namespace ultr
