#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include <pybind11/numpy.h>

#include "base/error.h"
#include "python/logs/arrow_stream.h"

namespace ultr::python {

/// A column of a table as Python hands it over.
struct PythonColumn {
  std::string name;             // of the column, for messages
  pybind11::array values;       // numbers, objects, or codes of categories
  pybind11::object missing;     // None, or an array that is true where a value is missing
  pybind11::object categories;  // None, or the PythonColumn of the values that codes stand for
  std::shared_ptr<const TextColumn> texts{};  // in place of values, or null

  std::size_t rows() const {
    return texts ? texts->rows() : static_cast<std::size_t>(values.size());
  }
};

/// Returns a DataError: "column 'query', row 3: ...".
DataError wrong_cell(const std::string& column, std::size_t row, const std::string& message);
/// Throws the DataError of a missing value.
[[noreturn]] void fail_missing(const std::string& column, std::size_t row,
                               const std::string& expected);
/// Throws the DataError of a value; `shown` says what it is.
[[noreturn]] void fail_cell(const std::string& column, std::size_t row, const std::string& shown,
                            const std::string& expected);
/// Describes a value for messages.
std::string shown(pybind11::handle value);
/// Returns the name of the type of the elements of an array.
std::string type_of(const pybind11::array& values);
bool holds_objects(const pybind11::array& values);
/// Returns an array with its elements side by side, which may be the same.
pybind11::array contiguous(const pybind11::array& values);

/// The rows of a column that are missing.
class Missing {
 public:
  explicit Missing(const PythonColumn& column) {
    if (column.missing.is_none()) return;
    flags_ = pybind11::array_t<bool, pybind11::array::c_style | pybind11::array::forcecast>(
        column.missing);
    values_ = {flags_->data(), static_cast<std::size_t>(flags_->size())};
  }
  bool any() const { return !values_.empty(); }
  bool operator[](std::size_t row) const { return !values_.empty() && values_[row]; }

 private:
  std::optional<pybind11::array_t<bool, pybind11::array::c_style | pybind11::array::forcecast>>
      flags_;
  std::span<const bool> values_;
};

/// Calls visit(values of type T) for the element type of a contiguous array of numbers. Returns
/// false for other arrays.
template <class Visit, class... T>
bool visit_types(const pybind11::array& values, const Visit& visit) {
  const auto try_type = [&]<class One>(const One*) {
    if (!pybind11::isinstance<pybind11::array_t<One>>(values)) return false;
    visit(std::span<const One>(static_cast<const One*>(values.data()),
                               static_cast<std::size_t>(values.size())));
    return true;
  };
  return (try_type(static_cast<const T*>(nullptr)) || ...);
}
template <class Visit>
bool visit_integers(const pybind11::array& values, const Visit& visit) {
  return visit_types<Visit, std::int64_t, std::uint64_t, std::int32_t, std::uint32_t, std::int16_t,
                     std::uint16_t, std::int8_t, std::uint8_t>(values, visit);
}
template <class Visit>
bool visit_floats(const pybind11::array& values, const Visit& visit) {
  return visit_types<Visit, double, float>(values, visit);
}

}  // namespace ultr::python
