#include "python/logs/number_column.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include "base/text/quote.h"

namespace ultr::python {

namespace py = pybind11;

namespace {

DataError wrong_type(const PythonColumn& column, const char* expected) {
  return DataError(fmt::format("column {}: its type is {}; expected {}", quote(column.name, 60),
                               column.texts                   ? "text"
                               : !column.categories.is_none() ? "categorical"
                                                              : type_of(column.values),
                               expected));
}

}  // namespace

std::vector<double> plain_numbers(const PythonColumn& column) {
  constexpr const char* expected = "a number";
  const Missing missing(column);
  py::array values = contiguous(column.values);
  if (!column.texts && holds_objects(values)) {
    std::vector<double> numbers;
    for (const py::handle value : column.values.attr("tolist")()) {
      const std::size_t row = numbers.size();
      if (missing[row] || value.is_none()) fail_missing(column.name, row, expected);
      if (!PyFloat_Check(value.ptr()) && !PyLong_Check(value.ptr()) && !PyIndex_Check(value.ptr()))
        fail_cell(column.name, row, shown(value), expected);
      numbers.push_back(py::float_(py::reinterpret_borrow<py::object>(value)));
    }
    return numbers;
  }
  if (column.texts || !column.categories.is_none() ||
      std::string("biuf").find(values.dtype().kind()) == std::string::npos)
    throw wrong_type(column, "numbers");
  const py::array_t<double, py::array::c_style | py::array::forcecast> converted(values);
  std::vector<double> numbers(converted.data(), converted.data() + converted.size());
  for (std::size_t row = 0; row < numbers.size(); ++row)
    if (missing[row] || std::isnan(numbers[row])) fail_missing(column.name, row, expected);
  return numbers;
}

std::vector<std::uint16_t> small_numbers(const PythonColumn& column, std::int64_t low,
                                         std::int64_t high, const std::string& expected) {
  const Missing missing(column);
  const py::array values = contiguous(column.values);
  std::vector<std::uint16_t> numbers(static_cast<std::size_t>(values.size()));
  const auto convert = [&](auto cells) {
    for (std::size_t row = 0; row < cells.size(); ++row) {
      if (missing[row]) fail_missing(column.name, row, expected);
      const auto cell = cells[row];
      if (std::cmp_less(cell, low) || std::cmp_greater(cell, high))
        fail_cell(column.name, row, fmt::format("{}", cell), expected);
      numbers[row] = static_cast<std::uint16_t>(+cell);
    }
  };
  if (!column.texts && column.categories.is_none()) {
    if (visit_integers(values, convert)) return numbers;
    if (py::isinstance<py::array_t<bool>>(values)) {
      convert(std::span(static_cast<const std::uint8_t*>(values.data()), numbers.size()));
      return numbers;
    }
  }
  const std::vector<double> any = plain_numbers(column);
  for (std::size_t row = 0; row < any.size(); ++row) {
    if (std::floor(any[row]) != any[row] || any[row] < static_cast<double>(low) ||
        any[row] > static_cast<double>(high))
      fail_cell(column.name, row, fmt::format("{}", any[row]), expected);
    numbers[row] = static_cast<std::uint16_t>(any[row]);
  }
  return numbers;
}

std::vector<std::uint64_t> times_of(const PythonColumn& column) {
  const Missing missing(column);
  std::vector<std::uint64_t> times(column.rows());
  const auto convert = [&]<class T>(std::span<const T> cells) {
    T first = std::numeric_limits<T>::max();
    for (std::size_t row = 0; row < cells.size(); ++row) {
      if (missing[row]) fail_missing(column.name, row, "a time");
      first = std::min(first, cells[row]);
    }
    for (std::size_t row = 0; row < cells.size(); ++row)  // the difference may be above 2^63
      times[row] = static_cast<std::uint64_t>(cells[row]) - static_cast<std::uint64_t>(first);
  };
  if (column.texts || !column.categories.is_none() ||
      !visit_integers(contiguous(column.values), convert))
    throw wrong_type(column, "dates or whole numbers");
  return times;
}

}  // namespace ultr::python
