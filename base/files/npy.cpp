#include "base/files/npy.h"

#include <algorithm>
#include <bit>
#include <boost/interprocess/file_mapping.hpp>
#include <boost/interprocess/mapped_region.hpp>
#include <charconv>
#include <limits>
#include <memory>
#include <optional>
#include <string>

#include <fmt/core.h>

#include "base/error.h"
#include "base/files/file.h"
#include "base/files/truncation_guard.h"
#include "base/text/quote.h"

namespace ultr {
namespace {

static_assert(std::endian::native == std::endian::little);

constexpr std::string_view npy_magic("\x93NUMPY\x01\x00", 8);
constexpr std::size_t before_header = npy_magic.size() + 2;
constexpr std::size_t alignment = 64;  // of the data within the file, as NumPy writes it

/// Returns NumPy's name of a type, such as "<f4".
template <class T>
std::string type_code() {
  const char kind = std::is_floating_point_v<T> ? 'f' : std::is_signed_v<T> ? 'i' : 'u';
  return fmt::format("{}{}{}", sizeof(T) == 1 ? '|' : '<', kind, sizeof(T));
}

/// Returns true if elements of NumPy's type `name` are read as T. Truth values are bytes.
template <class T>
bool has_type(std::string_view name) {
  return name == type_code<T>() || (std::is_same_v<T, std::uint8_t> && name == "|b1");
}

struct MappedFile {
  std::string_view bytes;
  std::shared_ptr<const void> owner;  // keeps the bytes mapped
};

/// A mapped file that ends the program if it is truncated.
struct GuardedRegion {
  boost::interprocess::mapped_region region;
  TruncationGuard guard;

  explicit GuardedRegion(const std::filesystem::path& file)
      : region(boost::interprocess::file_mapping(file.c_str(), boost::interprocess::read_only),
               boost::interprocess::read_only),
        guard(file, region.get_address(), region.get_size()) {}
};

MappedFile map_file(const std::filesystem::path& file) {
  std::error_code error;
  const auto size = std::filesystem::file_size(file, error);
  if (!error && size == 0) return {};  // an empty file cannot be mapped
  try {
    const auto mapped = std::make_shared<const GuardedRegion>(file);
    const auto& region = mapped->region;
    return {{static_cast<const char*>(region.get_address()), region.get_size()}, mapped};
  } catch (const boost::interprocess::interprocess_exception&) {
    throw DataError(file.string() + ": cannot be read; expected a .npy file");
  }
}

struct Header {
  std::string_view type;
  std::size_t elements = 1;
  std::size_t dimensions = 0, last = 0;  // number of dimensions; size of the last one
  bool by_columns = false;               // Fortran order
};

/// Removes `token` from the front of `text`. Returns false if `text` does not start with it.
bool take(std::string_view& text, std::string_view token) {
  if (!text.starts_with(token)) return false;
  text.remove_prefix(token.size());
  return true;
}

/// Parses the header dictionary of a .npy file as NumPy writes it. Returns nothing if it is
/// malformed or has more than two dimensions.
std::optional<Header> parse_header(std::string_view text) {
  Header header;
  if (!take(text, "{'descr': '")) return std::nullopt;
  header.type = text.substr(0, text.find('\''));
  text.remove_prefix(header.type.size());
  if (!take(text, "', 'fortran_order': ")) return std::nullopt;
  header.by_columns = take(text, "True");
  if (!header.by_columns && !take(text, "False")) return std::nullopt;
  if (!take(text, ", 'shape': (")) return std::nullopt;
  for (int dimension = 0; !take(text, ")"); ++dimension) {
    std::size_t size = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), size);
    if (error != std::errc() || dimension == 2) return std::nullopt;
    if (size != 0 && header.elements > std::numeric_limits<std::size_t>::max() / size)
      return std::nullopt;
    header.elements *= size;
    header.dimensions = static_cast<std::size_t>(dimension) + 1;
    header.last = size;
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    // "(3,)", "(2, 3)"
    if (!take(text, ", ") && !take(text, ",") && !text.starts_with(")")) return std::nullopt;
  }
  take(text, ",");
  take(text, " ");
  if (!take(text, "}") || text.find_first_not_of(" \n") != std::string_view::npos)
    return std::nullopt;
  return header;
}

/// Removes everything that precedes the data from the front of a file's bytes. Returns nothing, and
/// what was found instead, if it is not such a header.
std::optional<Header> take_header(std::string_view& rest, std::string& found) {
  found = "does not start like .npy 1.0";
  if (rest.size() < before_header || !take(rest, npy_magic)) return std::nullopt;
  const std::size_t length = static_cast<unsigned char>(rest[0]) +
                             static_cast<std::size_t>(static_cast<unsigned char>(rest[1])) * 256;
  rest.remove_prefix(2);
  found = "ends within its header";
  if (rest.size() < length) return std::nullopt;
  found = "has an unexpected header";
  const std::optional<Header> header = parse_header(rest.substr(0, length));
  rest.remove_prefix(length);
  return header;
}

/// Returns everything that precedes the data of a vector or, with `columns` > 0, of a matrix. It is
/// always begin_of_values bytes long, so that it can be overwritten once the length is known.
template <class T>
std::string bytes_before_values(std::size_t values, std::size_t columns) {
  const std::string shape = columns == 0 ? fmt::format("({},)", values)
                                         : fmt::format("({}, {})", values / columns, columns);
  std::string header = fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': {}, }}",
                                   type_code<T>(), shape);
  header.append(alignment - 1 - (before_header + header.size()) % alignment, ' ');
  header += '\n';
  std::string bytes(npy_magic);
  bytes += static_cast<char>(header.size() & 0xff);
  bytes += static_cast<char>(header.size() >> 8);
  return bytes + header;
}

constexpr std::size_t begin_of_values = 2 * alignment;

template <class T>
std::string_view raw_bytes(std::span<const T> values) {
  return {reinterpret_cast<const char*>(values.data()), values.size_bytes()};
}

}  // namespace

template <class T>
void write_npy(const std::filesystem::path& file, std::span<const T> values, std::size_t columns) {
  if (columns != 0 && values.size() % columns != 0)
    throw Error(fmt::format("write_npy: {} values do not fill rows of {}", values.size(), columns));
  write_file(file, {bytes_before_values<T>(values.size(), columns), raw_bytes(values)});
}

template <class T>
NpyStream<T>::NpyStream(const std::filesystem::path& file, std::optional<std::size_t> length,
                        std::size_t columns)
    : file_(file), length_(length), columns_(columns) {
  if (length_ && columns > 0) *length_ *= columns;
  file_.write(bytes_before_values<T>(length_.value_or(0), columns));
}

template <class T>
void NpyStream<T>::append_many(std::span<const T> values) {
  flush();
  if (values.size() <= capacity) return append(values);
  file_.write(raw_bytes(values));
  written_ += values.size();
}

template <class T>
void NpyStream<T>::flush() {
  file_.write(raw_bytes(std::span<const T>(buffer_).first(buffered_)));
  written_ += buffered_;
  buffered_ = 0;
}

template <class T>
void NpyStream<T>::read(std::size_t first, std::span<T> into) {
  flush();
  file_.read(begin_of_values + first * sizeof(T),
             {reinterpret_cast<char*>(into.data()), into.size_bytes()});
}

template <class T>
void NpyStream<T>::overwrite(std::size_t first, std::span<const T> values) {
  flush();
  file_.overwrite(begin_of_values + first * sizeof(T), raw_bytes(values));
}

template <class T>
void NpyStream<T>::finish() {
  flush();
  if (length_ && written_ != *length_)
    throw Error(fmt::format("NpyStream: {} values were appended; expected {}", written_, *length_));
  if (!length_) file_.overwrite(0, bytes_before_values<T>(written_, columns_));
  file_.finish();
}

std::string npy_type(const std::filesystem::path& file) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(file, error)) return "";
  const MappedFile mapped = map_file(file);
  std::string_view rest = mapped.bytes;
  std::string ignored;
  const std::optional<Header> header = take_header(rest, ignored);
  return header ? std::string(header->type) : "";
}

template <class T>
MappedNpy<T> map_npy(const std::filesystem::path& file) {
  const MappedFile mapped = map_file(file);
  std::string_view rest = mapped.bytes;
  const auto fail = [&](const std::string& found) {
    throw DataError(
        fmt::format("{}: {}; expected a .npy file of {}", file.string(), found, type_code<T>()));
  };
  std::string found;
  const std::optional<Header> header = take_header(rest, found);
  if (!header) fail(found);
  if (header->by_columns && header->dimensions == 2)
    fail("is in Fortran order, column by column (np.ascontiguousarray converts it)");
  if (!has_type<T>(header->type)) fail("has elements of type " + quote(header->type, 40));
  if (rest.size() % sizeof(T) != 0 || rest.size() / sizeof(T) != header->elements)
    fail(fmt::format("holds {} bytes of data for {} elements", rest.size(), header->elements));
  MappedNpy<T> array;
  if (header->dimensions == 2) array.columns = header->last;
  if (reinterpret_cast<std::uintptr_t>(rest.data()) % alignof(T) == 0) {
    const std::span values(reinterpret_cast<const T*>(rest.data()), header->elements);
    array.values = Column<T>(values, mapped.owner);
  } else {  // written by another program: NumPy aligns the data
    std::vector<T> values(header->elements);
    std::copy_n(rest.data(), rest.size(), reinterpret_cast<char*>(values.data()));
    array.values = std::move(values);
  }
  return array;
}

template <class T>
Column<T> map_npy_column(const std::filesystem::path& file) {
  std::error_code ignored;
  if (!std::filesystem::exists(file, ignored)) return {};
  MappedNpy<T> array = map_npy<T>(file);
  if (array.columns)
    throw DataError(fmt::format("{}: is a matrix; expected a vector", file.string()));
  return std::move(array.values);
}

template <class T>
std::vector<T> read_npy(const std::filesystem::path& file) {
  const auto values = map_npy<T>(file).values;
  return {values.begin(), values.end()};
}

#define ULTR_COMPILE_FOR(T)                                                               \
  template class NpyStream<T>;                                                            \
  template void write_npy(const std::filesystem::path&, std::span<const T>, std::size_t); \
  template std::vector<T> read_npy(const std::filesystem::path&);                         \
  template MappedNpy<T> map_npy(const std::filesystem::path&);                            \
  template Column<T> map_npy_column(const std::filesystem::path&);
ULTR_COMPILE_FOR(float)
ULTR_COMPILE_FOR(double)
ULTR_COMPILE_FOR(std::int64_t)
ULTR_COMPILE_FOR(std::int32_t)
ULTR_COMPILE_FOR(std::uint64_t)
ULTR_COMPILE_FOR(std::uint32_t)
ULTR_COMPILE_FOR(std::uint16_t)
ULTR_COMPILE_FOR(std::int16_t)
ULTR_COMPILE_FOR(std::uint8_t)
ULTR_COMPILE_FOR(std::int8_t)

}  // namespace ultr
