#pragma once

#include "optim/coins.h"
#include "optim/optimizer.h"

namespace ultr {

/// Options of expectation maximisation (Dempster, Laird & Rubin, 1977): each pass over all sessions
/// replaces every probability by its expected share of heads given the clicks. That share comes
/// from the derivative of the log-likelihood (Fisher's identity), so that no model derives it.
/// Without pseudo-tosses no pass lowers the likelihood; with a given pseudo_mean none lowers the
/// likelihood times the prior.
struct EmOptions final : FitOptions {
  PseudoTosses pseudo;

  void fields(Fields& f) override;
};

}  // namespace ultr
