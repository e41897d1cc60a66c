#pragma once

#include <functional>

#include "distributed/communicator.h"
#include "experiment/run_directory.h"

/// Folders that several processes work on together. `processes` is null if there is only one.
namespace ultr {

/// Returns, in the first process, the folder that `make` returns, and in the others that of another
/// process. If `make` throws, all do.
RunDirectory make_for_all(Communicator* processes, const std::function<RunDirectory()>& make);

/// Creates a folder in the first process. All know its path afterwards. If the first throws, all
/// do.
void create_for_all(RunDirectory& folder, Communicator* processes);

}  // namespace ultr
