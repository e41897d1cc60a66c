#include "data/file.h"

#include <cerrno>
#include <cstring>
#include <fstream>

#include <fmt/core.h>

#include "data/error.h"

namespace ultr {

void write_file(const std::filesystem::path& file, std::string_view content) {
  std::filesystem::path temporary = file;
  temporary += ".part";
  const auto fail = [&](const std::string& reason) {
    std::error_code ignored;
    std::filesystem::remove(temporary, ignored);
    throw DataError(fmt::format("{}: cannot be written ({})", file.string(), reason));
  };
  errno = 0;
  std::ofstream stream(temporary, std::ios::binary);
  stream.write(content.data(), static_cast<std::streamsize>(content.size()));
  stream.close();
  if (!stream) fail(std::strerror(errno));
  std::error_code error;
  std::filesystem::rename(temporary, file, error);
  if (error) fail(error.message());
}

}  // namespace ultr
