#include "kernels/openblas.h"

#include <cstdlib>
#include <filesystem>
#include <sstream>
#include <vector>

#include <dlfcn.h>
#include <fmt/core.h>
#include <link.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/error.h"

namespace ultr {
namespace {

/// Further environment variables, which getenv sees during its lifetime. Unlike setenv, this leaves
/// what other threads may be reading in place, and child processes inherit nothing.
class MoreEnvironment {
 public:
  explicit MoreEnvironment(std::vector<std::string> added)
      : added_(std::move(added)), before_(environ) {
    for (std::string& variable : added_)
      all_.push_back(variable.data());  // found before the others
    for (char** variable = before_; variable != nullptr && *variable != nullptr; ++variable)
      all_.push_back(*variable);
    all_.push_back(nullptr);
    environ = all_.data();
  }
  ~MoreEnvironment() { environ = before_; }
  MoreEnvironment(const MoreEnvironment&) = delete;
  MoreEnvironment& operator=(const MoreEnvironment&) = delete;

 private:
  std::vector<std::string> added_;
  std::vector<char*> all_;
  char** before_;
};

/// Returns OpenBLAS's name of the kernels that fit this processor. Debian's build does not know
/// newer processors by their model numbers and would choose old kernels for them.
std::string fitting_kernels() {
#ifdef __x86_64__
  __builtin_cpu_init();
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512cd") &&
      __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") &&
      __builtin_cpu_supports("avx512vl"))
    return "SkylakeX";
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return "Haswell";
#endif
  return "";
}

/// Returns an error that names what the system's loader found. what() is one line.
Error not_openblas(const std::string& found) {
  return Error(
      fmt::format("matrix products: {}; expected OpenBLAS (Debian: libopenblas0-pthread)", found));
}

/// Opens a library that is loaded once more, as a copy with data of its own. Returns null if the
/// system refuses.
void* open_copy(void* loaded) {
  link_map* original = nullptr;
  if (dlinfo(loaded, RTLD_DI_LINKMAP, &original) != 0) return nullptr;
  const int memory = memfd_create("openblas", MFD_CLOEXEC);
  if (memory < 0) return nullptr;
  // The loader takes a file for one that it knows if its name or its inode is the same.
  const std::string name = fmt::format("/proc/self/fd/{}", memory);
  std::error_code failed;
  std::filesystem::copy_file(original->l_name, name,
                             std::filesystem::copy_options::overwrite_existing, failed);
  void* const copy = failed ? nullptr : dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL);
  close(memory);
  return copy;
}

void* open_library(const std::string& kernels) {
  std::vector<std::string> variables = {"OPENBLAS_NUM_THREADS=1"};
  if (!kernels.empty() && std::getenv("OPENBLAS_CORETYPE") == nullptr)
    variables.push_back("OPENBLAS_CORETYPE=" + kernels);
  const MoreEnvironment environment(std::move(variables));
  for (const char* name : {ULTR_OPENBLAS, "libopenblas.so.0"}) {
    // A host program, such as Python with NumPy, has chosen threads and kernels for itself.
    if (void* const of_host = dlopen(name, RTLD_NOW | RTLD_NOLOAD)) {
      void* const copy = open_copy(of_host);
      return copy != nullptr ? copy : of_host;
    }
    if (void* const library = dlopen(name, RTLD_NOW | RTLD_LOCAL)) return library;
  }
  throw not_openblas(dlerror());
}

/// Returns a function of the library, of the type that its header declares.
template <class Function>
Function* function_in(void* library, const char* name, Function*) {
  if (void* const found = dlsym(library, name)) return reinterpret_cast<Function*>(found);
  throw not_openblas(dlerror());
}

OpenBlas load() {
  OpenBlas loaded{.fitting_kernels = fitting_kernels()};
  void* const library = open_library(loaded.fitting_kernels);
#define ULTR_OPENBLAS_FUNCTION(name) function_in(library, #name, &(name))
  constexpr int openmp = 2;
  if (ULTR_OPENBLAS_FUNCTION(openblas_get_parallel)() == openmp)
    throw not_openblas("libopenblas.so.0 runs on OpenMP");
  // Has an effect only on a host's library, which could not be copied.
  ULTR_OPENBLAS_FUNCTION(openblas_set_num_threads)(1);
  loaded.multiply = ULTR_OPENBLAS_FUNCTION(cblas_sgemm);
  loaded.kernels = ULTR_OPENBLAS_FUNCTION(openblas_get_corename)();
  std::istringstream config(ULTR_OPENBLAS_FUNCTION(openblas_get_config)());
  config >> loaded.version >> loaded.version;  // "OpenBLAS 0.3.21 ..."
#undef ULTR_OPENBLAS_FUNCTION
  return loaded;
}

}  // namespace

const OpenBlas& openblas() {
  static const OpenBlas loaded = load();
  return loaded;
}

}  // namespace ultr
