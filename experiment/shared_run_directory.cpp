#include "experiment/shared_run_directory.h"

#include <optional>

namespace ultr {

RunDirectory make_for_all(Communicator* processes, const std::function<RunDirectory()>& make) {
  std::optional<RunDirectory> folder;
  run_in_all_processes(processes, [&] {
    if (is_first_process(processes)) folder.emplace(make());
  });
  if (processes == nullptr) return std::move(*folder);
  const std::string path = broadcast_from_first(*processes, folder ? folder->path().string() : "");
  return folder ? std::move(*folder) : RunDirectory::of_other_process(path);
}

void create_for_all(RunDirectory& folder, Communicator* processes) {
  run_in_all_processes(processes, [&] { folder.create(); });
  if (processes == nullptr) return;
  const std::string path = broadcast_from_first(*processes, folder.path().string());
  if (!is_first_process(processes)) folder = RunDirectory::of_other_process(path);
}

}  // namespace ultr
