#pragma once

#include <string>

namespace ultr {

/// The library's version, "0.1.0".
std::string version();

}  // namespace ultr
