#include "measurements/tree_measurements.h"

#include <array>
#include <cstdio>
#include <memory>

#include <fmt/core.h>

#include "base/error.h"
#include "timing.h"

namespace ultr::bench {
namespace {

struct Cost {
  double seconds = 0;  // per round
  double first = 0;    // seconds to the end of the first round
  double memory = 0;   // peak of the process, in bytes
};

/// Runs `boosting_rounds` in a process of its own.
Cost cost_of(const std::string& who, std::int64_t documents, int rounds, int threads) {
  const std::string command =
      fmt::format("'{}' {} {} {} {}", BOOSTING_ROUNDS, who, documents, rounds, threads);
  std::unique_ptr<std::FILE, int (*)(std::FILE*)> output(popen(command.c_str(), "r"), pclose);
  Cost cost;
  if (!output ||
      std::fscanf(output.get(), "%lf %lf %lf", &cost.seconds, &cost.first, &cost.memory) != 3)
    throw Error(command + ": failed");
  return cost;
}

void measure(std::int64_t documents, int turns, int rounds, int threads,
             const TakeMeasurement& take) {
  std::array<std::vector<double>, 2> seconds, memory;
  std::vector<double> times, more_memory;
  const std::array subjects = {"ultr", "xgboost"};
  for (int turn = 0; turn < turns; ++turn) {
    for (std::size_t who = 0; who < subjects.size(); ++who) {
      const Cost cost = cost_of(subjects[who], documents, rounds, threads);
      seconds[who].push_back(cost.seconds);
      memory[who].push_back(cost.memory);
    }
    times.push_back(seconds[0].back() / seconds[1].back());
    more_memory.push_back(memory[0].back() / memory[1].back());
  }
  const auto taken = [&](const char* what, const char* unit, const char* subject, double value) {
    take({.what = what,
          .unit = unit,
          .subject = subject,
          .threads = threads,
          .rows = documents,
          .value = value});
  };
  for (std::size_t who = 0; who < subjects.size(); ++who) {
    taken("boosting", "s per round", subjects[who], sorted_quantile(seconds[who], 0.5));
    taken("boosting", "GB", subjects[who], sorted_quantile(memory[who], 0.5) / 1e9);
  }
  taken("boosting, ultr over xgboost", "time", "", sorted_quantile(times, 0.5));
  taken("boosting, ultr over xgboost", "memory", "", sorted_quantile(more_memory, 0.5));
}

}  // namespace

void measure_trees(const MeasurementPlan& plan, const TakeMeasurement& take) {
  for (const std::int64_t documents : plan.rows) {
    constexpr std::int64_t many = 1000000;
    if (documents > many) continue;  // beyond the memory of most machines
    for (const int threads : plan.threads) {
      const OnLastCore pinned(threads == 1);
      if (documents < many)
        measure(documents, 3, 6, threads, take);
      else
        measure(documents, 1, 3, threads, take);
    }
  }
}

}  // namespace ultr::bench
