#include <pybind11/pybind11.h>

#include "base/version.h"
#include "python/bindings.h"

namespace ultr::python {

PYBIND11_MODULE(_core, m) {
  m.doc() = "The library ultr; the package ultr is its interface.";
  m.attr("__version__") = version();
  bind_errors(m);
  bind_registry(m);
  bind_click_log(m);
  bind_stories(m);
  bind_training(m);
  bind_commands(m);
  bind_autograd(m);
  bind_losses(m);
  log_to_python();
}

}  // namespace ultr::python
