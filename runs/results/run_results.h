#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "options/config_tree.h"
#include "options/option_values.h"
#include "training/run_files.h"

namespace ultr {

/// The options that the results of a resolved configuration depend on, except the seed: all but
/// seed, name, output, threads, checkpoint and report.
OptionValues result_options(const ConfigNode& config);

/// The results in the folder of a run.
struct RunResults {
  std::filesystem::path folder;
  std::string name;  // of the experiment
  OptionValues options;
  std::int64_t seed = 0;
  /// The numbers of results.json by their paths: "test.cond_ppl", "test.ranking.ndcg@10"; entries
  /// of lists are counted from 1: "test.ppl_per_rank.3". What is null there is NaN.
  std::map<std::string, double> metrics{};
  std::string failure{};  // why there are no results; empty if there are
};

/// Reads the runs of the given folders. A folder with a config.yaml is a run; one without stands
/// for the runs in it, ordered by name (whole numbers in names by size), of which those that did
/// not finish count as failed. Throws ConfigError if a folder is missing or neither, or a run is
/// given twice; DataError if results.json is damaged, or missing in a run that is given itself and
/// has not failed.
std::vector<RunResults> read_runs(std::span<const std::filesystem::path> folders);

}  // namespace ultr
