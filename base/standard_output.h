#pragma once

#include <cstdio>
#include <string>
#include <utility>

#include <fmt/core.h>

namespace ultr {

/// Prints formatted text to a stream. A failure, such as a full disk, does not end the work: it
/// stays with the stream, and `flush_standard_output` reports it.
template <class... Arguments>
void print_to(std::FILE* out, fmt::format_string<Arguments...> format, Arguments&&... arguments) {
  const std::string text = fmt::format(format, std::forward<Arguments>(arguments)...);
  std::fwrite(text.data(), 1, text.size(), out);
}

/// Opens the standard descriptors that are closed, so that no file gets their numbers and output
/// that belongs to the user. Writes to an output opened here fail. Best effort.
void open_standard_descriptors();

/// Writes out standard output. Throws DataError if any of it could not be written since the last
/// call.
void flush_standard_output();

}  // namespace ultr
