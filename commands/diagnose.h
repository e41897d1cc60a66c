#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "experiment/registry.h"

namespace ultr {

/// What `ultr-run diagnose` is asked to do.
struct DiagnoseCommand {
  std::filesystem::path config;
  std::vector<std::string> overrides;  // "key=value"; no sweeps
  std::filesystem::path run;           // whose residuals are taken; empty: a model is fitted
  std::size_t sample = 50000;          // see DiagnosisOptions
  std::string output;                  // a new or empty folder; empty: nothing is written
};

/// Says whether the training sessions that a configuration names tell position bias from relevance;
/// nothing else of it is read. Prints a table, what is known of the log, a verdict, its reasons and
/// advice and writes, once all is known, diagnosis.json, report.html, rank_graph.svg, residuals.svg
/// and, with features, feature_overlap.svg. Throws ConfigError, DataError or another Error (see
/// with_exit_code).
void diagnose(const DiagnoseCommand& command, Registry& registry);

}  // namespace ultr
