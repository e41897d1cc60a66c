#pragma once

#include <string>

namespace ultr {

/// Returns the version of the library, such as "0.1.0".
std::string version();

/// Returns which of the processor's vector instructions this library uses, such as "AVX-512". Of a
/// portable build, the system's loader takes the library that uses the most of those that the
/// processor has.
std::string vector_instructions();

/// Version of the binary interface that plugins and the program that loads them must share. Raised
/// whenever a public class changes its members or its virtual functions.
inline constexpr int abi_version = 34;

}  // namespace ultr
