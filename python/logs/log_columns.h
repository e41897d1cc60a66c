#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <pybind11/numpy.h>

#include "data/log/id_names.h"
#include "python/logs/click_log.h"

namespace ultr::python {

/// Returns a NumPy array that owns the values.
template <class T>
pybind11::array_t<T> array_of(std::vector<T> values) {
  auto* const owned = new std::vector<T>(std::move(values));
  const pybind11::capsule owner(owned,
                                [](void* memory) { delete static_cast<std::vector<T>*>(memory); });
  return pybind11::array_t<T>(static_cast<pybind11::ssize_t>(owned->size()), owned->data(), owner);
}

/// Returns an array of ids: whole numbers if they are `numbered`, else their texts, each of which
/// is one object. Where `rows` has the unknown row, the id is -1 or None.
pybind11::array ids_array(std::span<const std::uint64_t> ids, const IdNames& names, bool numbered,
                          std::span<const std::uint32_t> rows = {});

/// Returns the columns of a log with one row per shown document, by name: list, query, document,
/// position (from 1), click, and the propensity, the signals and the features if it has them. A
/// feature with the name of another column has an underscore before it.
pybind11::dict columns_of(const ClickLog& log);

}  // namespace ultr::python
