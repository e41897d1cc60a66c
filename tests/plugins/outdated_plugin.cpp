#include <cstdlib>

#include "base/version.h"

/// A plugin that was built for another version of ultr.
extern "C" {
[[gnu::visibility("default")]] int ultr_abi_version() { return ultr::abi_version + 1; }
[[gnu::visibility("default")]] void ultr_register() { std::abort(); }
}
