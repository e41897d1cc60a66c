#pragma once

#include "commands/built_in_registry.h"
#include "commands/command_table.h"

namespace ultr {

/// Runs ultr-run: parses the arguments, does what they say and returns the exit code. Exit codes
/// are 0 (done), 1 (failed), 2 (wrong usage or configuration), 3 (missing or wrong data), 4 (an
/// expectation of a study failed) and 129, 130 or 143 (stopped by a signal). Unless the exit code
/// is 0 or 4, one line on standard error says why. A program with types of its own adds them to a
/// registry and calls this:
///
///     int main(int argc, char** argv) {
///       ultr::Registry registry = ultr::built_in_registry();
///       registry.add(ultr::model_type<MyModel>("my_model", "What it is."));
///       return ultr::run_program(argc, argv, std::move(registry));
///     }
///
/// `processes` are the processes that do it together, all with the same arguments. Null means this
/// process alone, which under mpirun is wrong usage. Of several processes only the first writes to
/// standard output and reports errors. If another one fails alone, it reports the error itself and
/// ends all.
int run_program(int argc, char** argv, Registry registry = built_in_registry(),
                Communicator* processes = nullptr,
                const std::vector<Command>& commands = command_table());

}  // namespace ultr
