#include "autograd/ops/logspace.h"

#include <array>
#include <functional>
#include <map>

#include <fmt/core.h>
#include <gtest/gtest.h>

#include "autograd/ops/arithmetic.h"
#include "autograd/ops/outcomes.h"
#include "autograd/ops/reductions.h"
#include "autograd/ops/slice.h"
#include "autograd/tape/tape.h"
#include "base/random.h"
#include "testing/golden.h"
#include "testing/not_finite.h"
#include "testing/tensors.h"

namespace ultr::logspace_test {
namespace {

using nlohmann::json;
using testing::golden_number;

/// The accuracy that numerics.json asks of one precision.
struct Accuracy {
  std::string name;
  Precision precision;
  std::string suffix;  // ends the names of the golden fields
  int digits, smallest_exponent;
  double ulps;
  double derivative;                               // relative error of derivatives
  std::map<std::string, double>* worst = nullptr;  // error in ulp by function, if recorded

  double smallest() const { return std::ldexp(1.0, smallest_exponent - digits); }
  double largest() const { return digits == 24 ? 3.5e38 : HUGE_VAL; }
};
void PrintTo(const Accuracy& accuracy, std::ostream* out) { *out << accuracy.name; }
const Accuracy accuracies[] = {{"float64", Precision::float64, "", 53, -1021, 4, 1e-12},
                               {"float32", Precision::float32, "32", 24, -125, 8, 1e-5}};

/// Checks that a value is within the allowed ulps of the exact result. Functions that cross zero by
/// cancelling operands of size `scale` may be off by as many ulps of that size.
void expect_value(double actual, double expected, double scale, const Accuracy& a,
                  const std::string& where) {
  if (std::isnan(expected)) return;  // undefined
  EXPECT_FALSE(std::isnan(actual)) << where;
  if (std::abs(expected) > a.largest()) expected = std::copysign(HUGE_VAL, expected);
  const double distance = testing::ulps(actual, expected, a.digits, a.smallest_exponent);
  const double floor = a.ulps * std::ldexp(scale, -a.digits);
  if (a.worst != nullptr) {
    double& worst = (*a.worst)[where.substr(0, where.find_first_of("(["))];
    const double of_scale = std::abs(actual - expected) * std::ldexp(1.0, a.digits) / scale;
    worst = std::max(worst, scale > 0 ? std::min(distance, of_scale) : distance);
  }
  EXPECT_TRUE(distance <= a.ulps || std::abs(actual - expected) <= floor)
      << where << ": got " << actual << ", exact " << expected << ", " << distance << " ulp";
}

/// Checks a derivative. Golden derivatives that are infinite or undefined because the value is -inf
/// count as 0.
void expect_derivative(double actual, const json& golden, double value, const Accuracy& a,
                       const std::string& where) {
  double expected = value == -HUGE_VAL || golden.is_null() ? 0 : golden_number(golden);
  EXPECT_FALSE(std::isnan(actual)) << where;
  if (std::abs(expected) > a.largest()) expected = std::copysign(HUGE_VAL, expected);
  if (actual == expected) return;
  // Below the normal range, a derivative has only the digits that its type has there.
  const double floor = 4 * a.smallest();
  EXPECT_LE(std::abs(actual - expected), a.derivative * std::abs(expected) + floor)
      << where << ": got " << actual << ", exact " << expected;
}

using Scalar = std::function<Tensor(Tensor)>;
using Binary = std::function<Tensor(Tensor, Tensor)>;

const std::map<std::string, Scalar> scalar_functions = {
    {"sigmoid", [](Tensor x) { return sigmoid(x); }},
    {"log_sigmoid", [](Tensor x) { return log_sigmoid(x); }},
    {"softplus", [](Tensor x) { return softplus(x); }},
    {"log1mexp", [](Tensor x) { return log1mexp(x); }},
    {"expm1", [](Tensor x) { return expm1(x); }},
    {"log1p", [](Tensor x) { return log1p(x); }},
    {"softplus_inverse", [](Tensor x) { return softplus_inverse(x); }},
    {"logit_of_log_prob", [](Tensor x) { return logit_of_log_prob(x); }},
};
const std::map<std::string, Binary> binary_functions = {
    {"logaddexp", [](Tensor a, Tensor b) { return logaddexp(a, b); }},
    {"logsubexp", [](Tensor a, Tensor b) { return logsubexp(a, b); }},
    {"log_not_both", [](Tensor a, Tensor b) { return log_not_both(a, b); }},
    {"posterior_exam", [](Tensor a, Tensor b) { return posterior_examination(a, b); }},
};

/// Returns the size of the terms that cancel where a function crosses zero; 0 if none do.
double cancelling(const std::string& function) {
  return function == "softplus_inverse" || function == "logit_of_log_prob" ? 1 : 0;
}

std::string at(const json& values, std::size_t i) { return "(" + values[i].dump() + ")"; }

void check_scalar(const json& golden, const Accuracy& a) {
  const std::string name = golden["function"];
  ASSERT_TRUE(scalar_functions.contains(name)) << name;
  const json& x = golden["x" + a.suffix];
  Tape tape(a.precision);
  const auto numbers = testing::golden_numbers(x);
  const Tensor input = tape.variable(Shape::vector(static_cast<std::int64_t>(x.size())), numbers);
  const Tensor output = scalar_functions.at(name)(input);
  tape.backward(sum(output));
  const auto values = output.values(), slopes = input.gradient();
  for (std::size_t i = 0; i < x.size(); ++i) {
    const std::string where = name + a.suffix + at(x, i);
    expect_value(values[i], golden_number(golden["f" + a.suffix][i]), cancelling(name), a, where);
    expect_derivative(slopes[i], golden["df" + a.suffix][i], values[i], a, where + " derivative");
  }
}

void check_binary(const json& golden, const Accuracy& a) {
  const std::string name = golden["function"];
  ASSERT_TRUE(binary_functions.contains(name)) << name;
  const json &ga = golden["a" + a.suffix], &gb = golden["b" + a.suffix];
  const auto na = testing::golden_numbers(ga), nb = testing::golden_numbers(gb);
  Tape tape(a.precision);
  const Shape shape = Shape::vector(static_cast<std::int64_t>(na.size()));
  const Tensor first = tape.variable(shape, na), second = tape.variable(shape, nb);
  const Tensor output = binary_functions.at(name)(first, second);
  tape.backward(sum(output));
  const auto values = output.values(), da = first.gradient(), db = second.gradient();
  for (std::size_t i = 0; i < na.size(); ++i) {
    const std::string where = name + a.suffix + at(ga, i) + at(gb, i);
    expect_value(values[i], golden_number(golden["f" + a.suffix][i]), cancelling(name), a, where);
    expect_derivative(da[i], golden["da" + a.suffix][i], values[i], a, where + " d/da");
    expect_derivative(db[i], golden["db" + a.suffix][i], values[i], a, where + " d/db");
  }
}

void check_logsumexp(const json& golden, const Accuracy& a) {
  for (std::size_t i = 0; i < golden["v" + a.suffix].size(); ++i) {
    const auto v = testing::golden_numbers(golden["v" + a.suffix][i]);
    const std::string where = "logsumexp" + a.suffix + golden["v" + a.suffix][i].dump();
    Tape tape(a.precision);
    const Tensor x = tape.variable(Shape::vector(static_cast<std::int64_t>(v.size())), v);
    const Tensor y = logsumexp(x);
    tape.backward(y);
    expect_value(y.item(), golden_number(golden["f" + a.suffix][i]), 0, a, where);
    const json& gradient = golden["grad" + a.suffix][i];
    for (std::size_t k = 0; k < v.size(); ++k)
      expect_derivative(x.gradient()[k], gradient.is_null() ? gradient : gradient[k], y.item(), a,
                        where);
  }
}

void check_log_softmax(const json& golden, const Accuracy& a) {
  for (std::size_t i = 0; i < golden["v" + a.suffix].size(); ++i) {
    const auto v = testing::golden_numbers(golden["v" + a.suffix][i]);
    const std::string where = "log_softmax" + a.suffix + golden["v" + a.suffix][i].dump();
    Tape tape(a.precision);
    const Shape shape = Shape::vector(static_cast<std::int64_t>(v.size()));
    const Tensor x = tape.variable(shape, v);
    const Tensor y = log_softmax(x);
    for (std::size_t k = 0; k < v.size(); ++k)
      expect_value(y.values()[k], golden_number(golden["f" + a.suffix][i][k]), 0, a, where);
    for (std::size_t row = 0; row < v.size(); ++row) {
      Tape other(a.precision);
      const Tensor z = other.variable(shape, v);
      other.backward(sum(slice(log_softmax(z), {static_cast<std::int64_t>(row), 1})));
      const json& jacobian = golden["jac" + a.suffix][i][row];
      for (std::size_t k = 0; k < v.size(); ++k)
        expect_derivative(z.gradient()[k], jacobian.is_null() ? jacobian : jacobian[k],
                          y.values()[row], a, where);
    }
  }
}

class NumericsGoldenTest : public ::testing::TestWithParam<Accuracy> {};

TEST_P(NumericsGoldenTest, EveryFunctionOfTheFileIsAccurate) {
  ULTR_NEEDS_GOLDEN();
  const json golden = testing::read_golden("numerics.json");
  std::map<std::string, double> worst;
  Accuracy accuracy = GetParam();
  accuracy.worst = &worst;
  std::size_t checked = 0;
  for (const json& function : golden["cases"]) {
    const std::string name = function["function"];
    if (name == "logsumexp")
      check_logsumexp(function, accuracy);
    else if (name == "log_softmax")
      check_log_softmax(function, accuracy);
    else if (function["arity"] == "scalar")
      check_scalar(function, accuracy);
    else
      check_binary(function, accuracy);
    ++checked;
  }
  EXPECT_EQ(checked, 14u);
  for (const auto& [function, ulps] : worst) RecordProperty(function, fmt::format("{:.2f}", ulps));
}

INSTANTIATE_TEST_SUITE_P(Precisions, NumericsGoldenTest, ::testing::ValuesIn(accuracies),
                         [](const auto& test) { return test.param.name; });

// Beyond the golden file
// ---------------------------------------------------------------

using testing::variable;
using Numbers = std::vector<double>;
using testing::infinity;

/// Returns the value and derivatives of a function at one point.
Numbers at(Precision precision, const Scalar& function, double x) {
  Tape tape(precision);
  const Tensor input = variable(tape, {x}), y = function(input);
  tape.backward(y);
  return {y.item(), input.gradient()[0]};
}
Numbers at(Precision precision, const Binary& function, double a, double b) {
  Tape tape(precision);
  const Tensor first = variable(tape, {a}), second = variable(tape, {b});
  const Tensor y = function(first, second);
  tape.backward(y);
  return {y.item(), first.gradient()[0], second.gradient()[0]};
}

class LogspaceTest : public ::testing::TestWithParam<Accuracy> {
 protected:
  template <class... Numbers>
  auto of(const std::string& function, Numbers... x) {
    if constexpr (sizeof...(x) == 1)
      return at(GetParam().precision, scalar_functions.at(function), x...);
    else
      return at(GetParam().precision, binary_functions.at(function), x...);
  }
};

INSTANTIATE_TEST_SUITE_P(Precisions, LogspaceTest, ::testing::ValuesIn(accuracies),
                         [](const auto& test) { return test.param.name; });

TEST_P(LogspaceTest, ComplementOfSigmoidIsSigmoidOfTheOpposite) {
  const auto complement = [](Tensor x) { return log_one_minus_sigmoid(x); };
  for (const double x : {-1e4, -700., -90., -3., -0.25, 0., 0.25, 3., 90., 700., 1e4}) {
    const Numbers actual = at(GetParam().precision, complement, x), mirror = of("log_sigmoid", -x);
    EXPECT_EQ(actual[0], mirror[0]) << x;
    EXPECT_EQ(actual[1], -mirror[1]) << x;
  }
}

TEST_P(LogspaceTest, SlopesSurviveWhereTheValueIsRounded) {
  // log σ(50) is 0 to 21 digits; 1 - σ would be 0.
  const double e = std::exp(-50);
  const double tolerance = GetParam().derivative;
  EXPECT_NEAR(of("log_sigmoid", 50.)[1] / (e / (1 + e)), 1, tolerance);
  EXPECT_NEAR(of("softplus", -50.)[1] / (e / (1 + e)), 1, tolerance);
  EXPECT_NEAR(of("sigmoid", 50.)[1] / (e / ((1 + e) * (1 + e))), 1, tolerance);
  EXPECT_NEAR(of("log1mexp", -50.)[1] / (-e / (1 - e)), 1, tolerance);
}

TEST_P(LogspaceTest, InfiniteValuesHaveSlopeZero) {
  EXPECT_EQ(of("log1mexp", 0.), (Numbers{-infinity, 0}));
  EXPECT_EQ(of("log1mexp", -0.), (Numbers{-infinity, 0}));
  EXPECT_EQ(of("softplus_inverse", 0.), (Numbers{-infinity, 0}));
  EXPECT_EQ(of("logit_of_log_prob", 0.)[1], 0);
  EXPECT_EQ(of("logaddexp", -infinity, -infinity), (Numbers{-infinity, 0, 0}));
  EXPECT_EQ(of("logsubexp", -infinity, -infinity), (Numbers{-infinity, 0, 0}));
  EXPECT_EQ(of("logsubexp", 3., 3.), (Numbers{-infinity, 0, 0}));
}

/// 1/5e-324 and 1/1e-45 are beyond the numbers of their types.
TEST_P(LogspaceTest, SlopesAreFiniteBesideAnInfiniteValue) {
  const double x = GetParam().smallest();
  EXPECT_LT(of("log1mexp", -x)[1], 0);
  EXPECT_TRUE(std::isfinite(of("log1mexp", -x)[1]));
  EXPECT_TRUE(std::isfinite(of("softplus_inverse", x)[1]));
  EXPECT_TRUE(std::isfinite(of("logit_of_log_prob", -x)[1]));
  EXPECT_TRUE(std::isfinite(of("logsubexp", 0., -x)[1]));
  EXPECT_TRUE(std::isfinite(of("logsubexp", 0., -x)[2]));
}

TEST_P(LogspaceTest, ProbabilityZeroIsALegalOperand) {
  EXPECT_EQ(of("log1mexp", -infinity), (Numbers{0, 0}));
  EXPECT_EQ(of("logaddexp", -infinity, 3.), (Numbers{3, 0, 1}));
  EXPECT_EQ(of("logaddexp", 3., -infinity), (Numbers{3, 1, 0}));
  EXPECT_EQ(of("logsubexp", 3., -infinity), (Numbers{3, 1, 0}));
}

TEST_P(LogspaceTest, NotBothTakesCertainEventsAsOperands) {
  // "Not both" of a certain event and one with logit x is the complement of the second.
  for (const double x : {-700., -3., 0., 3., 700.}) {
    const Numbers complement = at(GetParam().precision, log_one_minus_sigmoid, x);
    const Numbers expected = {complement[0], 0, complement[1]};
    const Numbers actual = of("log_not_both", infinity, x);
    for (std::size_t i = 0; i < expected.size(); ++i)
      EXPECT_NEAR(actual[i], expected[i], GetParam().derivative * std::abs(expected[i])) << x;
  }
}

/// Returns log_both of two logits, and its slopes.
Numbers outcome_of_two(Precision precision, bool happened, double a, double b) {
  const std::array<std::uint8_t, 1> outcome = {happened};
  return at(
      precision,
      [&](Tensor x, Tensor y) {
        const Mask both = x.tape().mask(x.shape().rows);
        x.tape().bind(both, outcome);
        return log_both(both, x, y);
      },
      a, b);
}

TEST_P(LogspaceTest, BothIsAProductOrItsComplement) {
  const double largest = GetParam().precision == Precision::float64 ? 700 : 80;
  for (const double a : {-largest, -20., -3., -0.1, 0., 0.4, 3., 20., largest})
    for (const double b : {-largest, -20., -3., -0.1, 0., 0.4, 3., 20., largest}) {
      const Numbers not_both = of("log_not_both", a, b);
      const Numbers first = of("log_sigmoid", a), second = of("log_sigmoid", b);
      const Numbers both = {first[0] + second[0], first[1], second[1]};
      for (const bool happened : {false, true}) {
        const Numbers expected = happened ? both : not_both,
                      actual = outcome_of_two(GetParam().precision, happened, a, b);
        for (std::size_t i = 0; i < expected.size(); ++i)
          EXPECT_NEAR(actual[i], expected[i],
                      GetParam().derivative * std::abs(expected[i]) + 4 * GetParam().smallest())
              << happened << " " << a << ", " << b << ": number " << i;
      }
    }
}

TEST_P(LogspaceTest, CrossEntropyOfWholeTargetsIsASoftplus) {
  const double tolerance = GetParam().derivative;
  for (const double x : {-700., -50., -3., 0., 3., 50., 700.})
    for (const double y : {0., 1.}) {
      const double away = y == 0 ? x : -x;
      const Numbers softplus = of("softplus", away);
      const Numbers actual = at(GetParam().precision, sigmoid_cross_entropy, x, y);
      EXPECT_NEAR(actual[0], softplus[0], tolerance * softplus[0]) << x << ", " << y;
      EXPECT_NEAR(actual[1], (y == 0 ? 1 : -1) * softplus[1], tolerance * softplus[1])
          << x << ", " << y;
      EXPECT_EQ(actual[2], -x);
    }
}

TEST_P(LogspaceTest, CrossEntropyIsLinearInItsTarget) {
  const double clicked = std::log1p(std::exp(-1.5)), skipped = std::log1p(std::exp(1.5));
  for (const double y : {-2., 0.25, 6.5})
    EXPECT_NEAR(at(GetParam().precision, sigmoid_cross_entropy, 1.5, y)[0],
                y * clicked + (1 - y) * skipped, 20 * GetParam().derivative);
}

TEST_P(LogspaceTest, CrossEntropyWithAPosteriorHasTheSlopeOfNotBoth) {
  // σ(a) - t = -∂/∂a log(1 - σ(a)σ(b)), which is far below the rounding of σ(a) and t.
  const double tolerance = 10 * GetParam().derivative;
  for (const double a : {-60., -3., 0.5, 60.})
    for (const double b : {-60., -3., 0.5, 60.}) {
      const auto loss = [b](Tensor x) {
        return posterior_cross_entropy(x, x, x.tape().constant(b));
      };
      const double slope = at(GetParam().precision, loss, a)[1],
                   expected = -of("log_not_both", a, b)[1];
      EXPECT_NEAR(slope, expected, tolerance * expected) << a << ", " << b;
    }
}

TEST_P(LogspaceTest, CrossEntropyWithAPosteriorIsThatOfItsTarget) {
  const double tolerance = 20 * GetParam().derivative;
  for (const double x : {-3., 0.5, 30.})
    for (const double a : {-2., 1.})
      for (const double b : {-2., 1.}) {
        const auto posterior = [&](Tensor logit) {
          return posterior_cross_entropy(logit, logit.tape().constant(a), logit.tape().constant(b));
        };
        const double p = 1 / (1 + std::exp(-a)), q = 1 / (1 + std::exp(-b));
        const double target = p * (1 - q) / (1 - p * q);
        const Numbers actual = at(GetParam().precision, posterior, x);
        const Numbers expected = at(GetParam().precision, sigmoid_cross_entropy, x, target);
        EXPECT_NEAR(actual[0], expected[0], tolerance * expected[0]) << x;
        EXPECT_NEAR(actual[1], expected[1], tolerance) << x;
      }
}

TEST_P(LogspaceTest, LogaddexpOfSeveralTermsIsExact) {
  const Accuracy& a = GetParam();
  for (std::size_t terms = 2; terms <= 25; ++terms) {
    // Each column is a case: terms of one size, of very different sizes, and impossible ones.
    constexpr std::size_t cases = 40;
    std::vector<std::vector<double>> numbers(terms, std::vector<double>(cases));
    std::vector<long double> expected(cases);
    for (std::size_t c = 0; c < cases; ++c) {
      RandomStream random(1, RandomPurpose::testing, static_cast<std::uint32_t>(terms), c);
      const double size = std::array{1e-6, 1., 30., 300.}[c % 4];
      long double largest = -HUGE_VAL, sum = 0;
      for (auto& term : numbers) {
        term[c] = static_cast<float>(size * (random.uniform() - 0.7));
        if (c >= cases / 2 && random.below(2) == 0) term[c] = -HUGE_VAL;
        if (c == cases - 1) term[c] = -HUGE_VAL;
        largest = std::max(largest, static_cast<long double>(term[c]));
      }
      for (const auto& term : numbers) sum += std::exp(term[c] - largest);
      expected[c] = std::isinf(largest) ? largest : largest + std::log(sum);
    }
    Tape tape(a.precision);
    std::vector<Tensor> operands;
    for (const auto& term : numbers) operands.push_back(testing::variable(tape, term));
    const Tensor result = logaddexp(operands);
    tape.backward(sum(result));
    const auto values = result.values();
    for (std::size_t c = 0; c < cases; ++c) {
      const std::string where = fmt::format("{} terms, case {}", terms, c);
      const double exact = static_cast<double>(expected[c]);
      double scale = 1;
      for (const auto& term : numbers)
        if (!std::isinf(term[c])) scale = std::max(scale, std::abs(term[c]));
      expect_value(values[c], exact, scale, a, where);
      for (std::size_t i = 0; i < terms; ++i) {
        const double share = std::isinf(exact) ? 0 : std::exp(numbers[i][c] - exact);
        EXPECT_NEAR(operands[i].gradient()[c], share,
                    share * a.derivative * std::max(1., scale) + a.smallest())
            << where;
      }
    }
  }
}

TEST_P(LogspaceTest, EqualOperandsOfLogaddexpShareTheGradient) {
  for (const double x : {-1e4, -700., 0., 700., 1e4}) {
    const Numbers actual = of("logaddexp", x, x);
    EXPECT_NEAR(actual[0], x + std::log(2.), 1e-7 * std::max(1.0, std::abs(x)));
    EXPECT_EQ(actual[1], 0.5);
    EXPECT_EQ(actual[2], 0.5);
  }
}

TEST_P(LogspaceTest, InversesInvert) {
  const double tolerance = GetParam().derivative;
  for (const double x : {-20., -3., -0.25, 0.25, 3., 20.})
    EXPECT_NEAR(of("softplus_inverse", of("softplus", x)[0])[0], x, 10 * tolerance * std::abs(x));
  for (const double x : {-20., -3., -0.25, 0.25, 3.})
    EXPECT_NEAR(of("logit_of_log_prob", of("log_sigmoid", x)[0])[0], x, 100 * tolerance);
  for (const double b : {-3., 0., 2.})
    EXPECT_NEAR(of("logsubexp", of("logaddexp", 1., b)[0], b)[0], 1, 10 * tolerance);
}

}  // namespace
}  // namespace ultr::logspace_test
