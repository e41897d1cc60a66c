#include "kernels/openblas.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "testing/subprocess.h"

namespace ultr::openblas_test {
namespace {

TEST(OpenBlasTest, ProductsAreWithinTheBoundOfTheirSums) {
  constexpr int rows = 999, inner = 1001, columns = 33;  // no multiples of a register
  std::mt19937 random(3);
  const auto matrix = [&](int height, int width) {
    std::vector<float> numbers(static_cast<std::size_t>(height * width));
    for (float& x : numbers)
      x = std::ldexp(static_cast<float>(random() >> 8) - 0x1p23f,
                     static_cast<int>(random() % 40) - 43);
    return numbers;
  };
  const std::vector<float> a = matrix(rows, inner), b = matrix(inner, columns);
  std::vector<float> product(static_cast<std::size_t>(rows * columns));
  openblas().multiply(CblasRowMajor, CblasNoTrans, CblasNoTrans, rows, columns, inner, 1, a.data(),
                      inner, b.data(), columns, 0, product.data(), columns);
  double worst = 0;
  for (std::size_t r = 0; r < rows; ++r)
    for (std::size_t c = 0; c < columns; ++c) {
      double sum = 0, magnitude = 0;
      for (std::size_t k = 0; k < inner; ++k) {
        const double term = static_cast<double>(a[r * inner + k]) * b[k * columns + c];
        sum += term;
        magnitude += std::abs(term);
      }
      worst = std::max(worst, std::abs(product[r * columns + c] - sum) / magnitude);
    }
  EXPECT_LT(worst, inner * std::numeric_limits<float>::epsilon() / 2);
  EXPECT_GT(worst, 0) << "nothing was rounded";
}

// OpenBLAS chooses its kernels when it is loaded, so each choice is a process of its own.
TEST(OpenBlasTest, EveryKernelOfTheProcessorIsAsExact) {
#ifdef __x86_64__
  std::vector<std::string> kernels = {"Prescott"};
  const std::string fitting = openblas().fitting_kernels;
  if (!fitting.empty()) kernels.emplace_back("Haswell");
  if (fitting == "SkylakeX") kernels.push_back(fitting);
  const std::string program = std::filesystem::read_symlink("/proc/self/exe");
  for (const std::string& kernel : kernels) {
    const testing::Finished finished =
        testing::run_program("/usr/bin/env",
                             {"OPENBLAS_CORETYPE=" + kernel, "OPENBLAS_VERBOSE=2", program,
                              "--gtest_filter=OpenBlasTest.ProductsAreWithinTheBoundOfTheirSums"},
                             "/");
    EXPECT_EQ(finished.exit_code, 0) << kernel << ": " << finished.output;
    EXPECT_NE(finished.errors.find("Core: " + kernel), std::string::npos) << finished.errors;
  }
#else
  GTEST_SKIP() << "the names of kernels are those of x86-64";
#endif
}

// Where this program's environment chooses kernels, the choice of the library itself is not seen.
TEST(OpenBlasTest, WithoutAChoiceTheKernelsFitTheProcessor) {
  const std::string fitting = openblas().fitting_kernels;
  if (fitting.empty()) GTEST_SKIP() << "OpenBLAS chooses the kernels of other processors itself";
  const testing::Finished finished =
      testing::run_program("/usr/bin/env",
                           {"-u", "OPENBLAS_CORETYPE", "OPENBLAS_VERBOSE=2",
                            std::filesystem::read_symlink("/proc/self/exe"),
                            "--gtest_filter=OpenBlasTest.ProductsAreWithinTheBoundOfTheirSums"},
                           "/");
  EXPECT_EQ(finished.exit_code, 0) << finished.output;
  EXPECT_NE(finished.errors.find("Core: " + fitting), std::string::npos) << finished.errors;
}

}  // namespace
}  // namespace ultr::openblas_test
