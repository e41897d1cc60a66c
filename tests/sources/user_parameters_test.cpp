#include <cmath>

#include <gtest/gtest.h>

#include "models/model_fixture.h"
#include "sources/click_model_user.h"
#include "testing/errors.h"

namespace ultr::user_parameters_test {
namespace {

using testing::probability_of;

constexpr std::int64_t rows = 4, positions = 3;
const ModelSetting setting = {.rows = rows, .positions = positions};

TrainableModel user(const std::string& type, const std::string& options = "{}") {
  TrainableModel model = testing::build_model(type, setting, options);
  set_user_parameters(model, setting,
                      {.eta = 2,
                       .global = 0.7,
                       .document =
                           [](std::uint32_t layer, Domain, std::int64_t entry) {
                             return finite_logit(0.1 * layer + 0.01 * static_cast<double>(entry));
                           }},
                      "section");
  return model;
}

TEST(UserParametersTest, RanksAreExaminedByThePowerLaw) {
  const TrainableModel pbm = user("pbm");
  EXPECT_NEAR(probability_of(pbm, "examination", 0), 1, 1e-5);
  EXPECT_NEAR(probability_of(pbm, "examination", 1), 1 / 4., 1e-6);
  EXPECT_NEAR(probability_of(pbm, "examination", 2), 1 / 9., 1e-6);
  const TrainableModel ubm = user("ubm");
  for (std::size_t rank = 1; rank <= 3; ++rank)  // entry: position times (positions + 1) + last
    for (std::size_t last = 0; last < rank; ++last)
      EXPECT_NEAR(probability_of(ubm, "examination", (rank - 1) * 4 + last),
                  std::pow(1 / static_cast<double>(rank - last), 2), 1e-5);
}

TEST(UserParametersTest, SetsDocumentAndGlobalParameters) {
  const TrainableModel dbn = user("dbn");
  std::uint32_t number = 0;
  for (const TrainableModel::Layer& layer : dbn.layers()) {
    ++number;
    if (layer.domain == Domain::global) {
      EXPECT_NEAR(probability_of(dbn, layer.name, 0), 0.7, 1e-6);
    }
    if (layer.domain != Domain::document) continue;
    for (std::size_t row = 0; row < rows; ++row)
      EXPECT_NEAR(probability_of(dbn, layer.name, row),
                  0.1 * number + 0.01 * static_cast<double>(row), 1e-6);
  }
}

TEST(UserParametersTest, KeepsGivenStarts) {
  const TrainableModel pbm = user("pbm", "{examination: {type: table, start: 0.25}}");
  EXPECT_NEAR(probability_of(pbm, "examination", 1), 0.25, 1e-6);
}

TEST(UserParametersTest, RejectsLayersWithoutALogitForEachEntry) {
  EXPECT_EQ(testing::config_message([] {
              user("pbm", "{attraction: {type: embedding, compression: hash, ratio: 2}}");
            }),
            "section.attraction: the layer does not have one logit per document; expected "
            "embedding or table");
}

TEST(FiniteLogitTest, IsTheClampedLogit) {
  EXPECT_DOUBLE_EQ(finite_logit(0.8), std::log(0.8 / 0.2));
  for (const double p : {0., 1.}) EXPECT_TRUE(std::isfinite(finite_logit(p)));
  EXPECT_LT(finite_logit(0), -60);
  EXPECT_GT(finite_logit(1), 13);
}

}  // namespace
}  // namespace ultr::user_parameters_test
