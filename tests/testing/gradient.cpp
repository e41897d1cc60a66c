#include "testing/gradient.h"

#include <random>

namespace ultr::testing {

std::vector<double> draw(const Uniform& range, unsigned seed) {
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> between(range.low, range.high);
  std::vector<double> numbers(range.count);
  for (double& number : numbers) number = between(random);
  return numbers;
}

::testing::AssertionResult gradient_agrees(const TensorFunction& function,
                                           const std::vector<CheckedInput>& inputs,
                                           double tolerance) {
  const GradientReport report = check_gradient(function, inputs);
  if (report.entries > 0 && report.worst.error <= tolerance) return ::testing::AssertionSuccess();
  return ::testing::AssertionFailure() << report.to_string();
}

}  // namespace ultr::testing
