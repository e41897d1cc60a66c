#include "autograd/ops/matmul.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <csignal>
#include <cstdlib>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/time.h>

#include "autograd/ops/arithmetic.h"
#include "autograd/ops/reductions.h"
#include "autograd/ops/slice.h"
#include "autograd/tape/tape.h"
#include "testing/errors.h"
#include "testing/gradient.h"
#include "testing/tensors.h"

namespace ultr::matmul_test {
namespace {

using testing::variable;
using Numbers = std::vector<double>;

/// Returns the row-major product a b, computed in the plainest way.
Numbers product(const Numbers& a, const Numbers& b, std::size_t rows, std::size_t inner,
                std::size_t columns) {
  Numbers c(rows * columns, 0.0);
  for (std::size_t i = 0; i < rows; ++i)
    for (std::size_t j = 0; j < columns; ++j)
      for (std::size_t k = 0; k < inner; ++k)
        c[i * columns + j] += a[i * inner + k] * b[k * columns + j];
  return c;
}

Numbers transposed(const Numbers& a, std::size_t rows, std::size_t columns) {
  Numbers t(a.size());
  for (std::size_t i = 0; i < rows; ++i)
    for (std::size_t j = 0; j < columns; ++j) t[j * rows + i] = a[i * columns + j];
  return t;
}

/// Returns small integers, for which every order of summation gives the same numbers in both
/// precisions.
Numbers integers(std::size_t count, unsigned seed) {
  Numbers numbers = testing::draw({-4, 4, count}, seed);
  for (double& x : numbers) x = std::round(x);
  return numbers;
}

TEST(MatmulTest, EqualsTheTripleLoopAtManySizes) {
  for (const Precision precision : {Precision::float32, Precision::float64})
    for (const std::size_t rows : {0, 1, 3, 17, 130})
      for (const std::size_t inner : {1, 2, 16, 65})
        for (const std::size_t columns : {1, 5, 64}) {
          SCOPED_TRACE(::testing::Message() << rows << " x " << inner << " x " << columns);
          const Numbers a = integers(rows * inner, 1), b = integers(inner * columns, 2);
          const Numbers weights = integers(rows * columns, 3);
          Tape tape(precision);
          const auto signed_size = [](std::size_t n) { return static_cast<std::int64_t>(n); };
          const Tensor x = variable(tape, signed_size(rows), signed_size(inner), a);
          const Tensor y = variable(tape, signed_size(inner), signed_size(columns), b);
          const Tensor z = matmul(x, y);
          tape.backward(sum(z * tape.constant(z.shape(), weights)));
          ASSERT_EQ(z.values(), product(a, b, rows, inner, columns));
          ASSERT_EQ(x.gradient(),
                    product(weights, transposed(b, inner, columns), rows, columns, inner));
          ASSERT_EQ(y.gradient(),
                    product(transposed(a, rows, inner), weights, inner, rows, columns));
        }
}

TEST(MatmulTest, GradientsAddToThoseOfOtherUses) {
  Tape tape(Precision::float64);
  const Tensor x = variable(tape, 2, 2, {1, 2, 3, 4});
  // d sum(x x) / dx_ij = row sum j + column sum i
  tape.backward(sum(matmul(x, x)) + 10 * sum(x));
  EXPECT_EQ(x.gradient(), (Numbers{10 + 3 + 4, 10 + 7 + 4, 10 + 3 + 6, 10 + 7 + 6}));
}

TEST(MatmulTest, OfSlices) {
  Tape tape(Precision::float64);
  const Tensor x = variable(tape, 3, 2, {1, 2, 3, 4, 5, 6});
  const Tensor first = slice(x, {0, 2}), last = slice(x, {1, 2});
  const Tensor y = matmul(first, last);
  EXPECT_EQ(y.values(), (Numbers{1 * 3 + 2 * 5, 1 * 4 + 2 * 6, 3 * 3 + 4 * 5, 3 * 4 + 4 * 6}));
  tape.backward(sum(y));
  EXPECT_EQ(x.gradient(), (Numbers{3 + 4, 5 + 6, 3 + 4 + 1 + 3, 5 + 6 + 1 + 3, 2 + 4, 2 + 4}));
}

TEST(MatmulTest, RowsMayBeBoundAtRunTime) {
  Tape tape(Precision::float64);
  const Extent rows = tape.extent(4);
  const Tensor x = tape.input(Shape::matrix(rows, 2)), w = variable(tape, 2, 1, {10, 1});
  const Tensor y = matmul(x, w), loss = sum(y);
  const Numbers numbers = {1, 2, 3, 4, 5, 6, 7, 8};
  for (const std::size_t n : {4, 1, 0, 3}) {
    tape.bind(rows, static_cast<std::int64_t>(n));
    tape.bind(x, std::span(numbers).first(2 * n));
    tape.replay();
    tape.backward(loss);
    const Numbers some(numbers.begin(), numbers.begin() + static_cast<std::ptrdiff_t>(2 * n));
    EXPECT_EQ(y.values(), product(some, {10, 1}, n, 2, 1));
    EXPECT_EQ(w.gradient(), product(transposed(some, n, 2), Numbers(n, 1), 2, n, 1));
  }
}

TEST(MatmulTest, NamesItsLibrary) {
  EXPECT_THAT(matmul_kernel(), ::testing::MatchesRegex("OpenBLAS [0-9]+\\.[0-9]+\\.[0-9]+ with "
                                                       "[A-Za-z0-9_]+ kernels.*"));
  if (std::getenv("OPENBLAS_CORETYPE") == nullptr) {
    EXPECT_THAT(matmul_kernel(), ::testing::EndsWith(" kernels")) << "not those of the processor";
  }
}

std::atomic<int> signals = 0;

/// A timer whose signals interrupt the process during its lifetime, as those of a profiler do.
class SignalTimer {
 public:
  SignalTimer() {
    struct sigaction count = {};
    count.sa_handler = [](int) { ++signals; };
    count.sa_flags = SA_RESTART;
    sigaction(SIGALRM, &count, &before_);
    const itimerval often{{0, 200}, {0, 200}};  // microseconds
    setitimer(ITIMER_REAL, &often, nullptr);
  }
  ~SignalTimer() {
    const itimerval never{};
    setitimer(ITIMER_REAL, &never, nullptr);
    sigaction(SIGALRM, &before_, nullptr);
  }
  SignalTimer(const SignalTimer&) = delete;
  SignalTimer& operator=(const SignalTimer&) = delete;

 private:
  struct sigaction before_ = {};
};

TEST(MatmulTest, SignalsChangeNoResult) {
  // Shapes of a tower's products, of full and of small shards.
  struct Sizes {
    std::int64_t rows, inner, columns;
  };
  Tape tape;
  std::vector<Tensor> outputs;
  for (const Sizes& sizes : {Sizes{240, 300, 64}, Sizes{240, 64, 32}, Sizes{17, 300, 64}}) {
    const auto numbers = [&](std::int64_t rows, std::int64_t columns, unsigned seed) {
      return variable(tape, rows, columns,
                      testing::draw({-1, 1, static_cast<std::size_t>(rows * columns)}, seed));
    };
    outputs.push_back(
        matmul(numbers(sizes.rows, sizes.inner, 1), numbers(sizes.inner, sizes.columns, 2)));
  }
  tape.require(outputs);
  const auto results = [&] {
    tape.replay();
    std::vector<Numbers> values;
    for (const Tensor& output : outputs) values.push_back(output.values());
    return values;
  };
  const std::vector<Numbers> expected = results();
  signals = 0;
  const SignalTimer timer;
  while (signals < 3000) ASSERT_TRUE(results() == expected) << "after " << signals << " signals";
}

TEST(MatmulTest, ThreadsMultiplyAtTheSameTime) {
  constexpr std::int64_t rows = 64, inner = 300, columns = 64;
  const auto product_of_a_thread = [&] {
    Tape tape;
    const Tensor output =
        matmul(variable(tape, rows, inner, testing::draw({-1, 1, rows * inner}, 1)),
               variable(tape, inner, columns, testing::draw({-1, 1, inner * columns}, 2)));
    tape.require(std::array{output});
    Numbers values;
    for (int run = 0; run < 200; ++run) {
      tape.replay();
      if (run == 0) values = output.values();
      if (output.values() != values) return Numbers{};
    }
    return values;
  };
  const Numbers expected = product_of_a_thread();
  std::vector<Numbers> values(8);
  std::vector<std::jthread> threads;
  for (Numbers& own : values) threads.emplace_back([&] { own = product_of_a_thread(); });
  threads.clear();  // joins them
  for (const Numbers& own : values) EXPECT_TRUE(own == expected);
  EXPECT_FALSE(expected.empty());
}

TEST(MatmulTest, ErrorsNameBothShapes) {
  Tape tape, other;
  const auto matrix = [](Tape& on, std::int64_t rows, std::int64_t columns) {
    return on.input(Shape::matrix(rows, columns));
  };
  EXPECT_EQ(testing::shape_error([&] { matmul(matrix(tape, 32, 8), matrix(tape, 9, 4)); }),
            "matmul: a is [32, 8], b is [9, 4]; inner sizes 8 and 9 differ");
  EXPECT_EQ(testing::shape_error([&] {
              matmul(matrix(tape, 32, 8), variable(tape, {1, 2}));
            }),
            "matmul: a is [32, 8], b is [2]; expected two matrices");
  EXPECT_EQ(testing::shape_error([&] { matmul(tape.constant(2), matrix(tape, 32, 8)); }),
            "matmul: a is [], b is [32, 8]; expected two matrices");
  EXPECT_EQ(testing::shape_error([&] { matmul(matrix(tape, 2, 3), matrix(other, 3, 2)); }),
            "matmul: the operands are on different tapes");
}

TEST(AffineTest, EqualsTheProductPlusTheBiasAtManySizes) {
  for (const Precision precision : {Precision::float32, Precision::float64})
    for (const std::size_t rows : {0, 1, 3, 130})
      for (const std::size_t inner : {1, 16, 65})
        for (const std::size_t columns : {1, 5, 64}) {
          SCOPED_TRACE(::testing::Message() << rows << " x " << inner << " x " << columns);
          const auto signed_size = [](std::size_t n) { return static_cast<std::int64_t>(n); };
          const Numbers a = integers(rows * inner, 1), b = integers(inner * columns, 2);
          const Numbers bias = integers(columns, 4), weights = integers(rows * columns, 3);
          Tape tape(precision);
          const Tensor x = variable(tape, signed_size(rows), signed_size(inner), a);
          const Tensor y = variable(tape, signed_size(inner), signed_size(columns), b);
          const Tensor c = variable(tape, bias), z = affine(x, y, c);
          tape.backward(sum(z * tape.constant(z.shape(), weights)));
          Numbers expected = product(a, b, rows, inner, columns);
          for (std::size_t i = 0; i < expected.size(); ++i) expected[i] += bias[i % columns];
          ASSERT_EQ(z.values(), expected);
          ASSERT_EQ(x.gradient(),
                    product(weights, transposed(b, inner, columns), rows, columns, inner));
          ASSERT_EQ(y.gradient(),
                    product(transposed(a, rows, inner), weights, inner, rows, columns));
          ASSERT_EQ(c.gradient(), product(Numbers(rows, 1), weights, 1, rows, columns));
        }
}

TEST(AffineTest, ErrorsNameTheShapes) {
  Tape tape;
  const Tensor x = tape.input(Shape::matrix(32, 8)), w = tape.input(Shape::matrix(8, 4));
  EXPECT_EQ(testing::shape_error([&] { affine(x, tape.input(Shape::matrix(9, 4)), w); }),
            "affine: a is [32, 8], b is [9, 4]; inner sizes 8 and 9 differ");
  EXPECT_EQ(testing::shape_error([&] {
              affine(x, w, variable(tape, {1, 2}));
            }),
            "affine: the bias is [2]; expected [4]");
  EXPECT_EQ(testing::shape_error([&] { affine(x, w, tape.input(Shape::matrix(1, 4))); }),
            "affine: the bias is [1, 4]; expected [4]");
}

TEST(MatvecTest, OfASingleColumnTakesAScalar) {
  Tape tape(Precision::float64);
  const Tensor y = matvec(variable(tape, 3, 1, {1, 2, 3}), tape.constant(2));
  EXPECT_EQ(y.shape(), Shape::vector(3));
  EXPECT_EQ(y.values(), (Numbers{2, 4, 6}));
}

TEST(MatvecTest, EqualsTheProductWithOneColumnAtManySizes) {
  for (const Precision precision : {Precision::float32, Precision::float64})
    for (const std::size_t rows : {0, 1, 3, 17})
      for (const std::size_t inner : {1, 2, 7, 16, 33, 65}) {
        SCOPED_TRACE(::testing::Message() << rows << " x " << inner);
        const Numbers a = integers(rows * inner, 1), x = integers(inner, 2);
        const Numbers weights = integers(rows, 3);
        Tape tape(precision);
        const Tensor matrix =
            variable(tape, static_cast<std::int64_t>(rows), static_cast<std::int64_t>(inner), a);
        const Tensor vector = variable(tape, x), y = matvec(matrix, vector);
        EXPECT_EQ(y.shape(), Shape::vector(static_cast<std::int64_t>(rows)));
        tape.backward(sum(y * testing::constant(tape, weights)));
        ASSERT_EQ(y.values(), product(a, x, rows, inner, 1));
        ASSERT_EQ(matrix.gradient(), product(weights, x, rows, 1, inner));
        ASSERT_EQ(vector.gradient(), product(transposed(a, rows, inner), weights, inner, rows, 1));
      }
}

TEST(MatvecTest, GradientsAddToThoseOfOtherUses) {
  Tape tape(Precision::float64);
  const Tensor a = variable(tape, 2, 2, {1, 2, 3, 4}), x = variable(tape, {5, 6});
  // The gradients of the sum of a (a x) are 1 (a x)ᵀ + (aᵀ 1) xᵀ for a and aᵀ aᵀ 1 for x.
  tape.backward(sum(matvec(a, matvec(a, x))) + 10 * sum(a) + 20 * sum(x));
  const double first = 1 * 5 + 2 * 6, second = 3 * 5 + 4 * 6, left = 1 + 3, right = 2 + 4;
  EXPECT_EQ(a.gradient(), (Numbers{10 + first + left * 5, 10 + second + left * 6,
                                   10 + first + right * 5, 10 + second + right * 6}));
  EXPECT_EQ(x.gradient(), (Numbers{20 + 1 * left + 3 * right, 20 + 2 * left + 4 * right}));
}

TEST(MatvecTest, ErrorsNameBothShapes) {
  Tape tape, other;
  const Tensor a = tape.input(Shape::matrix(32, 8));
  EXPECT_EQ(testing::shape_error([&] {
              matvec(a, variable(tape, {1, 2}));
            }),
            "matvec: a is [32, 8], x is [2]; inner sizes 8 and 2 differ");
  EXPECT_EQ(testing::shape_error([&] { matvec(a, a); }),
            "matvec: a is [32, 8], x is [32, 8]; expected a matrix and a vector");
  EXPECT_EQ(testing::shape_error([&] {
              matvec(variable(tape, {1, 2}), variable(tape, {1, 2}));
            }),
            "matvec: a is [2], x is [2]; expected a matrix and a vector");
  EXPECT_EQ(testing::shape_error([&] {
              matvec(a, variable(other, {1, 2}));
            }),
            "matvec: the operands are on different tapes");
}

}  // namespace
}  // namespace ultr::matmul_test
