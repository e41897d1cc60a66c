#include "arguments.h"

#include <fmt/core.h>

#include "data/log/shard.h"

namespace ultr::bench {

void add_step_arguments(CLI::App& app, std::vector<std::int64_t>& batches,
                        std::vector<int>& threads, double& seconds) {
  app.add_option("--batches", batches,
                 fmt::format("Sessions per batch, multiples of {}", shard_sessions))
      ->delimiter(',')
      ->check(CLI::Range(shard_sessions, std::size_t{1} << 20))
      ->check([](const std::string& batch) {
        return std::stoull(batch) % shard_sessions == 0
                   ? std::string()
                   : fmt::format("found {}; expected a multiple of {}", batch, shard_sessions);
      });
  app.add_option("--threads", threads, "Numbers of threads")
      ->delimiter(',')
      ->check(CLI::Range(1, 256));
  app.add_option("--seconds", seconds, "Seconds per window; the median of three windows counts")
      ->check(CLI::PositiveNumber);
}

}  // namespace ultr::bench
