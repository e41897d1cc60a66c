#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <pybind11/numpy.h>

#include "data/log/id_names.h"
#include "python/logs/python_column.h"

namespace ultr::python {

/// Ids, one per row, of a column of whole numbers or texts: those of IdNames. Non-negative numbers
/// of 64 bits are used where they are.
class IdColumn {
 public:
  /// Converts a column. Texts are added to `names`, unless it is null. Throws DataError, with the
  /// column and the row, for a missing value or one that is neither text nor a whole number. Needs
  /// the GIL.
  IdColumn(const PythonColumn& column, IdNames* names);

  std::span<const std::uint64_t> ids() const { return ids_; }
  /// True if all values are whole numbers from 0 up, false if some are texts.
  bool is_numbered() const { return numbered_; }

 private:
  pybind11::array in_place_;
  std::vector<std::uint64_t> converted_;
  std::span<const std::uint64_t> ids_;
  bool numbered_ = false;
};

}  // namespace ultr::python
