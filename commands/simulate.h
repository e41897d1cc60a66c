#pragma once

#include <string>
#include <vector>

#include "experiment/registry.h"

namespace ultr {

/// What `ultr-run simulate` is asked to do.
struct SimulateCommand {
  std::string config;                  // whose data are simulated
  std::vector<std::string> overrides;  // "key=value"; no sweeps
  std::string output;                  // a new folder
};

/// Writes the sessions that a configuration simulates as folders of .npy columns
/// (data/columns/columns.h): train, valid and test below `output`, as far as there are any, all or
/// nothing. Memory does not grow with the sessions, and no byte depends on the number of threads.
/// Shows progress on a terminal, and a summary on standard output. Throws ConfigError for a wrong
/// configuration, or one that simulates nothing, DataError if the output is there already or cannot
/// be written.
void simulate(const SimulateCommand& command, Registry& registry);

}  // namespace ultr
