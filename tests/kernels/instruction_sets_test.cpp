#include "kernels/instruction_sets.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdlib>
#include <functional>
#include <limits>
#include <map>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include <dlfcn.h>
#include <fmt/core.h>
#include <gtest/gtest.h>

// Every kernel, compiled for SSE2, AVX2 and AVX-512, on the same numbers as the C library's scalar
// functions: within the bound that its header states, or to the bit where no arithmetic rounds.

namespace ultr::instruction_sets_test {
namespace {

using testing::CompiledKernel;
using testing::CompiledKernels;
using Exact = long double;

bool nightly() { return std::getenv("ULTR_NIGHTLY") != nullptr; }

/// A set of instructions and the library that is compiled for it.
struct InstructionSet {
  std::string name, library;
  bool present;  // the processor has it
};

void PrintTo(const InstructionSet& set, std::ostream* stream) { *stream << set.name; }

std::vector<InstructionSet> instruction_sets() {
#ifdef ULTR_KERNELS_SSE2
  __builtin_cpu_init();
  const bool avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
                    __builtin_cpu_supports("bmi2");
  const bool avx512 = avx2 && __builtin_cpu_supports("avx512f") &&
                      __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512cd") &&
                      __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
  return {{"SSE2", ULTR_KERNELS_SSE2, true},
          {"AVX2", ULTR_KERNELS_AVX2, avx2},
          {"AVX512", ULTR_KERNELS_AVX512, avx512}};
#else
  return {{"SSE2", "", false}};
#endif
}

/// Maps two numbers into the domain of a function.
using Domain = std::function<std::array<double, 2>(double a, double b)>;

/// A scalar counterpart of a kernel, and how near the kernel must come.
struct Reference {
  std::function<Exact(Exact a, Exact b)> exact;
  double ulps32, ulps64;
  Domain domain = [](double a, double b) { return std::array{a, b}; };
  /// Size of the numbers that cancel where the function crosses zero: that many ulps are allowed.
  std::function<Exact(Exact a, Exact b)> cancelling = [](Exact, Exact) { return Exact(0); };
};

Exact log_sigmoid(Exact x) { return std::min<Exact>(x, 0) - std::log1p(std::exp(-std::abs(x))); }
Exact sigmoid(Exact x) { return x < 0 ? std::exp(x) / (1 + std::exp(x)) : 1 / (1 + std::exp(-x)); }
/// Returns log(1 - e^x) for x <= 0.
Exact log1mexp(Exact x) {
  return x > -0.6931L ? std::log(-std::expm1(x)) : std::log1p(-std::exp(x));
}
Exact log_not_both(Exact a, Exact b) {
  const Exact both = std::exp(log_sigmoid(a) + log_sigmoid(b));
  if (both < 0.5L) return std::log1p(-both);
  const Exact x = std::exp(-a), y = std::exp(-b);  // a and b are positive
  return std::log(x + y + x * y) - std::log1p(x) - std::log1p(y);
}
/// Returns e^(a-b) for a difference that long double may have to round.
Exact exp_of_difference(Exact a, Exact b) {
  const Exact difference = a - b, rounded = a - difference;
  const Exact lost = (a - (difference + rounded)) + (rounded - b);
  return std::exp(difference) * (1 + lost);
}
Exact larger(Exact a, Exact b) { return std::max(std::abs(a), std::abs(b)); }

/// Wraps numbers of any size into (-bound, bound), keeping small ones.
double within(double x, double bound) { return std::abs(x) < bound ? x : std::fmod(x, bound); }

std::map<std::string, Reference> references() {
  using E = Exact;
  const auto ordinary = [](double a, double b) {
    return std::array{within(a, 700), within(b, 700)};
  };
  const auto unit = [](double a, double) {
    const double x = std::abs(within(a, 1));
    return std::array{x, 0.0};
  };
  const auto not_positive = [](double a, double) { return std::array{-std::abs(a), 0.0}; };
  const auto positive = [](double a, double) { return std::array{std::abs(a), 0.0}; };
  const auto one = [](E, E) { return E(1); };
  return {
      {"exp", {[](E x, E) { return std::exp(x); }, 1.2, 1.2}},
      {"exp_of_difference", {exp_of_difference, 2, 2, ordinary}},
      {"expm1", {[](E x, E) { return std::expm1(x); }, 2, 2}},
      {"log", {[](E x, E) { return std::log(x); }, 1, 1}},
      {"log1p", {[](E x, E) { return std::log1p(x); }, 1.5, 1.5}},
      {"log1p_of_unit", {[](E x, E) { return std::log1p(x); }, 1.5, 1.5, unit}},
      {"log_of_complement",
       {[](E y, E w) { return y < 0.5L ? std::log1p(-y) : std::log(w); }, 2.5, 2.5,
        [](double a, double) {
          const double x = std::abs(within(a, 1));
          return a < 0 ? std::array{1 - x, x} : std::array{x, 1 - x};
        }}},
      {"tanh", {[](E x, E) { return std::tanh(x); }, 3, 3}},
      {"sigmoid", {[](E x, E) { return sigmoid(x); }, 8, 4}},
      {"log_sigmoid", {[](E x, E) { return log_sigmoid(x); }, 8, 4}},
      {"log_one_minus_sigmoid", {[](E x, E) { return log_sigmoid(-x); }, 8, 4}},
      {"softplus", {[](E x, E) { return -log_sigmoid(-x); }, 8, 4}},
      {"softplus_inverse", {[](E x, E) { return x + log1mexp(-x); }, 8, 4, positive, one}},
      {"log1mexp", {[](E x, E) { return log1mexp(x); }, 8, 4, not_positive}},
      {"logit_of_log_prob",
       {[](E x, E) { return x - log1mexp(x); }, 8, 4,
        [](double a, double) {
          return std::array{-std::abs(a == 0 ? 1 : a), 0.0};
        },
        one}},
      {"logaddexp",
       {[](E a, E b) { return std::max(a, b) + std::log1p(std::exp(-std::abs(a - b))); }, 8, 4,
        ordinary, larger}},
      {"logsubexp",
       {[](E a, E b) { return a == b ? -HUGE_VALL : a + log1mexp(b - a); }, 8, 4,
        [ordinary](double a, double b) {
          const auto [x, y] = ordinary(a, b);
          return std::array{std::max(x, y), std::min(x, y)};
        },
        larger}},
      {"log_not_both", {log_not_both, 8, 8, ordinary}},  // a rounded sum counts double near 0.6
      {"posterior_examination",
       {[](E a, E b) { return sigmoid(a + log_sigmoid(-b)); }, 8, 4, ordinary}},
      {"sigmoid_cross_entropy",
       {[](E x, E y) {
          return (x < 0 ? -y * x : (1 - y) * x) + std::log1p(std::exp(-std::abs(x)));
        },
        8, 4,
        [](double a, double b) {
          return std::array{within(a, 700), std::abs(within(b, 1))};
        }}},
      {"elu", {[](E x, E) { return x > 0 ? x : std::expm1(x); }, 8, 4}},
  };
}

/// Kernels that round as the C library does, or not at all, so that bits are promised.
template <class T>
using Scalar = std::function<T(T a, T b)>;
template <class T>
std::map<std::string, Scalar<T>> bits() {
  return {
      {"sqrt", [](T a, T) { return std::sqrt(a); }},
      {"abs", [](T a, T) { return std::abs(a); }},
      {"min", [](T a, T b) { return b < a ? b : a; }},
      {"max", [](T a, T b) { return a < b ? b : a; }},
      {"with_sign_of", [](T a, T b) { return std::copysign(a, b); }},
      {"where", [](T a, T b) { return a < b || !(b <= a) ? a + 1 : b; }},
      {"load_mask", [](T a, T b) { return b > 0 ? a : 0; }},
      {"relu", [](T a, T) { return a < 0 ? 0 : a; }},
  };
}

/// Returns pairs of numbers: all edges with each other, every exponent, ranges in which functions
/// change their method, and numbers near each other.
template <class T>
std::array<std::vector<T>, 2> numbers(std::size_t count) {
  using Limits = std::numeric_limits<T>;
  using Integer = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
  const T edges[] = {T(0),
                     T(1),
                     T(0.5),
                     T(2),
                     T(0.29),
                     T(0.41421356237309504880),
                     T(60),
                     T(88.72),
                     T(89),
                     T(104),
                     T(709.78),
                     T(745),
                     Limits::min(),
                     Limits::max(),
                     Limits::denorm_min(),
                     Limits::epsilon(),
                     1 + Limits::epsilon(),
                     1 - Limits::epsilon() / 2,
                     Limits::infinity(),
                     Limits::quiet_NaN()};
  std::array<std::vector<T>, 2> pairs;
  const auto add = [&](T a, T b) {
    pairs[0].push_back(a);
    pairs[1].push_back(b);
  };
  for (const T a : edges)
    for (const T b : edges)
      for (const T sign_a : {T(1), T(-1)})
        for (const T sign_b : {T(1), T(-1)}) add(sign_a * a, sign_b * b);
  std::mt19937_64 random(5);
  const auto finite = [&] {
    const T x = std::bit_cast<T>(static_cast<Integer>(random()));
    return std::isfinite(x) ? x : T(1);
  };
  const auto ordinary = [&] {
    const double width[] = {0.5, 2, 20, 100, 760};
    const double fraction = std::ldexp(static_cast<double>(random() >> 11), -52) - 1;
    return static_cast<T>(width[random() % 5] * fraction);
  };
  while (pairs[0].size() < count) {
    add(finite(), finite());
    add(ordinary(), finite());
    add(ordinary(), ordinary());
    const T x = ordinary();
    add(x, x + x * Limits::epsilon() * static_cast<T>(random() % 1000));
  }
  return pairs;
}

/// Returns the distance from the exact result in units in the last place of T there.
template <class T>
Exact ulps(T actual, Exact exact, Exact cancelling) {
  using Limits = std::numeric_limits<T>;
  if (std::isnan(exact)) return std::isnan(actual) ? 0 : HUGE_VALL;
  if (actual == static_cast<T>(exact)) return 0;
  int exponent = 0;
  std::frexp(std::max(std::abs(exact), cancelling), &exponent);
  const Exact ulp = std::ldexp(Exact(1), std::max(exponent, Limits::min_exponent) - Limits::digits);
  const Exact beyond = std::copysign(std::ldexp(Exact(1), Limits::max_exponent), Exact(actual));
  return std::abs((std::isinf(actual) ? beyond : Exact(actual)) - exact) / ulp;
}

template <class T>
bool same_bits(T a, T b) {
  return std::bit_cast<std::array<std::byte, sizeof(T)>>(a) ==
             std::bit_cast<std::array<std::byte, sizeof(T)>>(b) ||
         (std::isnan(a) && std::isnan(b));
}

class InstructionSetsTest : public ::testing::TestWithParam<InstructionSet> {
 protected:
  void SetUp() override {
    if (!GetParam().present) GTEST_SKIP() << "the processor has no " << GetParam().name;
    void* const library = dlopen(GetParam().library.c_str(), RTLD_NOW | RTLD_LOCAL);
    ASSERT_NE(library, nullptr) << dlerror();
    const auto all = reinterpret_cast<CompiledKernels>(dlsym(library, "compiled_kernels"));
    ASSERT_NE(all, nullptr) << dlerror();
    std::size_t size = 0;
    const CompiledKernel* const first = all(&size);
    kernels_.assign(first, first + size);
  }

  template <class T>
  static void apply(const CompiledKernel& kernel, const std::vector<T>& a, const std::vector<T>& b,
                    std::vector<T>& to) {
    if constexpr (sizeof(T) == 4)
      kernel.in_float32(a.data(), b.data(), to.data(), to.size());
    else
      kernel.in_float64(a.data(), b.data(), to.data(), to.size());
  }

  template <class T>
  void check(const std::array<std::vector<T>, 2>& pairs);
  template <class T>
  static void expect_within_bound(const CompiledKernel& kernel, const Reference& reference,
                                  std::array<std::vector<T>, 2> pairs);
  template <class T>
  static void expect_bits(const CompiledKernel& kernel, const Scalar<T>& scalar,
                          const std::array<std::vector<T>, 2>& pairs);
  template <class T>
  static void expect_lists(const CompiledKernel& kernel,
                           const std::array<std::vector<T>, 2>& pairs);

  std::vector<CompiledKernel> kernels_;
};

template <class T>
void InstructionSetsTest::expect_within_bound(const CompiledKernel& kernel,
                                              const Reference& reference,
                                              std::array<std::vector<T>, 2> pairs) {
  auto& [a, b] = pairs;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const auto [x, y] = reference.domain(a[i], b[i]);
    a[i] = static_cast<T>(x);
    b[i] = static_cast<T>(y);
  }
  std::vector<T> results(a.size());
  apply(kernel, a, b, results);
  Exact worst = 0;
  std::size_t at = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const Exact error =
        ulps(results[i], reference.exact(a[i], b[i]), reference.cancelling(a[i], b[i]));
    if (error <= worst) continue;
    worst = error;
    at = i;
  }
  if (nightly()) fmt::print("{}: {:.2f} ulp\n", kernel.name, static_cast<double>(worst));
  EXPECT_LE(worst, sizeof(T) == 4 ? reference.ulps32 : reference.ulps64)
      << fmt::format("{}({:a}, {:a}) = {:a}", kernel.name, a[at], b[at], results[at]);
}

template <class T>
void InstructionSetsTest::expect_bits(const CompiledKernel& kernel, const Scalar<T>& scalar,
                                      const std::array<std::vector<T>, 2>& pairs) {
  const auto& [a, b] = pairs;
  std::vector<T> results(a.size());
  apply(kernel, a, b, results);
  for (std::size_t i = 0; i < a.size(); ++i)
    ASSERT_TRUE(same_bits(results[i], scalar(a[i], b[i])))
        << fmt::format("{}({:a}, {:a}) = {:a}", kernel.name, a[i], b[i], results[i]);
}

/// Checks kernels of whole lists or groups of 64.
template <class T>
void InstructionSetsTest::expect_lists(const CompiledKernel& kernel,
                                       const std::array<std::vector<T>, 2>& pairs) {
  const auto& [a, b] = pairs;
  std::vector<T> results(a.size()), expected(a.size());
  const std::string name = kernel.name;
  if (name == "sum_of") {
    std::vector<T> finite = a;
    for (T& x : finite) x = std::isfinite(x) ? static_cast<T>(within(x, 1e6)) : T(1);
    apply(kernel, finite, b, results);
    testing::for_each_list(a.size(), [&](std::size_t begin, std::size_t size) {
      Exact sum = 0, magnitude = 0;
      for (std::size_t i = begin; i < begin + size; ++i) {
        sum += finite[i];
        magnitude += std::abs(finite[i]);
      }
      EXPECT_LE(std::abs(results[begin] - sum),
                static_cast<Exact>(size) * std::numeric_limits<T>::epsilon() * magnitude);
    });
    return;
  }
  apply(kernel, a, b, results);
  if (name == "descending_ranks") {
    testing::for_each_list(a.size(), [&](std::size_t begin, std::size_t size) {
      std::vector<std::size_t> order(size);
      std::iota(order.begin(), order.end(), begin);
      std::stable_sort(order.begin(), order.end(), [&](std::size_t i, std::size_t k) {
        return std::isnan(a[k]) ? !std::isnan(a[i]) : a[i] > a[k];
      });
      for (std::size_t rank = 0; rank < size; ++rank) expected[order[rank]] = static_cast<T>(rank);
    });
  } else if (name == "copy_chosen" || name == "bits_equal_to") {
    for (std::size_t i = 0; i + 64 <= a.size(); i += 64) {
      std::size_t next = i;
      for (std::size_t k = i; k < i + 64; ++k) {
        if (name == "bits_equal_to") expected[k] = a[k] > 0 ? 1 : 0;
        if (name == "copy_chosen" && b[k] > 0) expected[next++] = a[k];
      }
    }
  } else {
    FAIL() << name << " has no reference";
  }
  for (std::size_t i = 0; i < a.size(); ++i)
    ASSERT_TRUE(same_bits(results[i], expected[i])) << name << " at " << i;
}

template <class T>
void InstructionSetsTest::check(const std::array<std::vector<T>, 2>& pairs) {
  const auto all = references();
  const auto scalars = bits<T>();
  for (const CompiledKernel& kernel : kernels_) {
    if (const auto found = all.find(kernel.name); found != all.end())
      expect_within_bound(kernel, found->second, pairs);
    else if (const auto exact = scalars.find(kernel.name); exact != scalars.end())
      expect_bits(kernel, exact->second, pairs);
    else
      expect_lists(kernel, pairs);
  }
}

std::size_t count() { return nightly() ? 1000000 : 50000; }

TEST_P(InstructionSetsTest, Float32) { check(numbers<float>(count())); }
TEST_P(InstructionSetsTest, Float64) { check(numbers<double>(count())); }

INSTANTIATE_TEST_SUITE_P(Sets, InstructionSetsTest, ::testing::ValuesIn(instruction_sets()),
                         [](const auto& set) { return set.param.name; });

}  // namespace
}  // namespace ultr::instruction_sets_test
