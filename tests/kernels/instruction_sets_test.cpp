#include "kernels/instruction_sets.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include <dlfcn.h>
#include <fmt/core.h>
#include <gtest/gtest.h>
#ifdef ULTR_KERNELS_SSE2
#include <immintrin.h>
#endif

#include "kernels/scalar_references.h"

// Every kernel, compiled for SSE2, AVX2 and AVX-512, on the same numbers as the C library's scalar
// functions: within the bound that its header states, or to the bit where no arithmetic rounds.

namespace ultr::instruction_sets_test {
namespace {

using testing::CompiledKernel;
using testing::CompiledKernels;
using testing::Exact;
using testing::Reference;
using testing::Scalar;

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
  template <class T>
  void expect_no_subnormals();

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
    for (T& x : finite) x = std::isfinite(x) ? static_cast<T>(testing::within(x, 1e6)) : T(1);
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
  } else if (name == "copy_chosen" || name == "bits_equal_to" || name == "list_ones") {
    for (std::size_t i = 0; i + 64 <= a.size(); i += 64) {
      std::size_t next = i;
      for (std::size_t k = i; k < i + 64; ++k) {
        if (name == "bits_equal_to") expected[k] = a[k] > 0 ? 1 : 0;
        if (name == "copy_chosen" && b[k] > 0) expected[next++] = a[k];
        if (name == "list_ones" && a[k] > 0) expected[next++] = static_cast<T>(1000 + k - i);
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
  const auto all = testing::references();
  const auto scalars = testing::exact_functions<T>();
  for (const CompiledKernel& kernel : kernels_) {
    if (const auto found = all.find(kernel.name); found != all.end())
      expect_within_bound(kernel, found->second, pairs);
    else if (const auto exact = scalars.find(kernel.name); exact != scalars.end())
      expect_bits(kernel, exact->second, pairs);
    else
      expect_lists(kernel, pairs);
  }
}

/// Returns numbers of many sizes whose exponentials, and the powers of these, are far from the
/// subnormal numbers of T, or 0.
template <class T>
std::vector<T> far_from_subnormal() {
  std::vector<T> all = {-std::numeric_limits<T>::infinity(), T(0)};
  constexpr int steps_per_octave = 4;
  for (const double sign : {1.0, -1.0}) {
    for (int k = -36 * steps_per_octave; k <= 5 * steps_per_octave; ++k)
      all.push_back(static_cast<T>(sign * std::exp2(static_cast<double>(k) / steps_per_octave)));
    if (sizeof(T) == 4)  // where e^x is 0 in float32
      for (const double far : {200.0, 400.0, 650.0}) all.push_back(static_cast<T>(sign * far));
  }
  return all;
}

/// True if an operation since the last call of forget_subnormals() met a subnormal number. Intel's
/// processors then take a hundred times as long.
bool met_subnormals() {
#ifdef ULTR_KERNELS_SSE2
  return (_mm_getcsr() & (_MM_EXCEPT_DENORM | _MM_EXCEPT_UNDERFLOW)) != 0;
#else
  return false;
#endif
}
void forget_subnormals() {
#ifdef ULTR_KERNELS_SSE2
  _mm_setcsr(_mm_getcsr() & ~static_cast<unsigned>(_MM_EXCEPT_MASK));
#endif
}

template <class T>
void InstructionSetsTest::expect_no_subnormals() {
  const auto references = testing::references();
  for (const CompiledKernel& kernel : kernels_) {
    const auto found = references.find(kernel.name);
    if (found == references.end()) continue;
    for (const T x : far_from_subnormal<T>())
      for (const T y : {T(0), T(0.5), T(-3)}) {
        const auto [a, b] = found->second.domain(x, y);
        const std::vector<T> as(64, static_cast<T>(a)), bs(64, static_cast<T>(b));
        std::vector<T> results(as.size());
        forget_subnormals();
        apply(kernel, as, bs, results);
        EXPECT_FALSE(met_subnormals()) << fmt::format("{}({}, {})", kernel.name, a, b);
      }
  }
}

std::size_t count() { return nightly() ? 1000000 : 50000; }

TEST_P(InstructionSetsTest, Float32) { check(numbers<float>(count())); }
TEST_P(InstructionSetsTest, Float64) { check(numbers<double>(count())); }
TEST_P(InstructionSetsTest, Float32MeetsNoSubnormalsOnTheWay) { expect_no_subnormals<float>(); }
TEST_P(InstructionSetsTest, Float64MeetsNoSubnormalsOnTheWay) { expect_no_subnormals<double>(); }

INSTANTIATE_TEST_SUITE_P(Sets, InstructionSetsTest, ::testing::ValuesIn(instruction_sets()),
                         [](const auto& set) { return set.param.name; });

}  // namespace
}  // namespace ultr::instruction_sets_test
