#include "autograd/ops/arithmetic.h"

#include <cmath>
#include <functional>

#include <gtest/gtest.h>

#include "autograd/ops/reductions.h"
#include "autograd/tape/tape.h"
#include "testing/errors.h"
#include "testing/not_finite.h"
#include "testing/tensors.h"

// ops_test.cpp tests gradients, tails and broadcasting of all ops. The tests here are about values,
// and points for which the header makes a promise.

namespace ultr::arithmetic_test {
namespace {

using testing::variable;
using Numbers = std::vector<double>;

using testing::infinity;

class ArithmeticTest : public ::testing::Test {
 protected:
  Tape tape_{Precision::float64};

  Tensor of(const Numbers& values) { return variable(tape_, values); }
  /// Returns the value and derivative of a function at one point.
  Numbers at(const std::function<Tensor(Tensor)>& function, double x) {
    const Tensor input = of({x}), y = function(input);
    tape_.backward(y);
    return {y.item(), input.gradient()[0]};
  }
};

TEST_F(ArithmeticTest, OperatorsOfTensors) {
  const Tensor a = of({1, 2, -3}), b = of({4, -5, 6});
  EXPECT_EQ((a + b).values(), (Numbers{1 + 4, 2 - 5, -3 + 6}));
  EXPECT_EQ((a - b).values(), (Numbers{1 - 4, 2 + 5, -3 - 6}));
  EXPECT_EQ((a * b).values(), (Numbers{1 * 4, 2 * -5, -3 * 6}));
  EXPECT_EQ((a / b).values(), (Numbers{1. / 4, 2. / -5, -3. / 6}));
  EXPECT_EQ((-a).values(), (Numbers{-1, -2, 3}));
}

TEST_F(ArithmeticTest, OperatorsWithNumbers) {
  const Tensor a = of({1, 2, -3});
  EXPECT_EQ((a + 7).values(), (Numbers{1 + 7, 2 + 7, -3 + 7}));
  EXPECT_EQ((7 + a).values(), (Numbers{7 + 1, 7 + 2, 7 - 3}));
  EXPECT_EQ((a - 7).values(), (Numbers{1 - 7, 2 - 7, -3 - 7}));
  EXPECT_EQ((7 - a).values(), (Numbers{7 - 1, 7 - 2, 7 + 3}));
  EXPECT_EQ((a * 7).values(), (Numbers{1 * 7, 2 * 7, -3 * 7}));
  EXPECT_EQ((7 * a).values(), (Numbers{7 * 1, 7 * 2, 7 * -3}));
  EXPECT_EQ((a / 7).values(), (Numbers{1. / 7, 2. / 7, -3. / 7}));
}

TEST_F(ArithmeticTest, FunctionsOfOneTensor) {
  const Tensor a = of({-0.5, 1, 2.25});
  const auto expect = [&](Tensor actual, double (*exact)(double)) {
    for (std::size_t i = 0; i < 3; ++i) EXPECT_DOUBLE_EQ(actual.values()[i], exact(a.values()[i]));
  };
  expect(exp(a), std::exp);
  expect(expm1(a), std::expm1);
  expect(log1p(a), std::log1p);
  expect(log(exp(a)), [](double x) { return std::log(std::exp(x)); });
  expect(sqrt(square(a)), std::abs);
  expect(abs(a), std::abs);
  EXPECT_EQ(square(a).values(), (Numbers{0.5 * 0.5, 1, 2.25 * 2.25}));
  EXPECT_EQ(clamp(a, 0, 2).values(), (Numbers{0, 1, 2}));
}

TEST_F(ArithmeticTest, LogarithmsHaveSlopeZeroWhereTheyAreInfinite) {
  EXPECT_EQ(at([](Tensor x) { return log(x); }, 0), (Numbers{-infinity, 0}));
  EXPECT_EQ(at([](Tensor x) { return log1p(x); }, -1), (Numbers{-infinity, 0}));
  EXPECT_EQ(at([](Tensor x) { return log(x); }, 4)[1], 1. / 4);
  EXPECT_EQ(at([](Tensor x) { return log1p(x); }, 4)[1], 1. / (1 + 4));
}

TEST_F(ArithmeticTest, ExponentialAtTheEndsOfTheLine) {
  EXPECT_EQ(at([](Tensor x) { return exp(x); }, -infinity), (Numbers{0, 0}));
  EXPECT_EQ(at([](Tensor x) { return exp(x); }, 1000), (Numbers{infinity, infinity}));
  EXPECT_EQ(at([](Tensor x) { return expm1(x); }, -infinity), (Numbers{-1, 0}));
  // Exact near 0, where e^x - 1 loses all digits.
  EXPECT_EQ(at([](Tensor x) { return expm1(x); }, 1e-20), (Numbers{1e-20, 1}));
  EXPECT_EQ(at([](Tensor x) { return log1p(x); }, 1e-20), (Numbers{1e-20, 1}));
  // The slope of expm1 keeps its digits where 1 + value has none.
  EXPECT_DOUBLE_EQ(at([](Tensor x) { return expm1(x); }, -50)[1], std::exp(-50));
}

TEST_F(ArithmeticTest, KinksHaveTheStatedSlope) {
  EXPECT_EQ(at([](Tensor x) { return sqrt(x); }, 0), (Numbers{0, 0}));
  EXPECT_EQ(at([](Tensor x) { return abs(x); }, 0), (Numbers{0, 0}));
  EXPECT_EQ(at([](Tensor x) { return abs(x); }, -2), (Numbers{2, -1}));
  const auto limited = [](Tensor x) { return clamp(x, -1, 2); };
  EXPECT_EQ(at(limited, -1), (Numbers{-1, 1}));
  EXPECT_EQ(at(limited, 2), (Numbers{2, 1}));
  EXPECT_EQ(at(limited, std::nextafter(-1, -2)), (Numbers{-1, 0}));
  EXPECT_EQ(at(limited, std::nextafter(2, 3)), (Numbers{2, 0}));
}

TEST_F(ArithmeticTest, GradientsOfEqualsGoToTheFirst) {
  for (const auto function : {maximum, minimum}) {
    const Tensor a = of({1, 2, 3}), b = of({2, 2, 2});
    tape_.backward(sum(function(a, b)));
    EXPECT_EQ(a.gradient()[1], 1);
    EXPECT_EQ(b.gradient()[1], 0);
  }
  const Tensor a = of({1, 3}), b = of({2, 2});
  EXPECT_EQ(maximum(a, b).values(), (Numbers{2, 3}));
  EXPECT_EQ(minimum(a, b).values(), (Numbers{1, 2}));
  tape_.backward(sum(maximum(a, b)));
  EXPECT_EQ(a.gradient(), (Numbers{0, 1}));
  EXPECT_EQ(b.gradient(), (Numbers{1, 0}));
}

TEST_F(ArithmeticTest, StopGradientPassesTheValueAlone) {
  const Tensor x = of({2, 3});
  const Tensor stopped = stop_gradient(x);
  EXPECT_EQ(stopped.values(), x.values());
  tape_.backward(sum(x * stopped));
  EXPECT_EQ(x.gradient(), (Numbers{2, 3}));
  EXPECT_EQ(stopped.gradient(), (Numbers{0, 0}));
  // A loss through which no gradient flows leaves zeros behind.
  tape_.backward(sum(stopped));
  EXPECT_EQ(x.gradient(), (Numbers{0, 0}));
}

TEST_F(ArithmeticTest, ReversedGradientsPassTheValueAsItIs) {
  const Tensor x = of({2, 0.1, -1e30});
  const Tensor reversed = reverse_gradient(x, 0.5);
  EXPECT_EQ(reversed.values(), x.values());
  tape_.backward(sum(reversed * of({4, -8, 1})));
  EXPECT_EQ(x.gradient(), (Numbers{-0.5 * 4, -0.5 * -8, -0.5}));
}

TEST_F(ArithmeticTest, StoppedValuesCanBeHeldFromRunToRun) {
  const Tensor x = of({2, 3});
  const Tensor product = x * stop_gradient(x);
  EXPECT_EQ(product.values(), (Numbers{2 * 2, 3 * 3}));
  tape_.freeze_stopped_values(true);
  tape_.assign(x, Numbers{5, 7});
  tape_.replay();
  EXPECT_EQ(product.values(), (Numbers{5 * 2, 7 * 3}));
  tape_.freeze_stopped_values(false);
  tape_.replay();
  EXPECT_EQ(product.values(), (Numbers{5 * 5, 7 * 7}));
}

TEST_F(ArithmeticTest, NaNComesThrough) {
  const Tensor x = of({infinity});
  for (const Tensor y : {x - x, exp(x - x), log(x - x), log1p(x - x), expm1(x - x), sqrt(x - x),
                         square(x - x), abs(x - x), clamp(x - x, -1, 1)})
    EXPECT_TRUE(std::isnan(y.item())) << tape_.node(y.node()).name;
}

TEST_F(ArithmeticTest, ErrorsNameTheOp) {
  const Tensor a = of({1, 2}), b = of({1, 2, 3});
  Tape other;
  const Tensor elsewhere = variable(other, {1, 2});
  const std::pair<std::string, std::function<Tensor(Tensor, Tensor)>> ops[] = {
      {"add", [](Tensor x, Tensor y) { return x + y; }},
      {"subtract", [](Tensor x, Tensor y) { return x - y; }},
      {"multiply", [](Tensor x, Tensor y) { return x * y; }},
      {"divide", [](Tensor x, Tensor y) { return x / y; }},
      {"maximum", maximum},
      {"minimum", minimum},
  };
  for (const auto& [name, op] : ops) {
    EXPECT_EQ(testing::shape_error([&, &function = op] { function(a, b); }),
              name +
                  ": a is [2], b is [3]; expected equal shapes, or one that repeats along the "
                  "other's rows or columns");
    EXPECT_EQ(testing::shape_error([&, &function = op] { function(a, elsewhere); }),
              name + ": the operands are on different tapes");
  }
}

}  // namespace
}  // namespace ultr::arithmetic_test
