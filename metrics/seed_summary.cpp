#include "metrics/seed_summary.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

namespace ultr {

double mean_of(std::span<const double> values) {
  double sum = 0;
  for (const double value : values) sum += value;
  return values.empty() ? std::numeric_limits<double>::quiet_NaN()
                        : sum / static_cast<double>(values.size());
}

SeedSummary summarize_seeds(SeedValues by_seed) {
  SeedSummary summary{.by_seed = std::move(by_seed), .interval = {}};
  std::vector<double> values;
  for (const auto& [seed, value] : summary.by_seed) values.push_back(value);
  summary.mean = mean_of(values);
  summary.standard_deviation = std::numeric_limits<double>::quiet_NaN();
  if (values.size() < 2) return summary;
  double squares = 0;
  for (const double value : values) squares += (value - summary.mean) * (value - summary.mean);
  summary.standard_deviation = std::sqrt(squares / static_cast<double>(values.size() - 1));
  if (std::all_of(values.begin(), values.end(), [](double value) { return std::isfinite(value); }))
    summary.interval = mean_interval(values);
  return summary;
}

double SeedTest::corrected(std::size_t tests) const {
  return bonferroni(t_test.p_value, std::max<std::size_t>(1, tests));
}

SeedTest test_pairs(std::span<const double> a, std::span<const double> b) {
  SeedTest test{.pairs = a.size(), .t_test = paired_t_test(a, b), .interval = {}};
  std::vector<double> differences(a.size());
  std::transform(a.begin(), a.end(), b.begin(), differences.begin(), std::minus<>());
  test.interval = mean_interval(differences);
  return test;
}

std::optional<SeedTest> test_seeds(const SeedValues& a, const SeedValues& b) {
  std::vector<double> of_a, of_b;
  for (const auto& [seed, value] : a)
    for (const auto& [other_seed, other] : b)
      if (seed == other_seed && std::isfinite(value) && std::isfinite(other)) {
        of_a.push_back(value);
        of_b.push_back(other);
      }
  if (of_a.size() < 2) return std::nullopt;
  return test_pairs(of_a, of_b);
}

}  // namespace ultr
