#pragma once

#include "commands/built_in_registry.h"

namespace ultr {

/// All of ultr-run: parses the arguments, does what they say and returns the exit code (0 done, 1
/// failed, 2 wrong usage or configuration, 3 missing or wrong data, 4 an expectation of a study
/// failed, 130 or 143 stopped by a signal), after one line on standard error if it is neither 0 nor
/// 4. A program with types of its own adds them to a registry and calls this:
///
///     int main(int argc, char** argv) {
///       ultr::Registry registry = ultr::built_in_registry();
///       registry.add(ultr::model_type<MyModel>("my_model", "What it is."));
///       return ultr::run_program(argc, argv, std::move(registry));
///     }
///
/// `ranks` are the processes that do it together, all with the same arguments; null: this one
/// alone, which under mpirun is wrong usage. Of several, the first alone writes to standard output
/// and tells what is wrong, unless another alone fails: that one then tells it, and ends all.
int run_program(int argc, char** argv, Registry registry = built_in_registry(),
                Communicator* ranks = nullptr);

}  // namespace ultr
