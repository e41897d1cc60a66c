#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "experiment/registry.h"

namespace ultr {

/// What `ultr-run estimate-bias` is asked to do.
struct BiasCommand {
  std::filesystem::path config;
  std::vector<std::string> overrides;  // "key=value"; no sweeps
  std::vector<std::string> methods;    // of propensity_estimators(); empty: all
  std::size_t pivot = 1;               // rank, from 1
  std::size_t resamples = 200;         // for intervals; 0: none
  std::int64_t passes = 1000;          // of regression_em at most
  std::string output;                  // a new or empty folder; empty: nothing is written
};

/// Estimates position bias from the training sessions that a configuration names; nothing else of
/// it is read. Prints a table and notes and writes, once all is known, propensities_METHOD.csv for
/// each method, position_bias.svg and report.html. Shows progress on a terminal. Throws
/// ConfigError, DataError or another Error (see with_exit_code).
void estimate_bias(const BiasCommand& command, Registry& registry);

}  // namespace ultr
