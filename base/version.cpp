#include "base/version.h"

namespace ultr {

std::string version() { return ULTR_VERSION; }

}  // namespace ultr
