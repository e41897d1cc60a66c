#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "experiment/registry.h"

/// Fuzzing: everything that reads bytes from outside is given arbitrary ones. docs/testing.md says
/// how to run it.
namespace ultr::fuzz {

/// Code that reads bytes from outside, to be run on arbitrary ones. `run` returns true if the code
/// accepts them and false if it refuses them. Any exception is a bug.
struct Target {
  std::string name;  // also the folder of its inputs below fuzz/corpus
  std::function<bool(std::string_view bytes)> run;
};

/// Calls `work`. Returns false if it refuses its input by an Error of one line, as it should, and
/// true if it returns. Throws std::logic_error for an Error of any other form.
bool accepts(const std::function<void()>& work);

/// Returns the registry of all built-in types, which targets share.
Registry& registry();

/// One target for each registered format of click logs and of feature lists, one for each other
/// kind of data file.
std::vector<Target> data_targets();
/// Targets for configurations, overrides, studies and their claims.
std::vector<Target> configuration_targets();
/// Targets for the files in a run's folder: checkpoints, models, results.
std::vector<Target> run_targets();

/// All of the above.
std::vector<Target> targets();

}  // namespace ultr::fuzz
