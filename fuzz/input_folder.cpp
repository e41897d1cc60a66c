#include "fuzz/input_folder.h"

#include <algorithm>
#include <atomic>
#include <fstream>
#include <iterator>
#include <stdexcept>

#include <fmt/core.h>
#include <unistd.h>

namespace ultr::fuzz {
namespace fs = std::filesystem;

InputFolder::InputFolder() {
  static std::atomic<int> count = 0;
  const fs::path memory = "/dev/shm";
  const fs::path parent = ::access(memory.c_str(), W_OK) == 0 ? memory : fs::temp_directory_path();
  path_ = parent / fmt::format("ultr-fuzz-{}-{}", ::getpid(), ++count);
  fs::remove_all(path_);  // of a process of the same number that was killed
  fs::create_directories(path_);
}

InputFolder::~InputFolder() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

fs::path InputFolder::write(const fs::path& name, std::string_view bytes) const {
  fs::path file = path_ / name;
  std::ofstream out(file, std::ios::binary | std::ios::trunc);
  if (!out.write(bytes.data(), static_cast<std::streamsize>(bytes.size())).flush())
    throw std::runtime_error(file.string() + ": cannot be written");
  return file;
}

void InputFolder::replace_one(std::string_view input) {
  if (originals_.empty())
    for (const auto& entry : fs::recursive_directory_iterator(path_))
      if (entry.is_regular_file())
        originals_[entry.path().lexically_relative(path_)] = read_bytes(entry.path());
  if (!replaced_.empty()) write(replaced_, originals_.at(replaced_));
  const std::size_t choice = input.empty() ? 0 : static_cast<unsigned char>(input.front());
  replaced_ =
      std::next(originals_.begin(), static_cast<std::ptrdiff_t>(choice % originals_.size()))->first;
  write(replaced_, input.substr(std::min<std::size_t>(1, input.size())));
}

std::string read_bytes(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

}  // namespace ultr::fuzz
