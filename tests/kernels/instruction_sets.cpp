// The kernels, and the ops that are made of them, as a library of their own. It is compiled once
// per set of instructions (tests/CMakeLists.txt), so that one program can compare them.
#include "kernels/instruction_sets.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <vector>

#include "autograd/ops/activations.cpp"  // NOLINT: compiled anew for other instructions
#include "autograd/ops/logspace.cpp"     // NOLINT
#include "autograd/ops/outcomes.cpp"     // NOLINT
#include "autograd/ops/select.cpp"       // NOLINT
#include "kernels/bits.h"
#include "kernels/descending_ranks.h"

namespace ultr {
namespace {

using testing::CompiledKernel;

/// Applies a function of packs to arrays.
template <class T, class Function>
void by_packs(const T* a, const T* b, T* to, std::size_t n, Function function) {
  for_each_pack<T>(n, [&](std::size_t i, auto... lanes) {
    Pack<T>(function(Pack<T>::load(a + i, lanes...), Pack<T>::load(b + i, lanes...)))
        .store(to + i, lanes...);
  });
}

/// Applies an op to vectors on a tape.
template <class T, class Op>
void on_tape(const T* a, const T* b, T* to, std::size_t n, Op op) {
  Tape tape(sizeof(T) == 4 ? Precision::float32 : Precision::float64);
  const Shape shape = Shape::vector(static_cast<std::int64_t>(n));
  const auto vector = [&](const T* x) {
    return tape.variable(shape, std::vector<double>(x, x + n));
  };
  const auto values = op(vector(a), vector(b)).values();
  std::transform(values.begin(), values.end(), to, [](double x) { return static_cast<T>(x); });
}

/// Sums each list; writes the sum to the place of its first number, and 0 to the others.
template <class T>
void sums(const T* a, const T*, T* to, std::size_t n) {
  std::fill_n(to, n, T(0));
  testing::for_each_list(
      n, [&](std::size_t begin, std::size_t size) { to[begin] = sum_of(a + begin, size); });
}

/// Ranks the numbers of each list.
template <class T>
void ranks(const T* a, const T*, T* to, std::size_t n) {
  std::vector<std::max_align_t> memory(
      detail::DescendingRanks<T>::bytes(1000) / sizeof(std::max_align_t) + 1);
  detail::DescendingRanks<T> ranked(reinterpret_cast<std::byte*>(memory.data()), 1000);
  testing::for_each_list(n, [&](std::size_t begin, std::size_t size) {
    std::transform(ranked(a + begin, size), ranked(a + begin, size) + size, to + begin,
                   [](auto rank) { return static_cast<T>(rank); });
  });
}

/// Copies of each 64 numbers those whose partner in b is positive to the front; the rest are 0.
template <class T>
void chosen(const T* a, const T* b, T* to, std::size_t n) {
  std::fill_n(to, n, T(0));
  for (std::size_t i = 0; i + 64 <= n; i += 64) {
    std::uint64_t bits = 0;
    for (std::size_t k = 0; k < 64; ++k) bits |= std::uint64_t{b[i + k] > 0} << k;
    T copies[64];
    std::copy_n(copies, copy_chosen(bits, a + i, copies), to + i);
  }
}

/// Returns 7 for each number that is positive, 0 for the others.
template <class T>
std::vector<std::uint8_t> positive(const T* x, std::size_t n) {
  std::vector<std::uint8_t> bytes(n);
  std::transform(x, x + n, bytes.begin(), [](T number) { return number > 0 ? 7 : 0; });
  return bytes;
}

/// Returns a where its partner in b is positive, else 0.
template <class T>
void masked(const T* a, const T* b, T* to, std::size_t n) {
  const std::vector<std::uint8_t> bytes = positive(b, n);
  for_each_pack<T>(n, [&](std::size_t i, auto... lanes) {
    where(load_mask<T>(&bytes[i], lanes...), Pack<T>::load(a + i, lanes...), Pack<T>(0))
        .store(to + i, lanes...);
  });
}

/// Returns 1 for each number of a whole group of 64 that is positive, else 0.
template <class T>
void equal_bytes(const T* a, const T*, T* to, std::size_t n) {
  const std::vector<std::uint8_t> bytes = positive(a, n);
  std::fill_n(to, n, T(0));
  for (std::size_t i = 0; i + 64 <= n; i += 64)
    for_each_bit(bits_equal_to(7, &bytes[i]), [&](std::size_t k) { to[i + k] = 1; });
}

/// Lists of each 64 numbers the places of those that are positive; the rest are 0.
template <class T>
void places_of_ones(const T* a, const T*, T* to, std::size_t n) {
  const std::vector<std::uint8_t> bytes = positive(a, n);
  std::fill_n(to, n, T(0));
  for (std::size_t i = 0; i + 64 <= n; i += 64) {
    std::array<std::uint32_t, 64> places;
    const std::size_t ones = list_ones(bits_equal_to(7, &bytes[i]), 1000, places.data());
    std::copy_n(places.begin(), ones, to + i);
  }
}

#define ULTR_KERNEL(name, apply)                                                                \
  CompiledKernel {                                                                              \
    name, [](const float* a, const float* b, float* to, std::size_t n) { apply(a, b, to, n); }, \
        [](const double* a, const double* b, double* to, std::size_t n) { apply(a, b, to, n); } \
  }
#define ULTR_PACKS(name, formula)                     \
  ULTR_KERNEL(name, ([](auto... all) {                \
                by_packs(all..., [](auto x, auto y) { \
                  static_cast<void>(y);               \
                  return formula;                     \
                });                                   \
              }))
#define ULTR_OP(name, formula)                           \
  ULTR_KERNEL(name, ([](auto... all) {                   \
                on_tape(all..., [](Tensor x, Tensor y) { \
                  static_cast<void>(y);                  \
                  return formula;                        \
                });                                      \
              }))

const CompiledKernel kernels[] = {
    ULTR_PACKS("exp", exp(x)),
    ULTR_PACKS("exp_of_difference", exp_of_difference(x, y)),
    ULTR_PACKS("expm1", expm1(x)),
    ULTR_PACKS("log", log(x)),
    ULTR_PACKS("log1p", log1p(x)),
    ULTR_PACKS("log1p_of_unit", log1p_of_unit(x)),
    ULTR_PACKS("log_of_complement", log_of_complement(x, y)),
    ULTR_PACKS("tanh", tanh(x)),
    ULTR_PACKS("sqrt", sqrt(x)),
    ULTR_PACKS("abs", abs(x)),
    ULTR_PACKS("min", min(x, y)),
    ULTR_PACKS("max", max(x, y)),
    ULTR_PACKS("with_sign_of", with_sign_of(abs(x), y)),
    ULTR_PACKS("where", where((x < y) | (!(y <= x)), x + 1, y)),
    ULTR_KERNEL("sum_of", sums),
    ULTR_KERNEL("descending_ranks", ranks),
    ULTR_KERNEL("copy_chosen", chosen),
    ULTR_KERNEL("load_mask", masked),
    ULTR_KERNEL("bits_equal_to", equal_bytes),
    ULTR_KERNEL("list_ones", places_of_ones),
    ULTR_OP("sigmoid", sigmoid(x)),
    ULTR_OP("sigmoid_from", sigmoid_from(0.25, x, -1)),
    ULTR_OP("log_sigmoid", log_sigmoid(x)),
    ULTR_OP("log_one_minus_sigmoid", log_one_minus_sigmoid(x)),
    ULTR_OP("softplus", softplus(x)),
    ULTR_OP("softplus_inverse", softplus_inverse(x)),
    ULTR_OP("log1mexp", log1mexp(x)),
    ULTR_OP("logit_of_log_prob", logit_of_log_prob(x)),
    ULTR_OP("logaddexp", logaddexp(x, y)),
    ULTR_OP("logsubexp", logsubexp(x, y)),
    ULTR_OP("log_outcome", log_outcome(greater(x, y), x)),
    ULTR_OP("log_both", log_both(greater(x, y), x, y)),
    ULTR_OP("log_not_both", log_not_both(x, y)),
    ULTR_OP("posterior_examination", posterior_examination(x, y)),
    ULTR_OP("sigmoid_cross_entropy", sigmoid_cross_entropy(x, y)),
    ULTR_OP("relu", relu(x)),
    ULTR_OP("elu", elu(x)),
};

}  // namespace
}  // namespace ultr

extern "C" [[gnu::visibility("default")]] const ultr::testing::CompiledKernel* compiled_kernels(
    std::size_t* count) {
  *count = std::size(ultr::kernels);
  return ultr::kernels;
}
