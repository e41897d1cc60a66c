#pragma once

#include <filesystem>
#include <span>
#include <string_view>

namespace ultr {

/// The type of a column's file.
struct ColumnType {
  std::string_view name;   // "clicks", of clicks.npy
  bool is_integer = true;  // any integer type; else float32
};

/// Throws a DataError that names every file of a folder with another type than its column has, one
/// of these or a signal's.
/// Files that are missing or no .npy files are passed over.
void expect_column_types(const std::filesystem::path& folder, std::span<const ColumnType> columns);

}  // namespace ultr
