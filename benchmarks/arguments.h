#pragma once

#include <CLI/CLI.hpp>
#include <vector>

namespace ultr::bench {

/// Adds the options --batches, --threads and --seconds, which programs that time training steps
/// have in common: "--batches 512,4096 --threads 1,2 --seconds 0.3".
void add_step_arguments(CLI::App& app, std::vector<std::int64_t>& batches,
                        std::vector<int>& threads, double& seconds);

}  // namespace ultr::bench
