#include "experiment/loss_landscape.h"

#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "options/config_tree.h"
#include "options/read.h"

namespace ultr {
namespace {

LossLandscape landscape(const std::string& config) {
  LossLandscape analysis;
  read_options(parse_config(config, "test"), analysis);
  analysis.check();
  return analysis;
}

double cross_entropy(double target, double p) {
  return -(target * std::log(p) + (1 - target) * std::log(1 - p));
}

double number(const LossLandscape& analysis, const char* name) {
  return analysis.results(1, 1)[name].get<double>();
}

TEST(LossLandscapeTest, LossesAreTheirFormulas) {
  const double y = 0.5, o = 0.25;
  for (const double p : {0.1, 0.5, 0.9}) {
    EXPECT_NEAR(landscape("{loss: pbm, relevance: [0.5], examination: [0.25]}").losses({p})[0],
                cross_entropy(o * y, o * p), 1e-12);
    EXPECT_NEAR(landscape("{loss: ips, relevance: [0.5], examination: [0.25]}").losses({p})[0],
                cross_entropy(y, p), 1e-12);
  }
}

TEST(LossLandscapeTest, OneDocumentAloneIsFoundWhateverItsExamination) {
  for (const char* loss : {"pbm", "ips"})
    for (const char* examination : {"1", "0.5", "0.05"})
      EXPECT_NEAR(number(landscape(std::string("{relevance: [0.3], loss: ") + loss +
                                   ", examination: [" + examination + "]}"),
                         "minimum"),
                  0.3, 1e-6);
}

TEST(LossLandscapeTest, TwoDocumentsMeetInTheMeanOrWhereUsersLook) {
  const std::string documents = "relevance: [0.9, 0.1], examination: [0.1, 1]}";
  EXPECT_NEAR(number(landscape("{loss: ips, " + documents), "minimum"), (0.9 + 0.1) / 2, 1e-6);
  const double leaning = number(landscape("{loss: pbm, " + documents), "minimum");
  // d/dp of the mean of both: a quadratic equation in p whose root is near the observed document.
  const auto slope = [](double p) {
    return (0.09 - 0.1 * p) / (p * (1 - 0.1 * p)) + (0.1 - p) / (p * (1 - p));
  };
  EXPECT_NEAR(slope(leaning), 0, 1e-5);
  EXPECT_LT(leaning, 0.25);
}

TEST(LossLandscapeTest, ListsTheLossOfEveryEstimate) {
  const auto results = landscape("{points: 3}").results(1, 1);
  EXPECT_EQ(results["estimate"].get<std::vector<double>>(), (std::vector{0.25, 0.5, 0.75}));
  EXPECT_NEAR(results["loss"][0].get<double>(), cross_entropy(0.5, 0.25), 1e-12);
  EXPECT_NEAR(results["range"].get<double>(), cross_entropy(0.5, 0.25) - std::log(2), 1e-12);
  EXPECT_NEAR(results["smallest_loss"].get<double>(), std::log(2), 1e-12);
}

TEST(LossLandscapeTest, DocumentsHaveBothNumbers) {
  EXPECT_THAT([] { landscape("{relevance: [0.5, 0.1]}"); },
              ::testing::ThrowsMessage<ConfigError>(
                  "analysis.relevance has 2 documents, analysis.examination 1; expected one number "
                  "for each document in both"));
}

}  // namespace
}  // namespace ultr
