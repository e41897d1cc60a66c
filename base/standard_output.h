#pragma once

#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/core.h>

namespace ultr {

/// Receives what a program that has no terminal of its own, such as a notebook, shows in place of
/// standard output and progress bars. Calls come from any thread.
class Console {
 public:
  virtual ~Console() = default;
  virtual void print(std::string_view text) noexcept = 0;
  /// Called a few times per second while `done` of `total` units of a work are done. An exception
  /// from it ends the work.
  virtual void progress(const std::string& work, const std::string& unit, std::uint64_t done,
                        std::uint64_t total) = 0;
};

/// Makes the process use a console; null: its standard streams, as at the start. The console must
/// outlive its use.
void use_console(Console* console);
/// Returns the console that the process uses, or null.
Console* console();

/// Writes text to a stream, or to the console if the stream is standard output.
void write_to(std::FILE* out, std::string_view text);
/// Returns true if a stream is a terminal, on which lines can be redrawn.
bool is_terminal(std::FILE* out);

/// Prints formatted text to a stream, as write_to does. A failure, such as a full disk, does not
/// end the work: it stays with the stream, and `flush_standard_output` reports it.
template <class... Arguments>
void print_to(std::FILE* out, fmt::format_string<Arguments...> format, Arguments&&... arguments) {
  write_to(out, fmt::format(format, std::forward<Arguments>(arguments)...));
}

/// Opens the standard descriptors that are closed, so that no file gets their numbers and output
/// that belongs to the user. Writes to an output opened here fail. Best effort.
void open_standard_descriptors();

/// Writes out standard output. Throws DataError if any of it could not be written since the last
/// call.
void flush_standard_output();

}  // namespace ultr
