#include "studies/comparison/configuration_metric.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include <fmt/format.h>

#include "runs/results/measures.h"

namespace ultr {

std::vector<std::size_t> ConfigurationMetric::best_first() const {
  std::vector<std::size_t> order(each.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) {
    if (each[a].by_seed.empty() || each[b].by_seed.empty()) return !each[a].by_seed.empty();
    return higher_is_better ? each[a].mean > each[b].mean : each[a].mean < each[b].mean;
  });
  return order;
}

ConfigurationMetric metric_of(const Comparison& comparison, const std::string& metric) {
  ConfigurationMetric found{metric, better_of(metric) != Better::lower};
  for (const Configuration& configuration : comparison.configurations.each) {
    SeedValues values;
    for (const std::size_t r : configuration.runs) {
      const RunResults& run = comparison.runs[r];
      const auto value = run.metrics.find(metric);
      if (run.failure.empty() && value != run.metrics.end() && std::isfinite(value->second))
        values.emplace_back(fmt::format("{}", run.seed), value->second);
    }
    found.each.push_back(summarize_seeds(std::move(values)));
  }
  return found;
}

ConfigurationMetric deciding_metric(const Comparison& comparison) {
  if (comparison.selection) return metric_of(comparison, comparison.selection->metric);
  if (!comparison.metrics.empty()) return metric_of(comparison, comparison.metrics.front().metric);
  ConfigurationMetric none;
  none.each.resize(comparison.configurations.each.size());
  return none;
}

}  // namespace ultr
