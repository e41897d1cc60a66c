#pragma once

#include <filesystem>
#include <string_view>

namespace ultr {

/// Appends text to a file that exists. If not all of it can be written, the file is left as it was.
/// A program that is killed meanwhile may leave the beginning of the text. Throws DataError if the
/// system refuses.
void append_to_file(const std::filesystem::path& file, std::string_view text);

}  // namespace ultr
