#include "dsl/programs/chain_marginals.h"

#include <cmath>
#include <numeric>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "models/model_fixture.h"
#include "models/models.h"
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

/// Returns lists of documents 1, 2, ... without gaps and, if wanted, one with gaps behind them.
Shard several_lists(bool gaps) {
  SessionLog log;
  for (std::size_t i = 0; i < 21; ++i) {
    const std::size_t length = 5 - i / 8;
    std::vector<std::uint32_t> rows;
    std::vector<std::uint16_t> positions;
    for (std::size_t k = 0; k < length; ++k) {
      rows.push_back(static_cast<std::uint32_t>(1 + (3 * i + k) % 6));
      positions.push_back(static_cast<std::uint16_t>(k));
    }
    log.add({rows, positions, std::vector<std::uint8_t>(length)});
  }
  if (gaps)
    log.add({std::array{2u}, std::array<std::uint16_t, 1>{4}, std::array<std::uint8_t, 1>{1}});
  return testing::pack_all(log);
}

/// Expects the logarithms of equal probabilities, of which none or both are impossible.
void expect_same(double log_p, double other, const std::string& type) {
  EXPECT_EQ(std::isinf(log_p), std::isinf(other)) << type;
  EXPECT_NEAR(std::exp(log_p), std::exp(other), 1e-12) << type;
}

/// Sessions are computed register by register, or last click by last click if one has gaps.
TEST(ChainMarginalsTest, ListsBesideOnesWithGapsHaveTheSameProbabilities) {
  std::vector<ModelType> types = testing::story_types();
  for (const ModelType& type : model_types())
    if (type.name == "ubm") types.push_back(type);
  ASSERT_EQ(types.size(), testing::story_types().size() + 1);
  for (const ModelType& type : types) {
    const TrainableModel model = testing::build_model(type, {.rows = 7, .positions = 6});
    testing::randomise(model, -1.5, 1.5, 8);
    for (const ProgramKind kind : {ProgramKind::unconditional, ProgramKind::examination}) {
      ClickProgram program(model, kind, 5, Precision::float64);
      const Shard gapless = several_lists(false), with_gaps = several_lists(true);
      program.run(gapless);
      const auto p = program.log_p(), complement = program.log_complement();
      program.run(with_gaps);
      const auto other_p = program.log_p(), other_complement = program.log_complement();
      for (std::size_t k = 0; k < gapless.longest(); ++k)
        for (std::size_t j = 0; j < gapless.count(k); ++j) {
          const std::size_t here = gapless.begin(k) + j, there = with_gaps.begin(k) + j;
          expect_same(p[here], other_p[there], type.name);
          expect_same(complement[here], other_complement[there], type.name);
        }
    }
  }
}

/// Float32 has no probabilities between 1 and 1 - 6e-8.
TEST(ChainMarginalsTest, LogarithmsOfProbabilitiesNearOneAreExactInFloat32) {
  const TrainableModel model = model_of("dbn", 3);
  testing::parameter_called(model, "attraction").fill(-21);
  testing::parameter_called(model, "attraction.baseline").fill(0);
  testing::parameter_called(model, "continuation").fill(0);
  for (const ProgramKind kind : {ProgramKind::unconditional, ProgramKind::conditional}) {
    ClickProgram program(model, kind, 3);
    program.run(list_of(3));
    const double p = 1 / (1 + std::exp(21.0));
    EXPECT_NEAR(program.log_p()[0], std::log(p), 1e-6);
    EXPECT_NEAR(program.log_complement()[0], std::log1p(-p), 1e-6 * p);
  }
}

}  // namespace
}  // namespace ultr::chain_marginals_test
