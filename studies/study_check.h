#pragma once

#include <vector>

#include "studies/study.h"

namespace ultr {

/// Throws ConfigError for a name in expectations or figures that the study does not have, an axis
/// that is left open, and, unless its axes are narrowed by overrides, a value that is not run.
void check_study(const Study& study, const std::vector<StudyPoint>& points);

}  // namespace ultr
