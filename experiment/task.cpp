#include "experiment/task.h"

namespace ultr {

void Task::locate_files(const std::filesystem::path&) {}

}  // namespace ultr
