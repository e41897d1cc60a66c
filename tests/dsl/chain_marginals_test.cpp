#include "dsl/chain_marginals.h"

#include <cmath>
#include <numeric>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "models/model_fixture.h"
#include "models/story_models.h"

// Other tests compare marginals with sums over all click vectors: with every model
// (testing/model_suite.cpp) and with a machine of three states (chain_test.cpp).

namespace ultr::chain_marginals_test {
namespace {

/// Returns one list of documents 1, 2, ..., which nobody clicked.
Shard list_of(std::size_t length) {
  std::vector<std::uint32_t> rows(length);
  std::iota(rows.begin(), rows.end(), 1u);
  std::vector<std::uint16_t> positions(length);
  std::iota(positions.begin(), positions.end(), std::uint16_t{0});
  SessionLog log;
  log.add({rows, positions, std::vector<std::uint8_t>(length)});
  return testing::pack_all(log);
}

TrainableModel model_of(const std::string& type, std::size_t length) {
  return testing::build_model(type, {.rows = static_cast<std::int64_t>(length) + 1,
                                     .positions = static_cast<std::int64_t>(length)});
}

/// 0.4^999 is far below the smallest number of float32, and of a double if squared.
TEST(ChainMarginalsTest, SharesThatAreTooSmallForADoubleAreNotImpossible) {
  constexpr std::size_t length = 1000;
  const TrainableModel model = model_of("cm", length);
  testing::parameter_called(model, "attraction").fill(1.5f);
  const Shard shard = list_of(length);
  for (const Precision precision : {Precision::float32, Precision::float64}) {
    ClickProgram program(model, ProgramKind::unconditional, length, precision);
    program.run(shard);
    const auto click = program.log_p(), skip = program.log_complement();
    double examined = 0;  // log P
    const double p = testing::probability_of(model, "attraction", 1);
    for (std::size_t k = 0; k < length; ++k, examined += std::log1p(-p)) {
      EXPECT_TRUE(std::isfinite(click[k])) << "rank " << k;
      if (examined > -600) {
        EXPECT_NEAR(click[k], examined + std::log(p), 2e-4) << "rank " << k;
      }
      EXPECT_LE(skip[k], precision == Precision::float32 ? 1e-6 : 1e-13) << "rank " << k;
    }
    EXPECT_LT(click.back(), -600);
  }
}

/// Complements are sums of their own, not 1 - p.
TEST(ChainMarginalsTest, ProbabilitiesNearOneAreExact) {
  const TrainableModel model = model_of("ubm", 3);
  testing::parameter_called(model, "examination").fill(30);
  testing::parameter_called(model, "attraction").fill(30);
  testing::parameter_called(model, "attraction.baseline").fill(0);
  ClickProgram program(model, ProgramKind::unconditional, 3, Precision::float64);
  program.run(list_of(3));
  for (const double log_skip : program.log_complement())
    EXPECT_NEAR(log_skip, std::log(2) - 30, 1e-12);
}

TEST(ChainMarginalsTest, ParametersThatAreNotFiniteGiveNoNumbers) {
  const TrainableModel model = model_of("ubm", 3);
  testing::parameter_called(model, "attraction").fill(std::nanf(""));
  ClickProgram program(model, ProgramKind::unconditional, 3);
  program.run(list_of(3));
  for (const double log_click : program.log_p()) EXPECT_TRUE(std::isnan(log_click));
}

}  // namespace
}  // namespace ultr::chain_marginals_test
