#pragma once

#include <memory>

#include "optim/optimizer.h"
#include "training/fitter.h"

namespace ultr {

/// Returns the fitter for the options. Throws ConfigError, with the reason, if it cannot fit the
/// model on these sessions; nothing has changed then.
std::unique_ptr<Fitter> make_fitter(const FitOptions& options, const FitSetting& setting);

}  // namespace ultr
