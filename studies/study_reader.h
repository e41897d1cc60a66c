#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "studies/study.h"

namespace ultr {

/// Reads a study. Overrides are "axis=value,value", "variant=name,name", "output=folder", and
/// "key=value" with dotted keys of the experiment's options. Throws ConfigError (file, line,
/// column) for what is wrong in it except in the experiment's options, which are read when its runs
/// are planned. Names in expectations and figures are checked by check_study.
Study read_study(const std::filesystem::path& file, const std::vector<std::string>& overrides);

}  // namespace ultr
