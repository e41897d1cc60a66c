#pragma once

#include <climits>
#include <cstdlib>
#include <string>
#include <string_view>

#include <dlfcn.h>
#include <unistd.h>

// Shared by libraries to preload, which stand in front of functions of the C library.

namespace ultr::preload {

/// Returns the function of this name that comes after the one of the library.
template <class Function>
Function* next(const char* name, Function*) {
  return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

/// Returns an environment variable; empty if it is not set.
inline std::string variable(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? "" : value;
}

/// Returns the path of an open file; empty if it has none.
inline std::string path_of(int file) {
  char path[PATH_MAX];
  const std::string link = "/proc/self/fd/" + std::to_string(file);
  const ssize_t length = file < 0 ? -1 : readlink(link.c_str(), path, sizeof path);
  return length < 0 ? "" : std::string(path, static_cast<std::size_t>(length));
}

/// Returns a path from the root; empty if the working folder has none.
inline std::string absolute(std::string_view path) {
  if (path.starts_with("/")) return std::string(path);
  char folder[PATH_MAX];
  if (getcwd(folder, sizeof folder) == nullptr) return "";
  return std::string(folder) + "/" + std::string(path);
}

}  // namespace ultr::preload
