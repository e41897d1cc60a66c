#pragma once

#include <string>

#include <pybind11/pybind11.h>

#include "options/config_tree.h"

namespace ultr::python {

/// Returns the configuration that a Python value stands for: None, a bool, a number (NumPy's too),
/// a str or path, a list or tuple, or a dict with str keys. `where` names its place in messages.
/// Throws ConfigError for other values.
ConfigNode config_of(pybind11::handle value, const std::string& where);

}  // namespace ultr::python
