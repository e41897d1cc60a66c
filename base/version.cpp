#include "base/version.h"

namespace ultr {

std::string version() { return ULTR_VERSION; }

std::string vector_instructions() {
#if defined(__AVX512F__)
  return "AVX-512";
#elif defined(__AVX2__)
  return "AVX2";
#elif defined(__SSE2__)
  return "SSE2";
#else
  return "no vector instructions that are known to ultr";
#endif
}

}  // namespace ultr
