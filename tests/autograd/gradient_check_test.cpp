#include "autograd/gradient_check.h"

#include <cmath>
#include <cstdlib>

#include <gtest/gtest.h>

#include "autograd/ops/arithmetic.h"
#include "autograd/ops/elementwise.h"
#include "autograd/ops/reductions.h"
#include "testing/gradient.h"
#include "testing/not_finite.h"

namespace ultr::gradient_check_test {
namespace {

using testing::infinity;

/// x², with a derivative that is off by `mistake` for x > 10.
Tensor mistaken_square(Tensor x, double mistake) {
  return unary(
      "mistaken_square", x, [](auto v) { return v * v; },
      [mistake](auto g, auto v, auto) {
        return gradients(g * (2 * v + where(v > 10, mistake, 0 * v)));
      });
}

const Shape three = Shape::vector(3);

TEST(GradientCheckTest, AcceptsRightGradientsOfSeveralInputs) {
  const std::vector<CheckedInput> inputs = {{"a", three, {1, 2, 3}},
                                            {"b", Shape::matrix(2, 3), {1, 2, 3, 4, 5, 6}}};
  const GradientReport report =
      check_gradient([](Tape&, std::span<const Tensor> x) { return x[0] * x[1]; }, inputs);
  EXPECT_EQ(report.entries, 3u + 6u);
  EXPECT_LT(report.worst.error, 1e-9);
}

TEST(GradientCheckTest, FindsAWrongDerivativeAndReportsItsNumbers) {
  const std::vector<CheckedInput> inputs = {{"a", three, {1, 2, 3}}, {"b", three, {4, 50, 6}}};
  const GradientReport report = check_gradient(
      [](Tape&, std::span<const Tensor> x) {
        return sum(mistaken_square(x[0], 0.5) + mistaken_square(x[1], 0.5));
      },
      inputs);
  EXPECT_EQ(report.entries, 6u);
  EXPECT_EQ(report.worst.parameter, "b");
  EXPECT_EQ(report.worst.index, 1u);
  EXPECT_EQ(report.worst.analytic, 2 * 50 + 0.5);
  EXPECT_NEAR(report.worst.numeric, 2 * 50, 1e-6);
  EXPECT_EQ(report.worst.step, 1e-6 * 50);
  EXPECT_NEAR(report.worst.error, 0.5 / (2 * 50 + 0.5), 1e-8);
  const std::string text = report.to_string();
  EXPECT_TRUE(text.starts_with("worst of 6 entries: b[1]: tape 100.5, differences 100"));
  EXPECT_NE(text.find(" (step 5e-05), error 0.00498"), std::string::npos) << text;
}

TEST(GradientCheckTest, EveryElementOfATensorResultCounts) {
  for (std::size_t wrong = 0; wrong < 20; ++wrong) {
    std::vector<double> values(20, 1.0);
    values[wrong] = 11;
    const GradientReport report =
        check_gradient([](Tape&, std::span<const Tensor> x) { return mistaken_square(x[0], 100); },
                       std::vector<CheckedInput>{{"x", Shape::vector(20), values}});
    EXPECT_EQ(report.worst.index, wrong);
    EXPECT_GT(report.worst.error, 1e-3);
  }
}

TEST(GradientCheckTest, NaNIsWorseThanAnyNumberWhereverItStands) {
  for (std::size_t wrong = 0; wrong < 3; ++wrong) {
    std::vector<double> values = {1, 2, 3};
    values[wrong] = 11;
    for (const double mistake : {std::nan(""), infinity}) {
      const GradientReport report = check_gradient(
          [&](Tape&, std::span<const Tensor> x) { return sum(mistaken_square(x[0], mistake)); },
          std::vector<CheckedInput>{{"x", three, values}});
      EXPECT_TRUE(std::isnan(report.worst.error));
      EXPECT_EQ(report.worst.index, wrong);
      EXPECT_EQ(report.entries, 3u);
    }
  }
}

TEST(GradientCheckTest, ComparesAnyFunctionOfNumbersAndRestoresThem) {
  std::vector<double> a = {1, 2}, b = {3};
  const auto loss = [&] { return a[0] * a[0] * b[0] + a[1]; };
  const std::vector<CheckedValues> checked = {{"a", a, {2 * 1 * 3, 1}}, {"b", b, {1 * 1}}};
  const GradientReport right = check_gradient(loss, checked);
  EXPECT_EQ(right.entries, 3u);
  EXPECT_LT(right.worst.error, 1e-9);
  EXPECT_EQ(a, (std::vector<double>{1, 2}));
  EXPECT_EQ(b, (std::vector<double>{3}));

  const std::vector<CheckedValues> wrong = {{"a", a, {2 * 1 * 3, 1}}, {"b", b, {2}}};
  const GradientReport report = check_gradient(loss, wrong);
  EXPECT_EQ(report.worst.parameter, "b");
  EXPECT_NEAR(report.worst.error, (2.0 - 1.0) / 2, 1e-8);
}

TEST(GradientCheckTest, StepsAreRelativeForLargeNumbers) {
  std::vector<double> x = {1e8};
  std::vector<double> seen;
  check_gradient([&] { return seen.emplace_back(x[0]); },
                 std::vector<CheckedValues>{{"x", x, {1}}});
  EXPECT_EQ(seen, (std::vector<double>{1e8 + 1e-6 * 1e8, 1e8 - 1e-6 * 1e8}));
}

TEST(GradientCheckTest, AssertionFailsOnNaNAndOnNothingToCompare) {
  const TensorFunction function = [](Tape&, std::span<const Tensor> x) {
    return sum(mistaken_square(x[0], std::nan("")));
  };
  EXPECT_TRUE(testing::gradient_agrees(function, {{"x", three, {1, 2, 3}}}));
  EXPECT_FALSE(testing::gradient_agrees(function, {{"x", three, {11, 2, 3}}}));
  EXPECT_FALSE(testing::gradient_agrees(function, {{"x", Shape::vector(0), {}}}));
}

}  // namespace
}  // namespace ultr::gradient_check_test
