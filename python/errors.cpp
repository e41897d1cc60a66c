#include "base/error.h"
#include "base/stop_signals.h"
#include "python/bindings.h"
#include "training/diverged.h"

namespace ultr::python {

namespace py = pybind11;

void bind_errors(py::module_& m) {
  // The last registered translator is tried first, so that bases come before what derives from
  // them.
  static const py::exception<Error> error(m, "Error", PyExc_RuntimeError);
  static const py::exception<Diverged> diverged(m, "Diverged", error);
  static const py::exception<DataError> data_error(m, "DataError", PyExc_ValueError);
  py::register_exception_translator([](std::exception_ptr thrown) {
    try {
      if (thrown) std::rethrow_exception(std::move(thrown));
    } catch (const DataError& e) {
      PyErr_SetString(data_error.ptr(), e.what());
    } catch (const ConfigError& e) {
      PyErr_SetString(PyExc_ValueError, e.what());
    } catch (const ShapeError& e) {
      PyErr_SetString(PyExc_ValueError, e.what());
    } catch (const Diverged& e) {
      PyErr_SetString(diverged.ptr(), e.what());
    } catch (const Interrupted& e) {
      PyErr_SetString(PyExc_KeyboardInterrupt, e.what());
    } catch (const Error& e) {
      PyErr_SetString(error.ptr(), e.what());
    }
  });
}

}  // namespace ultr::python
