#include "python/logs/id_column.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "base/error.h"
#include "base/text/quote.h"

namespace ultr::python {
namespace {

namespace py = pybind11;

constexpr const char* an_id = "a whole number or text";

std::string_view text_of(PyObject* value, const std::string& column, std::size_t row) {
  Py_ssize_t size = 0;
  const char* const text = PyUnicode_AsUTF8AndSize(value, &size);
  if (text == nullptr) {
    PyErr_Clear();
    fail_cell(column, row, "the text has half of a surrogate pair", "Unicode");
  }
  if (size == 0) fail_cell(column, row, "the text is empty", an_id);
  return {text, static_cast<std::size_t>(size)};
}

std::uint64_t id_of_text(std::string_view text, IdNames* names) {
  return names != nullptr ? names->add(text) : IdNames::id_of(text);
}

/// Converts the objects of one column. An object that occurs often is most probably converted once.
class ObjectIds {
 public:
  ObjectIds(const std::string& column, IdNames* names) : column_(column), names_(names) {}

  std::uint64_t id_of(PyObject* value, std::size_t row) {
    Known& known = known_[place_of(value)];
    if (known.value != value) known = {value, converted(value, row)};
    return known.id;
  }

 private:
  struct Known {
    PyObject* value = nullptr;
    std::uint64_t id = 0;
  };
  static constexpr int places_log2 = 15;

  static std::size_t place_of(PyObject* value) {
    return (std::bit_cast<std::uint64_t>(value) >> 4) * 0x9E3779B97F4A7C15u >> (64 - places_log2);
  }

  std::uint64_t converted(PyObject* value, std::size_t row) const {
    if (PyUnicode_Check(value)) return id_of_text(text_of(value, column_, row), names_);
    const py::handle object(value);
    if (is_missing(object)) fail_missing(column_, row, an_id);
    if (!PyBool_Check(value) && PyIndex_Check(value)) {
      const auto number = py::reinterpret_steal<py::object>(PyNumber_Index(value));
      if (!number) throw py::error_already_set();
      return id_of_text(text_of(py::str(number).ptr(), column_, row), names_);
    }
    if (PyFloat_Check(value) && std::floor(PyFloat_AS_DOUBLE(value)) == PyFloat_AS_DOUBLE(value) &&
        std::abs(PyFloat_AS_DOUBLE(value)) < 0x1p53)
      return id_of_text(fmt::format("{:.0f}", PyFloat_AS_DOUBLE(value)), names_);
    fail_cell(column_, row, shown(object), an_id);
  }
  static bool is_missing(py::handle value) {
    if (value.is_none()) return true;
    if (PyFloat_Check(value.ptr())) return std::isnan(PyFloat_AS_DOUBLE(value.ptr()));
    const std::string type = Py_TYPE(value.ptr())->tp_name;
    return type.ends_with("NAType") || type.ends_with("NaTType");
  }

  const std::string& column_;
  IdNames* names_;
  std::vector<Known> known_{std::size_t{1} << places_log2};
};

std::vector<std::uint64_t> ids_of_objects(const PythonColumn& column, const py::array& values,
                                          IdNames* names) {
  constexpr std::size_t ahead = 16;
  const std::span objects(static_cast<PyObject* const*>(values.data()),
                          static_cast<std::size_t>(values.size()));
  const Missing missing(column);
  ObjectIds known(column.name, names);
  std::vector<std::uint64_t> ids(objects.size());
  for (std::size_t row = 0; row < objects.size(); ++row) {
    if (row + ahead < objects.size()) __builtin_prefetch(objects[row + ahead]);
    if (missing[row]) fail_missing(column.name, row, an_id);
    ids[row] =
        row > 0 && objects[row] == objects[row - 1] ? ids[row - 1] : known.id_of(objects[row], row);
  }
  return ids;
}

template <class T>
std::vector<std::uint64_t> ids_of_integers(const PythonColumn& column, std::span<const T> values,
                                           IdNames* names) {
  const Missing missing(column);
  std::vector<std::uint64_t> ids(values.size());
  for (std::size_t row = 0; row < values.size(); ++row) {
    if (missing[row]) fail_missing(column.name, row, an_id);
    if constexpr (std::is_signed_v<T>) {
      if (values[row] < 0) {
        ids[row] = id_of_text(fmt::format("{}", values[row]), names);
        continue;
      }
    }
    ids[row] = static_cast<std::uint64_t>(+values[row]);
  }
  return ids;
}

template <class T>
std::vector<std::uint64_t> ids_of_floats(const PythonColumn& column, std::span<const T> values,
                                         IdNames* names) {
  const Missing missing(column);
  std::vector<std::uint64_t> ids(values.size());
  for (std::size_t row = 0; row < values.size(); ++row) {
    const auto value = static_cast<double>(values[row]);
    if (missing[row] || std::isnan(value)) fail_missing(column.name, row, an_id);
    if (std::floor(value) != value || std::abs(value) >= 0x1p53)
      fail_cell(column.name, row, fmt::format("{}", value), an_id);
    ids[row] = value < 0 ? id_of_text(fmt::format("{:.0f}", value), names)
                         : static_cast<std::uint64_t>(value);
  }
  return ids;
}

std::vector<std::uint64_t> ids_of_texts(const PythonColumn& column, IdNames* names) {
  std::vector<std::uint64_t> ids;
  ids.reserve(column.texts->rows());
  std::string_view last;
  for (const ArrowTexts& batch : column.texts->batches)
    for (std::size_t row = 0; row < batch.rows(); ++row) {
      const auto text = batch.at(row);
      if (!text) fail_missing(column.name, ids.size(), an_id);
      if (text->empty()) fail_cell(column.name, ids.size(), "the text is empty", an_id);
      ids.push_back(!ids.empty() && *text == last ? ids.back() : id_of_text(*text, names));
      last = *text;
    }
  return ids;
}

std::vector<std::uint64_t> ids_of_categories(const PythonColumn& column, const py::array& codes,
                                             IdNames* names) {
  const IdColumn categories(column.categories.cast<PythonColumn>(), names);
  const std::span<const std::uint64_t> known = categories.ids();
  std::vector<std::uint64_t> ids(static_cast<std::size_t>(codes.size()));
  visit_integers(codes, [&](auto values) {
    for (std::size_t row = 0; row < values.size(); ++row) {
      const auto code = static_cast<std::int64_t>(+values[row]);
      if (code < 0) fail_missing(column.name, row, an_id);
      ids[row] = known[static_cast<std::size_t>(code)];
    }
  });
  return ids;
}

}  // namespace

IdColumn::IdColumn(const PythonColumn& column, IdNames* names)
    : in_place_(contiguous(column.values)) {
  if (column.texts) {
    converted_ = ids_of_texts(column, names);
    ids_ = converted_;
    return;
  }
  if (!column.categories.is_none()) {
    converted_ = ids_of_categories(column, in_place_, names);
  } else if (holds_objects(in_place_)) {
    converted_ = ids_of_objects(column, in_place_, names);
  } else {
    const bool known =
        visit_integers(
            in_place_,
            [&]<class T>(std::span<const T> values) {
              // A sum of all bits finds a negative number without a branch per row.
              T bits = 0;
              if (sizeof(T) == sizeof(std::uint64_t))
                for (const T value : values) bits = static_cast<T>(bits | value);
              const bool fits = sizeof(T) == sizeof(std::uint64_t) &&
                                (std::is_unsigned_v<T> || static_cast<std::int64_t>(bits) >= 0);
              if (fits && !Missing(column).any())
                ids_ = {static_cast<const std::uint64_t*>(in_place_.data()), values.size()};
              else
                converted_ = ids_of_integers(column, values, names);
            }) ||
        visit_floats(in_place_,
                     [&](auto values) { converted_ = ids_of_floats(column, values, names); });
    if (!known)
      throw DataError(fmt::format("column {}: its type is {}; expected whole numbers or texts",
                                  quote(column.name, 60), type_of(in_place_)));
  }
  if (ids_.empty()) ids_ = converted_;
  if (!column.categories.is_none())
    numbered_ = IdColumn(column.categories.cast<PythonColumn>(), nullptr).is_numbered();
  else
    numbered_ = !holds_objects(in_place_) &&
                std::ranges::none_of(ids_, [](std::uint64_t id) { return id >> 63 != 0; });
}

}  // namespace ultr::python
