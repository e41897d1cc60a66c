#include "kernels/vector_math.h"

#include <algorithm>
#include <bit>
#include <functional>
#include <limits>
#include <ostream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace ultr::vector_math_test {
namespace {

using Exact = long double;

/// Returns the distance from the exact result, in units in the last place of T there.
template <class T>
Exact ulps(T actual, Exact exact) {
  using Limits = std::numeric_limits<T>;
  int exponent = 0;
  std::frexp(exact, &exponent);
  const Exact ulp = std::ldexp(Exact(1), std::max(exponent, Limits::min_exponent) - Limits::digits);
  if (std::isinf(actual)) {
    // Exact if rounding gives infinity; else infinity counts as the first number out of range.
    const Exact beyond = std::ldexp(Exact(1), Limits::max_exponent);
    return std::isinf(static_cast<T>(exact))
               ? 0
               : std::abs(std::copysign(beyond, actual) - exact) / ulp;
  }
  return std::abs(actual - exact) / ulp;
}

/// A function of vector_math.h, its exact counterpart, its domain, and the bound that the header
/// states.
template <class T>
struct Function {
  std::string name;
  std::function<Pack<T>(Pack<T>)> function;
  std::function<Exact(Exact)> exact;
  double low, high;
  double bound;
};

template <class T>
std::vector<Function<T>> functions() {
  using P = Pack<T>;
  using E = Exact;
  constexpr double all = std::numeric_limits<T>::max();
  return {
      {"exp", [](P x) { return exp(x); }, [](E x) { return std::exp(x); }, -all, all, 1.2},
      {"expm1", [](P x) { return expm1(x); }, [](E x) { return std::expm1(x); }, -all, all, 2.2},
      {"log", [](P x) { return log(x); }, [](E x) { return std::log(x); }, 0, all, 1},
      {"log1p", [](P x) { return log1p(x); }, [](E x) { return std::log1p(x); }, -1, all, 1.5},
      {"log1p_of_unit", [](P x) { return log1p_of_unit(x); }, [](E x) { return std::log1p(x); }, 0,
       1, 1.5},
      {"tanh", [](P x) { return tanh(x); }, [](E x) { return std::tanh(x); }, -all, all, 3},
  };
}

/// Returns numbers inside (low, high): of every exponent, subnormal ones included, and dense in
/// every range in which some function changes its method.
template <class T>
std::vector<T> grid(double low, double high) {
  using Integer = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
  std::vector<T> numbers;
  const auto add = [&](T x) {
    if (x > low && x < high) numbers.push_back(x);
  };
  constexpr Integer infinity = std::bit_cast<Integer>(std::numeric_limits<T>::infinity());
  constexpr Integer count = 100003;
  for (Integer i = 0; i < count; ++i) {
    const T x = std::bit_cast<T>(infinity / count * i + 1);
    add(x);
    add(-x);
  }
  for (const double width : {0.5, 2., 20., 100., 760.})
    for (int i = -30000; i <= 30000; ++i) add(static_cast<T>(width * (i + 0.37) / 30000));
  for (int i = 0; i < 1000; ++i) {  // around 1 and above -1
    const T step = std::numeric_limits<T>::epsilon() * static_cast<T>(i);
    add(1 + step);
    add(1 - step);
    add(-1 + step);
  }
  return numbers;
}

template <class T>
class VectorMathTest : public ::testing::Test {};
using Types = ::testing::Types<float, double>;
TYPED_TEST_SUITE(VectorMathTest, Types);

TYPED_TEST(VectorMathTest, ErrorsAreWithinTheStatedBounds) {
  using P = Pack<TypeParam>;
  for (const auto& f : functions<TypeParam>()) {
    auto x = grid<TypeParam>(f.low, f.high);
    ASSERT_GT(x.size(), 50000u);
    x.resize(x.size() / P::size * P::size);
    Exact worst = 0;
    TypeParam where_worst = 0;
    for (std::size_t i = 0; i < x.size(); i += P::size) {
      TypeParam y[P::size];
      f.function(P::load(&x[i])).store(y);
      for (std::size_t k = 0; k < P::size; ++k) {
        const Exact error = ulps(y[k], f.exact(x[i + k]));
        if (error <= worst) continue;
        worst = error;
        where_worst = x[i + k];
      }
    }
    EXPECT_LT(worst, f.bound) << f.name << " at " << where_worst;
    // A bound far above the actual error would say nothing.
    EXPECT_GT(worst, 0.5 * f.bound) << f.name << " at " << where_worst;
  }
}

template <class T>
T at(Pack<T> (*function)(Pack<T>), double x) {
  T lanes[Pack<T>::size];
  std::fill_n(lanes, Pack<T>::size, static_cast<T>(x));
  function(Pack<T>::load(lanes)).store(lanes);
  for (std::size_t i = 1; i < Pack<T>::size; ++i)
    EXPECT_EQ(std::bit_cast<typename BitsOf<T>::type>(lanes[i]),
              std::bit_cast<typename BitsOf<T>::type>(lanes[0]));
  return lanes[0];
}

template <class T>
void expect_zero(T actual, bool negative) {
  EXPECT_EQ(actual, 0);
  EXPECT_EQ(std::signbit(actual), negative);
}

TYPED_TEST(VectorMathTest, SpecialArguments) {
  using T = TypeParam;
  constexpr T inf = std::numeric_limits<T>::infinity();
  EXPECT_EQ(at<T>(exp, HUGE_VAL), inf);
  EXPECT_EQ(at<T>(exp, 1e30), inf);
  expect_zero(at<T>(exp, -HUGE_VAL), false);
  expect_zero(at<T>(exp, -1e30), false);
  EXPECT_EQ(at<T>(exp, 0), 1);
  EXPECT_EQ(at<T>(exp, -0.0), 1);

  EXPECT_EQ(at<T>(expm1, HUGE_VAL), inf);
  EXPECT_EQ(at<T>(expm1, -HUGE_VAL), -1);
  expect_zero(at<T>(expm1, 0), false);
  expect_zero(at<T>(expm1, -0.0), true);

  EXPECT_EQ(at<T>(log, HUGE_VAL), inf);
  EXPECT_EQ(at<T>(log, 0), -inf);
  EXPECT_EQ(at<T>(log, -0.0), -inf);
  EXPECT_TRUE(std::isnan(at<T>(log, -1)));
  EXPECT_TRUE(std::isnan(at<T>(log, -HUGE_VAL)));
  expect_zero(at<T>(log, 1), false);

  EXPECT_EQ(at<T>(log1p, HUGE_VAL), inf);
  EXPECT_EQ(at<T>(log1p, -1), -inf);
  EXPECT_TRUE(std::isnan(at<T>(log1p, -1.5)));
  EXPECT_TRUE(std::isnan(at<T>(log1p, -HUGE_VAL)));
  expect_zero(at<T>(log1p, 0), false);
  expect_zero(at<T>(log1p, -0.0), false);

  expect_zero(at<T>(log1p_of_unit, 0), false);
  EXPECT_EQ(at<T>(log1p_of_unit, 1), static_cast<T>(std::log(Exact(2))));

  EXPECT_EQ(at<T>(tanh, HUGE_VAL), 1);
  EXPECT_EQ(at<T>(tanh, -HUGE_VAL), -1);
  expect_zero(at<T>(tanh, 0), false);
  expect_zero(at<T>(tanh, -0.0), true);

  for (const auto& f : functions<T>()) {
    T lanes[Pack<T>::size];
    f.function(Pack<T>(NAN)).store(lanes);
    EXPECT_TRUE(std::isnan(lanes[0])) << f.name;
  }
}

TYPED_TEST(VectorMathTest, SubnormalNumbersAreNumbers) {
  using T = TypeParam;
  constexpr T tiny = std::numeric_limits<T>::denorm_min(), normal = std::numeric_limits<T>::min();
  for (const T x : {tiny, 3 * tiny, normal - tiny}) {
    EXPECT_EQ(at<T>(expm1, x), x);
    EXPECT_EQ(at<T>(log1p, x), x);
    EXPECT_EQ(at<T>(tanh, -x), -x);
    EXPECT_LT(ulps(at<T>(log, x), std::log(Exact(x))), 1);
  }
  // Tiny e^x rounds to a multiple of the smallest number, possibly 0.
  const double log_tiny = static_cast<double>(std::log(Exact(tiny)));
  EXPECT_EQ(at<T>(exp, log_tiny + std::log(2.) + 0.01), 2 * tiny);
  EXPECT_EQ(at<T>(exp, log_tiny + 0.01), tiny);
  expect_zero(at<T>(exp, log_tiny - std::log(2.) - 0.01), false);
}

TYPED_TEST(VectorMathTest, ExpOfDifferenceMakesGoodTheRoundingOfTheDifference) {
  using T = TypeParam;
  using P = Pack<T>;
  const double range = std::log(std::numeric_limits<T>::max()) - 1;
  for (const double size : {1., 30., 700., 1e4, 1e6}) {
    Exact worst = 0;
    for (int i = 0; i < 100000; ++i) {
      // Pairs of numbers without a pattern, whose difference is in range.
      const T a = static_cast<T>(size * std::sin(i + 0.5));
      const T b = static_cast<T>(a + std::min(range, 2 * size) * std::cos(1.7 * i));
      T lanes[P::size];
      exp_of_difference(P::broadcast(a), P::broadcast(b)).store(lanes);
      worst = std::max(worst, ulps(lanes[0], std::exp(Exact(a) - Exact(b))));
    }
    EXPECT_LT(worst, 2) << size;
  }
  const auto of = [](double a, double b) {
    T lanes[P::size];
    exp_of_difference(P(a), P(b)).store(lanes);
    return lanes[0];
  };
  EXPECT_EQ(of(-HUGE_VAL, 3), 0);
  EXPECT_EQ(of(1e4, 1e4), 1);
  EXPECT_EQ(of(-1e30, 1e30), 0);
}

TYPED_TEST(VectorMathTest, LogOfComplementIsExactAtBothEnds) {
  using T = TypeParam;
  using P = Pack<T>;
  const auto of = [](T y, T w) {
    T lanes[P::size];
    log_of_complement(P::broadcast(y), P::broadcast(w)).store(lanes);
    return lanes[0];
  };
  Exact worst = 0;
  for (const T x : grid<T>(-740, 0)) {
    const T y = static_cast<T>(std::exp(Exact(x))), w = static_cast<T>(-std::expm1(Exact(x)));
    const Exact exact =
        x > -0.7 ? std::log(-std::expm1(Exact(x))) : std::log1p(-std::exp(Exact(x)));
    worst = std::max(worst, ulps(of(y, w), exact));
  }
  EXPECT_LT(worst, 2.5);
  EXPECT_GT(worst, 1.5);
  EXPECT_EQ(of(1, 0), -std::numeric_limits<T>::infinity());
  EXPECT_EQ(of(0, 1), 0);
}

}  // namespace
}  // namespace ultr::vector_math_test
