#include "python/logs/python_column.h"

#include <fmt/format.h>

#include "base/text/quote.h"

namespace ultr::python {

namespace py = pybind11;

DataError wrong_cell(const std::string& column, std::size_t row, const std::string& message) {
  return DataError(fmt::format("column {}, row {}: {}", quote(column, 60), row, message));
}

void fail_missing(const std::string& column, std::size_t row, const std::string& expected) {
  throw wrong_cell(column, row, fmt::format("the value is missing; expected {}", expected));
}

void fail_cell(const std::string& column, std::size_t row, const std::string& shown,
               const std::string& expected) {
  throw wrong_cell(column, row, fmt::format("{}; expected {}", shown, expected));
}

std::string shown(py::handle value) {
  constexpr std::size_t most = 60;
  const std::string text = quote(py::str(value).cast<std::string>(), most);
  return py::isinstance<py::str>(value)
             ? text
             : fmt::format("a {} {}", Py_TYPE(value.ptr())->tp_name, text);
}

std::string type_of(const py::array& values) { return py::str(values.dtype()).cast<std::string>(); }

bool holds_objects(const py::array& values) { return values.dtype().kind() == 'O'; }

py::array contiguous(const py::array& values) {
  return py::array::ensure(values, py::array::c_style);
}

}  // namespace ultr::python
