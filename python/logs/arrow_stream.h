#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <pybind11/numpy.h>

/// Tables of other libraries (polars, pyarrow, DuckDB) through Arrow's C stream interface, which
/// needs none of them: https://arrow.apache.org/docs/format/CStreamInterface.html
namespace ultr::python {

/// Texts of one batch of a table, where Arrow has them.
struct ArrowTexts {
  enum class Kind : std::uint8_t { offsets32, offsets64, views };

  Kind kind = Kind::offsets32;
  std::size_t offset = 0, size = 0;
  const std::uint8_t* valid =
      nullptr;                      // a bit per row from the start of the buffer, or null: all are
  const void* places = nullptr;     // offsets or views, as the kind says
  std::vector<const char*> data{};  // the texts; several buffers for views
  /// For texts by code: the code of each row; the members above are then those of the texts that
  /// codes stand for.
  std::vector<std::int64_t> codes{};  // -1: missing

  std::size_t rows() const { return codes.empty() ? size : codes.size(); }
  /// Returns the text of a row; nothing if it is missing.
  std::optional<std::string_view> at(std::size_t row) const;
};

/// The texts of a column, batch by batch, with what keeps them alive.
struct TextColumn {
  std::vector<ArrowTexts> batches{};
  std::shared_ptr<void> owner{};

  std::size_t rows() const;
};

/// A column of a table: numbers with the rows that are missing, or texts.
struct ArrowColumn {
  std::string name;
  pybind11::object values = pybind11::none();   // an array of numbers
  pybind11::object missing = pybind11::none();  // an array of booleans
  std::shared_ptr<const TextColumn> texts{};    // if it has texts
};

/// Reads columns of an object with `__arrow_c_stream__`, in the order of `names`. Numbers are
/// copied, texts are not. Throws DataError if a column is missing, or of a type that is neither
/// numbers nor texts. Needs the GIL.
std::vector<ArrowColumn> read_arrow(pybind11::handle table, const std::vector<std::string>& names);

}  // namespace ultr::python
