#pragma once

#include <filesystem>
#include <initializer_list>
#include <string_view>

namespace ultr {

/// Writes a file so that a reader sees all of it or what was there before: to a temporary file
/// beside it, which then takes its name. Throws DataError if it cannot be written; nothing is left
/// behind.
void write_file(const std::filesystem::path& file, std::string_view content);
/// Writes the parts of a content one after the other.
void write_file(const std::filesystem::path& file, std::initializer_list<std::string_view> parts);

}  // namespace ultr
