#include "data/columns/column_types.h"

#include <string>

#include <fmt/core.h>

#include "base/error.h"
#include "base/files/npy.h"
#include "base/files/npy_integers.h"
#include "base/text/quote.h"
#include "data/log/signals.h"

namespace ultr {

void expect_column_types(const std::filesystem::path& folder, std::span<const ColumnType> columns) {
  constexpr std::size_t most_quoted = 40;
  std::string wrong;
  const auto look_at = [&](const ColumnType& column) {
    const std::filesystem::path file = folder / fmt::format("{}.npy", column.name);
    std::error_code ignored;
    if (!std::filesystem::exists(file, ignored)) return;
    const std::string type = npy_type(file);
    if (type.empty() || (column.is_integer ? is_integer_type(type) : type == "<f4")) return;
    wrong += fmt::format("{}{}.npy has elements of type {}", wrong.empty() ? "" : ", ", column.name,
                         quote(type, most_quoted));
  };
  for (const ColumnType& column : columns) look_at(column);
  for (const Signal signal : all_signals) look_at({type_of(signal).name});
  if (!wrong.empty())
    throw DataError(fmt::format(
        "{}: {}; expected integers, but <f4 (float32) in propensities.npy and features.npy",
        folder.string(), wrong));
}

}  // namespace ultr
