#pragma once

#include <functional>

#include "distributed/communicator.h"

namespace ultr {

/// Runs work that cannot be divided in the first process, while the others wait for it. Returns its
/// exit code in all of them; if it fails, all throw, as run_in_all_processes does.
int run_in_first_process(Communicator* processes, const std::function<int()>& work);

}  // namespace ultr
