#pragma once

#include <string>

namespace ultr {

/// The library's version, "0.1.0".
std::string version();

/// What plugins and the program that loads them must have in common: raised whenever a public class
/// changes its members or its virtual functions.
inline constexpr int abi_version = 7;

}  // namespace ultr
