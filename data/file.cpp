#include "data/file.h"

#include <cerrno>
#include <cstring>
#include <fstream>

#include <fmt/core.h>

#include "data/error.h"

namespace ultr {

void write_file(const std::filesystem::path& file, std::string_view content) {
  write_file(file, {content});
}

void write_file(const std::filesystem::path& file, std::initializer_list<std::string_view> parts) {
  std::filesystem::path temporary = file;
  temporary += ".part";
  const auto fail = [&](const std::string& reason) {
    throw DataError(fmt::format("{}: cannot be written ({})", file.string(), reason));
  };
  errno = 0;
  std::ofstream stream(temporary, std::ios::binary);
  if (!stream) fail(std::strerror(errno));
  for (const std::string_view part : parts)
    stream.write(part.data(), static_cast<std::streamsize>(part.size()));
  stream.close();
  std::string reason = stream ? "" : std::strerror(errno);
  std::error_code error, ignored;
  if (reason.empty()) std::filesystem::rename(temporary, file, error);
  if (error) reason = error.message();
  if (reason.empty()) return;
  std::filesystem::remove(temporary, ignored);
  fail(reason);
}

}  // namespace ultr
