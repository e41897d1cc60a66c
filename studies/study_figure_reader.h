#pragma once

#include <vector>

#include "studies/study.h"

namespace ultr {

/// Reads the list of figures of a study whose grid and measures are read. Throws ConfigError (file,
/// line, column) for a wrong form, an axis or a value that the study does not have, and an axis
/// that a figure neither shows nor fixes.
std::vector<StudyFigure> read_study_figures(const ConfigNode& node, const Study& study);

}  // namespace ultr
