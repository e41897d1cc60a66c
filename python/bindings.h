#pragma once

#include <pybind11/pybind11.h>

/// The extension ultr._core: each function adds one part of the library to it.
namespace ultr::python {

/// Adds the exceptions, and turns those of C++ into Python's with the same message.
void bind_errors(pybind11::module_& m);
/// Adds Registry: the types that options may name, their descriptions and checks.
void bind_registry(pybind11::module_& m);
/// Adds ClickLog and the builder of logs from columns.
void bind_click_log(pybind11::module_& m);
/// Adds what stories written in Python are made of.
void bind_stories(pybind11::module_& m);
/// Adds what losses written in Python are made of. The submodule autograd must be there.
void bind_losses(pybind11::module_& m);
/// Adds TrainedModel, training, and reading of data and of runs.
void bind_training(pybind11::module_& m);
/// Adds run_command, which does what a command of ultr-run does.
void bind_commands(pybind11::module_& m);
/// Adds the submodule autograd: tapes, tensors and ops.
void bind_autograd(pybind11::module_& package);
/// Passes the library's messages to Python's module logging, as logger "ultr".
void log_to_python();

}  // namespace ultr::python
