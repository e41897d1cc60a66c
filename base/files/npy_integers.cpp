#include "base/files/npy_integers.h"

#include <limits>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include "base/error.h"
#include "base/files/npy.h"

namespace ultr {
namespace {

/// Calls visit(U{}) for the integer type of a file. Returns false if its type is none.
template <class Visit>
bool with_integer_type(const std::string& type, Visit visit) {
  const auto try_type = [&](std::string_view name, auto value) {
    if (type != name) return false;
    visit(value);
    return true;
  };
  return try_type("|b1", std::uint8_t{}) || try_type("|u1", std::uint8_t{}) ||
         try_type("<u2", std::uint16_t{}) || try_type("<u4", std::uint32_t{}) ||
         try_type("<u8", std::uint64_t{}) || try_type("|i1", std::int8_t{}) ||
         try_type("<i2", std::int16_t{}) || try_type("<i4", std::int32_t{}) ||
         try_type("<i8", std::int64_t{});
}

template <class T, class From>
Column<T> converted(const std::filesystem::path& file, const Column<From>& from) {
  if constexpr (std::is_same_v<T, From>) {
    return from;
  } else {
    std::vector<T> values;
    values.reserve(from.size());
    for (std::size_t i = 0; i < from.size(); ++i) {
      if (!std::in_range<T>(from[i]))
        throw DataError(fmt::format("{}: entry {} is {}; expected {} to {}", file.string(), i,
                                    from[i], std::numeric_limits<T>::min(),
                                    std::numeric_limits<T>::max()));
      values.push_back(static_cast<T>(from[i]));
    }
    return values;
  }
}

}  // namespace

bool is_integer_type(const std::string& npy_type) {
  return with_integer_type(npy_type, [](auto) {});
}

template <class T>
Column<T> map_integer_column(const std::filesystem::path& file) {
  Column<T> column;
  std::error_code ignored;
  if (!std::filesystem::exists(file, ignored)) return column;
  const bool is_integer = with_integer_type(npy_type(file), [&](auto value) {
    column = converted<T>(file, map_npy_column<decltype(value)>(file));
  });
  return is_integer ? column : map_npy_column<T>(file);  // which says what is wrong
}

#define ULTR_MAP_INTEGERS(T) template Column<T> map_integer_column(const std::filesystem::path&);
ULTR_MAP_INTEGERS(std::int64_t)
ULTR_MAP_INTEGERS(std::int32_t)
ULTR_MAP_INTEGERS(std::uint64_t)
ULTR_MAP_INTEGERS(std::uint32_t)
ULTR_MAP_INTEGERS(std::uint16_t)
ULTR_MAP_INTEGERS(std::uint8_t)
#undef ULTR_MAP_INTEGERS

}  // namespace ultr
