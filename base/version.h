#pragma once

#include <string>

namespace ultr {

/// Returns the version of the library, such as "0.1.0".
std::string version();

/// Version of the binary interface that plugins and the program that loads them must share. Raised
/// whenever a public class changes its members or its virtual functions.
inline constexpr int abi_version = 17;

}  // namespace ultr
