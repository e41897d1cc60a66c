#pragma once

#include <memory>

#include "training/fitter.h"

namespace ultr {

/// The fitter that the options ask for. Throws ConfigError, saying why, if it cannot fit the model
/// on these sessions; nothing has changed then.
std::unique_ptr<Fitter> make_fitter(const FitOptions& options, const FitSetting& setting);

}  // namespace ultr
