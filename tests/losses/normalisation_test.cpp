#include <cmath>

#include <gtest/gtest.h>

#include "losses/loss_variants.h"
#include "models/model_fixture.h"

namespace ultr::normalisation_test {
namespace {

/// Computes a loss of one list whose second and third documents were clicked.
double loss(const std::string& type, const std::string& options) {
  const TrainableModel model = testing::build_loss(type, {.rows = 4, .positions = 3}, options);
  for (Parameter* parameter : model.parameters()) parameter->fill(0);
  testing::parameter_called(model, "relevance").value(1) = 1.5f;
  SessionLog log;
  log.add({std::vector<std::uint32_t>{1, 2, 3}, std::vector<std::uint16_t>{0, 1, 2},
           std::vector<std::uint8_t>{0, 1, 1}});
  return ClickPrograms(model, ProgramKind::loss, Precision::float64)
      .run(testing::pack_all(log))
      .loss();
}

/// Hager et al. (SIGIR 2024) divide LambdaRank's loss by the ideal DCG for pairwise debiasing only.
TEST(NormalisationTest, DividesLambdaRankByTheIdealDcgUnlessItIsSwitchedOff) {
  const double ideal_dcg = 1 + 1 / std::log2(3);
  for (const auto& [type, options] : {std::pair("naive", "base: lambdarank"),
                                      {"pairwise_debias", "penalty: 0, base: lambdarank"}}) {
    const auto given = [&](const std::string& normalise) {
      return loss(type, "{" + std::string(options) + normalise + "}");
    };
    EXPECT_GT(given(""), 0) << type;
    EXPECT_EQ(given(""), given(", normalise: true")) << type;
    EXPECT_NEAR(given(", normalise: false"), ideal_dcg * given(""), 1e-12) << type;
  }
}

}  // namespace
}  // namespace ultr::normalisation_test
