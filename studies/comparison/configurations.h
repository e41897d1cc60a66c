#pragma once

#include <span>
#include <string>
#include <vector>

#include "runs/results/run_results.h"

namespace ultr {

/// Runs that differ in their seed only.
struct Configuration {
  std::string name;                 // "model.type=pbm optimizer.lr=0.01"
  std::vector<std::string> values;  // of the keys below; "-" where it has no such option
  std::vector<std::size_t> runs;    // their numbers
};

struct Configurations {
  std::vector<std::string> keys;    // dotted names of the options that tell them apart
  std::vector<Configuration> each;  // in the order in which runs show them
};

/// Groups runs into configurations and finds what tells these apart. Of options that some
/// configurations lack, such as those of one type of model, only those are keys without which two
/// configurations would look the same. A single configuration has the name of its experiment.
/// Throws ConfigError if two runs of one configuration have the same seed.
Configurations group_runs(std::span<const RunResults> runs);

/// Returns the number of the configuration with this name, or of the run in this folder. Throws
/// ConfigError if there is none.
std::size_t find_configuration(const Configurations& configurations,
                               std::span<const RunResults> runs, const std::string& name_or_folder);

}  // namespace ultr
