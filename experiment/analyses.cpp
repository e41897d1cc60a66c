#include "experiment/analyses.h"

namespace ultr {

std::vector<OptionType> analysis_types(const Registry&) { return {}; }

}  // namespace ultr
