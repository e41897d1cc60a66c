#include "python/logs/arrow_stream.h"

#include <algorithm>
#include <cstring>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/error.h"
#include "base/text/quote.h"

/// Arrow's structs, whose layout its specification fixes.
extern "C" {
struct ArrowSchema {
  const char *format, *name, *metadata;
  std::int64_t flags, n_children;
  ArrowSchema **children, *dictionary;
  void (*release)(ArrowSchema*);
  void* private_data;
};
struct ArrowArray {
  std::int64_t length, null_count, offset, n_buffers, n_children;
  const void** buffers;
  ArrowArray **children, *dictionary;
  void (*release)(ArrowArray*);
  void* private_data;
};
struct ArrowArrayStream {
  int (*get_schema)(ArrowArrayStream*, ArrowSchema*);
  int (*get_next)(ArrowArrayStream*, ArrowArray*);
  const char* (*get_last_error)(ArrowArrayStream*);
  void (*release)(ArrowArrayStream*);
  void* private_data;
};
}

namespace ultr::python {
namespace {

namespace py = pybind11;

/// An Arrow struct that releases what it refers to.
template <class T>
struct Owned : T {
  Owned() : T{} {}
  Owned(const Owned&) = delete;
  Owned& operator=(const Owned&) = delete;
  ~Owned() {
    if (this->release != nullptr) this->release(this);
  }
};

/// All batches of a table and their schema.
struct Table {
  Owned<ArrowSchema> schema;
  std::vector<std::unique_ptr<Owned<ArrowArray>>> batches;
};

void expect_success(int code, ArrowArrayStream& stream) {
  if (code == 0) return;
  const char* const why = stream.get_last_error(&stream);
  throw DataError(fmt::format("the table cannot be read: {}",
                              quote(why == nullptr ? "unknown error" : why, 200)));
}

bool bit(const std::uint8_t* bits, std::size_t i) { return (bits[i / 8] >> (i % 8) & 1) != 0; }

const std::uint8_t* validity(const ArrowArray& array) {
  return array.null_count == 0 ? nullptr : static_cast<const std::uint8_t*>(array.buffers[0]);
}

void expect_rows(const ArrowArray& batch) {
  const std::uint8_t* const valid = validity(batch);
  if (valid == nullptr) return;
  for (std::int64_t i = 0; i < batch.length; ++i)
    if (!bit(valid, static_cast<std::size_t>(batch.offset + i)))
      throw DataError("a row of the table is missing as a whole; expected a value per column");
}

std::shared_ptr<Table> read_table(py::handle source) {
  const py::capsule capsule = source.attr("__arrow_c_stream__")();
  auto* const stream =
      static_cast<ArrowArrayStream*>(PyCapsule_GetPointer(capsule.ptr(), "arrow_array_stream"));
  if (stream == nullptr) throw py::error_already_set();
  auto table = std::make_shared<Table>();
  expect_success(stream->get_schema(stream, &table->schema), *stream);
  if (std::string_view(table->schema.format) != "+s")
    throw DataError(fmt::format("the Arrow type of the table is {}; expected a struct",
                                quote(table->schema.format, 60)));
  while (true) {
    auto batch = std::make_unique<Owned<ArrowArray>>();
    expect_success(stream->get_next(stream, batch.get()), *stream);
    if (batch->release == nullptr) return table;
    expect_rows(*batch);
    table->batches.push_back(std::move(batch));
  }
}

/// Calls visit(values of an element type) for a format of numbers. Returns false for other formats.
template <class Visit>
bool visit_numbers(std::string_view format, const Visit& visit) {
  if (format == "c") return visit(std::int8_t{}), true;
  if (format == "C") return visit(std::uint8_t{}), true;
  if (format == "s") return visit(std::int16_t{}), true;
  if (format == "S") return visit(std::uint16_t{}), true;
  if (format == "i" || format == "tdD") return visit(std::int32_t{}), true;
  if (format == "I") return visit(std::uint32_t{}), true;
  if (format == "l" || format.starts_with("ts") || format == "tdm")
    return visit(std::int64_t{}), true;
  if (format == "L") return visit(std::uint64_t{}), true;
  if (format == "f") return visit(float{}), true;
  if (format == "g") return visit(double{}), true;
  return false;
}

using Arrays = std::vector<ArrowArray>;  // of a column, batch by batch

std::size_t rows_of(const Arrays& arrays) {
  std::size_t rows = 0;
  for (const ArrowArray& array : arrays) rows += static_cast<std::size_t>(array.length);
  return rows;
}

py::object missing_rows(const Arrays& arrays) {
  if (std::ranges::all_of(arrays,
                          [](const ArrowArray& array) { return validity(array) == nullptr; }))
    return py::none();
  py::array_t<bool> missing(static_cast<py::ssize_t>(rows_of(arrays)));
  bool* flag = missing.mutable_data();
  for (const ArrowArray& array : arrays)
    for (std::int64_t i = array.offset; i < array.offset + array.length; ++i)
      *flag++ = validity(array) != nullptr && !bit(validity(array), static_cast<std::size_t>(i));
  return missing;
}

template <class T>
py::array copied(const Arrays& arrays) {
  py::array_t<T> values(static_cast<py::ssize_t>(rows_of(arrays)));
  T* to = values.mutable_data();
  for (const ArrowArray& array : arrays) {
    if (array.length == 0) continue;
    std::memcpy(to, static_cast<const T*>(array.buffers[1]) + array.offset,
                static_cast<std::size_t>(array.length) * sizeof(T));
    to += array.length;
  }
  return values;
}

py::array booleans(const Arrays& arrays) {
  py::array_t<bool> values(static_cast<py::ssize_t>(rows_of(arrays)));
  bool* to = values.mutable_data();
  for (const ArrowArray& array : arrays)
    for (std::int64_t i = array.offset; i < array.offset + array.length; ++i)
      *to++ = bit(static_cast<const std::uint8_t*>(array.buffers[1]), static_cast<std::size_t>(i));
  return values;
}

/// Returns how arrays of a format hold texts; nothing if they hold none.
std::optional<ArrowTexts::Kind> text_kind(std::string_view format) {
  if (format == "u") return ArrowTexts::Kind::offsets32;
  if (format == "U") return ArrowTexts::Kind::offsets64;
  if (format == "vu") return ArrowTexts::Kind::views;
  return std::nullopt;
}

ArrowTexts texts_of(const ArrowArray& array, ArrowTexts::Kind kind) {
  ArrowTexts texts{.kind = kind,
                   .offset = static_cast<std::size_t>(array.offset),
                   .size = static_cast<std::size_t>(array.length),
                   .valid = validity(array),
                   .places = array.buffers[1]};
  for (std::int64_t i = 2; i < array.n_buffers; ++i)
    texts.data.push_back(static_cast<const char*>(array.buffers[i]));
  return texts;
}

std::vector<std::int64_t> codes_of(const ArrowArray& array, std::string_view format) {
  std::vector<std::int64_t> codes;
  const bool known = visit_numbers(format, [&]<class T>(T) {
    const T* const values = static_cast<const T*>(array.buffers[1]);
    for (std::int64_t i = array.offset; i < array.offset + array.length; ++i)
      codes.push_back(validity(array) != nullptr &&
                              !bit(validity(array), static_cast<std::size_t>(i))
                          ? -1
                          : static_cast<std::int64_t>(values[i]));
  });
  if (!known) codes.clear();
  return codes;
}

ArrowColumn column_of(const std::shared_ptr<Table>& table, const ArrowSchema& schema,
                      const Arrays& arrays) {
  ArrowColumn column{.name = schema.name};
  const bool by_code = schema.dictionary != nullptr;
  const std::string_view format = by_code ? schema.dictionary->format : schema.format;
  const auto copy = [&]<class T>(T) { column.values = copied<T>(arrays); };
  if (const auto kind = text_kind(format)) {
    TextColumn texts{.owner = table};
    for (const ArrowArray& array : arrays) {
      if (array.length == 0) continue;
      texts.batches.push_back(texts_of(by_code ? *array.dictionary : array, *kind));
      if (by_code) texts.batches.back().codes = codes_of(array, schema.format);
    }
    if (texts.rows() == rows_of(arrays)) {
      column.texts = std::make_shared<const TextColumn>(std::move(texts));
      return column;
    }
  } else if (!by_code && format == "n") {  // has no buffers: all values are missing
    const auto numpy = py::module_::import("numpy");
    column.values = numpy.attr("zeros")(rows_of(arrays), "int64");
    column.missing = numpy.attr("ones")(rows_of(arrays), "bool");
    return column;
  } else if (!by_code && (format == "b" || visit_numbers(format, copy))) {
    if (format == "b") column.values = booleans(arrays);
    column.missing = missing_rows(arrays);
    return column;
  }
  throw DataError(fmt::format("column {}: its Arrow type is {}; expected numbers or texts",
                              quote(column.name, 60), quote(format, 60)));
}

}  // namespace

std::optional<std::string_view> ArrowTexts::at(std::size_t row) const {
  std::size_t place = row;
  if (!codes.empty()) {
    if (codes[row] < 0) return std::nullopt;
    place = static_cast<std::size_t>(codes[row]);
  }
  place += offset;
  if (valid != nullptr && !bit(valid, place)) return std::nullopt;
  if (kind == Kind::views) {
    struct View {
      std::int32_t length;
      char start[4];
      std::int32_t buffer, offset;
    };
    constexpr std::size_t inlined = 12;
    const View& view = static_cast<const View*>(places)[place];
    const auto length = static_cast<std::size_t>(view.length);
    return std::string_view(length <= inlined
                                ? reinterpret_cast<const char*>(&view) + sizeof view.length
                                : data[static_cast<std::size_t>(view.buffer)] + view.offset,
                            length);
  }
  const auto text = [&](const auto* offsets) {
    return std::string_view(data[0] + offsets[place],
                            static_cast<std::size_t>(offsets[place + 1] - offsets[place]));
  };
  return kind == Kind::offsets32 ? text(static_cast<const std::int32_t*>(places))
                                 : text(static_cast<const std::int64_t*>(places));
}

std::size_t TextColumn::rows() const {
  std::size_t rows = 0;
  for (const ArrowTexts& batch : batches) rows += batch.rows();
  return rows;
}

std::vector<ArrowColumn> read_arrow(py::handle source, const std::vector<std::string>& names) {
  const std::shared_ptr<Table> table = read_table(source);
  const std::span fields(table->schema.children,
                         static_cast<std::size_t>(table->schema.n_children));
  std::vector<ArrowColumn> columns;
  for (const std::string& name : names) {
    const auto found =
        std::ranges::find_if(fields, [&](const ArrowSchema* field) { return name == field->name; });
    if (found == fields.end()) {
      std::vector<std::string_view> known;
      for (const ArrowSchema* field : fields) known.emplace_back(field->name);
      throw DataError(fmt::format("{} is no column of the table; expected one of {}",
                                  quote(name, 60), fmt::join(known, ", ")));
    }
    Arrays arrays;
    for (const auto& batch : table->batches) {
      ArrowArray& rows = arrays.emplace_back(*batch->children[found - fields.begin()]);
      rows.offset += batch->offset;
      rows.length = batch->length;
    }
    columns.push_back(column_of(table, **found, arrays));
  }
  return columns;
}

}  // namespace ultr::python
