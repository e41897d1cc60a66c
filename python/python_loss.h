#pragma once

#include <string>

#include <pybind11/pybind11.h>

#include "dsl/model_options.h"

namespace ultr::python {

/// Returns the type of a ranking loss that is a Python class (ultr/_stories.py). Making it calls
/// the class method `_bind` with a PythonBuilder, which returns an object whose method `loss` gets
/// the lists and returns a tensor. It is called when a program is recorded, not when one runs;
/// exceptions from it are passed on.
ModelType python_loss_type(std::string name, std::string help, pybind11::object loss_class);

}  // namespace ultr::python
