#pragma once

#include <CLI/CLI.hpp>
#include <vector>

namespace ultr::bench {

/// "--batches 512,4096 --threads 1,2 --seconds 0.3", which programs that time steps have in common.
void add_step_arguments(CLI::App& app, std::vector<std::int64_t>& batches,
                        std::vector<int>& threads, double& seconds);

}  // namespace ultr::bench
