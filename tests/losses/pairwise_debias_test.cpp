#include "losses/pairwise_debias.h"

#include <array>
#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "losses/loss_variants.h"
#include "models/model_fixture.h"

namespace ultr::pairwise_debias_test {
namespace {

/// A loss without penalty of lists of three documents with logits of relevance 0.5, -0.25 and 1.
class PairwiseDebiasTest : public ::testing::Test {
 protected:
  static TrainableModel build(const std::string& options, std::array<double, 3> clicked,
                              std::array<double, 3> unclicked) {
    TrainableModel model = testing::build_loss("pairwise_debias", {.rows = 4, .positions = 3},
                                               "{penalty: 0, " + options + "}");
    for (Parameter* parameter : model.parameters()) parameter->fill(0);
    const auto set = [&](const std::string& name, std::int64_t entry, double value) {
      testing::parameter_called(model, name).value(entry) = static_cast<float>(value);
    };
    for (std::size_t k = 0; k < 3; ++k) {
      set("relevance", static_cast<std::int64_t>(k) + 1, relevance[k]);
      set("clicked_ratio", static_cast<std::int64_t>(k), std::log(clicked[k]));
      set("unclicked_ratio", static_cast<std::int64_t>(k), std::log(unclicked[k]));
    }
    return model;
  }
  static Shard shard_of(const std::vector<std::uint8_t>& clicks) {
    SessionLog log;
    log.add({std::vector<std::uint32_t>{1, 2, 3}, std::vector<std::uint16_t>{0, 1, 2}, clicks});
    return testing::pack_all(log);
  }
  /// The loss, unless told otherwise with a click on the second document of three.
  static double loss(const TrainableModel& model,
                     const std::vector<std::uint8_t>& clicks = {0, 1, 0}) {
    return ClickPrograms(model, ProgramKind::loss, Precision::float64).run(shard_of(clicks)).loss();
  }
  static std::vector<double> gradient(const TrainableModel& model, const std::string& parameter) {
    ClickPrograms programs(model, ProgramKind::loss, Precision::float64);
    const Shard shard = shard_of({0, 1, 0});
    ClickProgram& program = programs.run(shard);
    program.backward(1);
    return testing::gradients_of(model, program).at(parameter);
  }
  /// The logistic loss of the pair of a clicked document and another.
  static double pair(std::size_t other, std::size_t clicked = 1) {
    return std::log1p(std::exp(relevance[other] - relevance[clicked]));
  }
  static double discount(int rank) { return 1 / std::log2(1 + rank); }

  static constexpr std::array<double, 3> relevance = {0.5, -0.25, 1};
};

TEST_F(PairwiseDebiasTest, TheRankersPairsAreDividedByRatiosRelativeToTheFirst) {
  const std::array<double, 3> clicked = {2, 1, 3}, unclicked = {4, 1, 2};
  const double ranker = pair(0) / (1 / 2.) + pair(2) / (1 / 2. * 2 / 4.),
               ratios = pair(0) / (1 * 4) + pair(2) / (1 * 2);
  EXPECT_NEAR(loss(build("base: pairwise", clicked, unclicked)), ranker + ratios, 1e-6);
}

TEST_F(PairwiseDebiasTest, TheScaleOfRatiosDoesNotMatterToTheRanker) {
  for (const std::string base : {"pairwise", "lambdarank"}) {
    const auto scaled = [&](double scale) {
      return gradient(
          build("base: " + base, {scale, 0.5 * scale, 0.25 * scale}, {scale, scale, 0.5 * scale}),
          "relevance");
    };
    const std::vector<double> small = scaled(0.5), large = scaled(4);
    for (std::size_t i = 0; i < small.size(); ++i) EXPECT_NEAR(small[i], large[i], 1e-6);
  }
}

TEST_F(PairwiseDebiasTest, WeightsOfPairsAreLimited) {
  const std::array<double, 3> clicked = {1, 0.01, 1}, unclicked = {1, 1, 0.25};
  const double ranker = pair(0) * 5 + pair(2) * 5 * 4,
               ratios = pair(0) / 0.01 + pair(2) / (0.01 * 0.25);
  EXPECT_NEAR(loss(build("base: pairwise, max_weight: 5", clicked, unclicked)), ranker + ratios,
              1e-3);
}

/// The first two documents were clicked.
TEST_F(PairwiseDebiasTest, RatiosMayMultiplyGainsInPlaceOfDividingPairs) {
  const std::array<double, 3> clicked = {2, 1, 3}, unclicked = {4, 1, 2};
  const double first = 1, second = 1 / 2. * 1 / 4.;
  // By scores, the documents have ranks 2, 3 and 1.
  const double ranker = first * (discount(1) - discount(2)) * pair(2, 0) +
                        second * (discount(1) - discount(3)) * pair(2, 1),
               ideal = first * discount(1) + second * discount(2),
               ratios = pair(2, 0) / (2 * 2) + pair(2, 1) / (1 * 2);
  const std::string options = "ratio_use: multiply_gains, ratio_pairs: unweighted, normalise: ";
  EXPECT_NEAR(loss(build(options + "true", clicked, unclicked), {1, 1, 0}), ranker / ideal + ratios,
              1e-6);
  EXPECT_NEAR(loss(build(options + "false", clicked, unclicked), {1, 1, 0}), ranker + ratios, 1e-6);
}

TEST_F(PairwiseDebiasTest, MultipliedGainsOfASingleClickCancel) {
  const auto slopes = [](std::array<double, 3> ratios) {
    return gradient(build("ratio_use: multiply_gains", ratios, ratios), "relevance");
  };
  const std::vector<double> one = slopes({1, 1, 1}), other = slopes({1, 0.5, 0.25});
  for (std::size_t i = 0; i < one.size(); ++i) EXPECT_NEAR(one[i], other[i], 1e-6);
}

TEST_F(PairwiseDebiasTest, OnlyLambdarankHasGainsToMultiply) {
  EXPECT_THAT(
      [] {
        build("ratio_use: multiply_gains, base: pairwise", {1, 1, 1}, {1, 1, 1});
      },
      ::testing::ThrowsMessage<ConfigError>(::testing::HasSubstr("expected lambdarank")));
}

/// LambdaRank's weights apply to the ranker's pairs, and to those of the ratios unless options say
/// otherwise.
TEST_F(PairwiseDebiasTest, RatiosLearnFromThePairsOfTheBaseOrFromUnweightedPairs) {
  const std::array<double, 3> ones = {1, 1, 1};
  const auto slope = [&](const std::string& options) {
    return gradient(build(options, ones, ones), "clicked_ratio")[1];
  };
  // By scores, the documents have ranks 2, 3 and 1. The ideal DCG of one click is 1.
  const double weighted =
      pair(0) * (discount(2) - discount(3)) + pair(2) * (discount(1) - discount(3));
  EXPECT_NEAR(slope("base: lambdarank"), -weighted, 1e-6);
  EXPECT_NEAR(slope("base: lambdarank, ratio_pairs: unweighted"), -(pair(0) + pair(2)), 1e-6);
  EXPECT_NEAR(slope("base: pairwise"), -(pair(0) + pair(2)), 1e-6);
}

}  // namespace
}  // namespace ultr::pairwise_debias_test
