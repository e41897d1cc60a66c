#pragma once

#include <memory>

#include "optim/coins.h"
#include "training/fitter.h"

namespace ultr {

/// Return fitters that set every coin of a model to its expected share of heads, in passes over all
/// sessions: expectation maximisation, and counting. If several processes train the model, all must
/// call these, and the results are bit-identical to those of one. Throw ConfigError, with the
/// reason, unless the model is made of independent coins with one logit per entry, and if the loss
/// is a mean over sessions.
std::unique_ptr<Fitter> make_em_fitter(const EmOptions& options, const FitSetting& setting);
std::unique_ptr<Fitter> make_counting_fitter(const CountingOptions& options,
                                             const FitSetting& setting);

}  // namespace ultr
