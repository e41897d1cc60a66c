#pragma once

#include "options/config_tree.h"
#include "options/fields.h"

namespace ultr {

/// Fills options from a configuration. Fields that it does not mention keep their values. Throws
/// ConfigError, one line with the place, for an unknown key (with the nearest valid name), a wrong
/// type or a value out of range. If an override has replaced the type of a section, keys that go
/// with another type are left out, with a note.
void read_options(const ConfigNode& from, Options& into);

}  // namespace ultr
