#pragma once

namespace ultr {

/// In a run's folder: its resolved configuration, and what only a finished run has.
inline constexpr const char *config_file = "config.yaml", *results_file = "results.json";
/// The file in which a run of a sweep says why it failed.
inline constexpr const char* failure_file = "failed.txt";

}  // namespace ultr
