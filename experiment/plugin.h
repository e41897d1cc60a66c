#pragma once

#include "base/version.h"
#include "experiment/registry.h"

/// The header of plugins. A plugin is a shared object that `ultr-run --plugin FILE` loads, to use
/// types that ultr does not have. It defines one function:
///
///     #include "experiment/plugin.h"
///     void ultr_register(ultr::Registry& registry) {
///       registry.add(ultr::model_type<MyModel>("my_model", "What it is."));
///     }
extern "C" {

/// Defined by the plugin: adds its types. What it throws ends the program with the message.
[[gnu::visibility("default")]] void ultr_register(ultr::Registry& registry);

/// The ABI version that the plugin was compiled for; this header puts it into every plugin.
[[gnu::used, gnu::visibility("default")]] inline int ultr_abi_version() {
  return ultr::abi_version;
}

}  // extern "C"
