#include "experiment/analysis.h"

namespace ultr {

void Analysis::locate_files(const std::filesystem::path&) {}

}  // namespace ultr
