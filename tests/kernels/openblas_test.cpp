#include "kernels/openblas.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include <dlfcn.h>
#include <gtest/gtest.h>

#include "testing/subprocess.h"

namespace ultr::openblas_test {
namespace {

void expect_exact_products() {
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

TEST(OpenBlasTest, ProductsAreWithinTheBoundOfTheirSums) { expect_exact_products(); }

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

template <class Function>
auto call(void* library, const char* name, Function*) {
  return reinterpret_cast<Function*>(dlsym(library, name))();
}

/// Loads OpenBLAS as a host program does, and then as ultr does. Exits with 0 if each has its own
/// kernels and threads, and products are exact.
[[noreturn]] void be_a_guest() {
  setenv("OPENBLAS_CORETYPE", "Prescott", 1);
  setenv("OPENBLAS_NUM_THREADS", "2", 1);
  void* const of_host = dlopen("libopenblas.so.0", RTLD_NOW | RTLD_LOCAL);
  unsetenv("OPENBLAS_CORETYPE");
  const auto threads_of_host = [&] {
    return call(of_host, "openblas_get_num_threads", &openblas_get_num_threads);
  };
  const int before = threads_of_host();
  const auto& [multiply, version, kernels, fitting_kernels] = openblas();
  EXPECT_TRUE(fitting_kernels.empty() || kernels == fitting_kernels) << kernels;
  expect_exact_products();
  EXPECT_STREQ(call(of_host, "openblas_get_corename", &openblas_get_corename), "Prescott");
  EXPECT_EQ(threads_of_host(), before);
  std::exit(::testing::Test::HasFailure() ? 1 : 0);
}

TEST(OpenBlasDeathTest, AHostKeepsItsKernelsAndThreads) {
#ifdef __x86_64__
  GTEST_FLAG_SET(death_test_style, "threadsafe");  // a process in which nothing is loaded yet
  EXPECT_EXIT(be_a_guest(), ::testing::ExitedWithCode(0), "");
#else
  GTEST_SKIP() << "the names of kernels are those of x86-64";
#endif
}

}  // namespace
}  // namespace ultr::openblas_test
