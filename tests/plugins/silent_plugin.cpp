#include "base/version.h"

/// A plugin without ultr_register.
extern "C" {
[[gnu::visibility("default")]] int ultr_abi_version() { return ultr::abi_version; }
}
