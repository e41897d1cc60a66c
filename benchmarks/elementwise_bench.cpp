#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include <benchmark/benchmark.h>

#include "autograd/ops/arithmetic.h"
#include "autograd/ops/logspace.h"
#include "autograd/tape/tape.h"
#ifdef ULTR_HAS_SLEEF
#include <sleef.h>
#endif
#ifdef ULTR_HAS_HIGHWAY
#include <hwy/highway.h>
// This header must follow highway.h.
#include <hwy/contrib/math/math-inl.h>
#endif

/// Elementwise ops on a tape, compared with a plain loop over the C library:
/// elementwise/<op>/<precision>/tape and .../libm, in elements per second and bytes moved (one read
/// per operand, one write). The arrays fit the second-level cache, as those of a training step do.
namespace {

constexpr std::int64_t count = 1 << 14;

template <class T>
std::vector<T> arguments(double low, double high) {
  std::vector<T> x;
  for (std::int64_t i = 0; i < count; ++i)
    x.push_back(static_cast<T>(low + (high - low) * static_cast<double>(i) / count));
  return x;
}

struct Op {
  std::string name;
  double low, high;  // of the arguments
  std::function<ultr::Tensor(ultr::Tensor, ultr::Tensor)> tape;
  int operands;
};

void set_counters(benchmark::State& state, int operands, std::size_t bytes) {
  const auto elements = static_cast<double>(state.iterations()) * static_cast<double>(count);
  state.counters["elements_per_second"] = benchmark::Counter(elements, benchmark::Counter::kIsRate);
  state.SetBytesProcessed(static_cast<std::int64_t>(elements) * (operands + 1) *
                          static_cast<std::int64_t>(bytes));
}

template <class T>
void run_tape(benchmark::State& state, const Op& op) {
  using namespace ultr;
  Tape tape(sizeof(T) == 4 ? Precision::float32 : Precision::float64, Tape::Gradients::off);
  const auto a = arguments<T>(op.low, op.high), b = arguments<T>(op.high, op.low);
  const Tensor x = tape.input(Shape::vector(count)), y = tape.input(Shape::vector(count));
  tape.bind(x, std::span<const T>(a));
  tape.bind(y, std::span<const T>(b));
  op.tape(x, y);
  for (auto _ : state) {
    tape.replay();
    benchmark::ClobberMemory();
  }
  set_counters(state, op.operands, sizeof(T));
}

template <class T, class Function>
void run_loop(benchmark::State& state, const Op& op, Function function) {
  const auto a = arguments<T>(op.low, op.high), b = arguments<T>(op.high, op.low);
  std::vector<T> result(static_cast<std::size_t>(count));
  for (auto _ : state) {
    for (std::size_t i = 0; i < result.size(); ++i) result[i] = function(a[i], b[i]);
    benchmark::DoNotOptimize(result.data());
    benchmark::ClobberMemory();
  }
  set_counters(state, op.operands, sizeof(T));
}

/// Registers an op in both precisions. The C library's function is inlined into its loop.
template <class Tape, class Libm>
void add(const std::string& name, double low, double high, int operands, Tape tape, Libm libm) {
  const Op op{name, low, high, tape, operands};
  const std::string prefix = "elementwise/" + name;
  benchmark::RegisterBenchmark((prefix + "/float32/tape").c_str(),
                               [op](benchmark::State& s) { run_tape<float>(s, op); });
  benchmark::RegisterBenchmark((prefix + "/float32/libm").c_str(), [op, libm](benchmark::State& s) {
    run_loop<float>(s, op, [&](float a, float b) { return libm(a, b); });
  });
  benchmark::RegisterBenchmark((prefix + "/float64/tape").c_str(),
                               [op](benchmark::State& s) { run_tape<double>(s, op); });
  benchmark::RegisterBenchmark((prefix + "/float64/libm").c_str(), [op, libm](benchmark::State& s) {
    run_loop<double>(s, op, [&](double a, double b) { return libm(a, b); });
  });
}

#if defined(ULTR_HAS_SLEEF) && defined(__AVX512F__)
/// Registers one of SLEEF's functions with at most 1 ulp of error.
template <class Function>
void add_sleef(const std::string& name, double low, double high, Function function) {
  benchmark::RegisterBenchmark(("elementwise/" + name + "/float32/sleef").c_str(),
                               [=](benchmark::State& state) {
                                 const auto a = arguments<float>(low, high);
                                 std::vector<float> result(a.size());
                                 for (auto _ : state) {
                                   for (std::size_t i = 0; i < a.size(); i += 16)
                                     _mm512_storeu_ps(&result[i], function(_mm512_loadu_ps(&a[i])));
                                   benchmark::ClobberMemory();
                                 }
                                 set_counters(state, 1, sizeof(float));
                               });
}
#endif

#ifdef ULTR_HAS_HIGHWAY
/// Registers a function of Highway's math library (at most 1 to 4 ulp of error).
template <class Function>
void add_highway(const std::string& name, double low, double high, Function function) {
  benchmark::RegisterBenchmark(("elementwise/" + name + "/float32/highway").c_str(),
                               [=](benchmark::State& state) {
                                 namespace hn = hwy::HWY_NAMESPACE;
                                 const hn::ScalableTag<float> d;
                                 const auto a = arguments<float>(low, high);
                                 std::vector<float> result(a.size());
                                 for (auto _ : state) {
                                   for (std::size_t i = 0; i < a.size(); i += hn::Lanes(d))
                                     hn::StoreU(function(d, hn::LoadU(d, &a[i])), d, &result[i]);
                                   benchmark::ClobberMemory();
                                 }
                                 set_counters(state, 1, sizeof(float));
                               });
}
#endif

const bool elementwise_registered = [] {
  add(
      "exp", -20, 20, 1, [](auto x, auto) { return ultr::exp(x); },
      [](auto x, auto) { return std::exp(x); });
  add(
      "log", 1e-3, 20, 1, [](auto x, auto) { return ultr::log(x); },
      [](auto x, auto) { return std::log(x); });
  add(
      "log1p", -0.99, 20, 1, [](auto x, auto) { return ultr::log1p(x); },
      [](auto x, auto) { return std::log1p(x); });
  add(
      "expm1", -20, 20, 1, [](auto x, auto) { return ultr::expm1(x); },
      [](auto x, auto) { return std::expm1(x); });
  add(
      "log_sigmoid", -20, 20, 1, [](auto x, auto) { return ultr::log_sigmoid(x); },
      [](auto x, auto) {
        using T = decltype(x);
        return std::min(x, T(0)) - std::log1p(std::exp(-std::abs(x)));
      });
  add(
      "log1mexp", -20, -1e-3, 1, [](auto x, auto) { return ultr::log1mexp(x); },
      [](auto x, auto) {
        using T = decltype(x);
        return x > T(-0.6931) ? std::log(-std::expm1(x)) : std::log1p(-std::exp(x));
      });
  add(
      "logaddexp", -20, 20, 2, [](auto x, auto y) { return ultr::logaddexp(x, y); },
      [](auto x, auto y) { return std::max(x, y) + std::log1p(std::exp(-std::abs(x - y))); });
#if defined(ULTR_HAS_SLEEF) && defined(__AVX512F__)
  add_sleef("exp", -20, 20, [](__m512 x) { return Sleef_expf16_u10(x); });
  add_sleef("log", 1e-3, 20, [](__m512 x) { return Sleef_logf16_u10(x); });
  add_sleef("log1p", -0.99, 20, [](__m512 x) { return Sleef_log1pf16_u10(x); });
  add_sleef("expm1", -20, 20, [](__m512 x) { return Sleef_expm1f16_u10(x); });
#endif
#ifdef ULTR_HAS_HIGHWAY
  namespace hn = hwy::HWY_NAMESPACE;
  add_highway("exp", -20, 20, [](auto d, auto x) { return hn::Exp(d, x); });
  add_highway("log", 1e-3, 20, [](auto d, auto x) { return hn::Log(d, x); });
  add_highway("log1p", -0.99, 20, [](auto d, auto x) { return hn::Log1p(d, x); });
  add_highway("expm1", -20, 20, [](auto d, auto x) { return hn::Expm1(d, x); });
#endif
  return true;
}();

}  // namespace
