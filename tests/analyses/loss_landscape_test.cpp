#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analyses/analyses.h"
#include "experiment/registry.h"
#include "experiment/task.h"
#include "options/config_tree.h"
#include "options/read.h"

namespace ultr::loss_landscape_test {
namespace {

nlohmann::ordered_json landscape(const std::string& config) {
  const auto options = loss_landscape_type().make();
  auto& analysis = dynamic_cast<Task&>(*options);
  read_options(parse_config(config, "test"), analysis);
  analysis.check();
  Registry registry;
  return analysis.run({.registry = registry}).json;
}

double cross_entropy(double target, double p) {
  return -(target * std::log(p) + (1 - target) * std::log(1 - p));
}

double number(const std::string& config, const char* name) {
  return landscape(config)[name].get<double>();
}

TEST(LossLandscapeTest, LossesAreTheirFormulas) {
  const double y = 0.5, o = 0.25;
  const std::string document = "relevance: [0.5], examination: [0.25], points: 9}";
  const auto pbm = landscape("{loss: pbm, " + document), ips = landscape("{loss: ips, " + document);
  for (std::size_t i = 0; i < 9; ++i) {
    const double p = static_cast<double>(i + 1) / 10;
    EXPECT_NEAR(pbm["loss"][i].get<double>(), cross_entropy(o * y, o * p), 1e-12);
    EXPECT_NEAR(ips["loss"][i].get<double>(), cross_entropy(y, p), 1e-12);
  }
}

TEST(LossLandscapeTest, OneDocumentAloneIsFoundWhateverItsExamination) {
  for (const char* loss : {"pbm", "ips"})
    for (const char* examination : {"1", "0.5", "0.05"})
      EXPECT_NEAR(number(std::string("{relevance: [0.3], loss: ") + loss + ", examination: [" +
                             examination + "]}",
                         "minimum"),
                  0.3, 1e-6);
}

TEST(LossLandscapeTest, TwoDocumentsMeetInTheMeanOrWhereUsersLook) {
  const std::string documents = "relevance: [0.9, 0.1], examination: [0.1, 1]}";
  EXPECT_NEAR(number("{loss: ips, " + documents, "minimum"), (0.9 + 0.1) / 2, 1e-6);
  const double leaning = number("{loss: pbm, " + documents, "minimum");
  // d/dp of the mean of both: a quadratic equation in p whose root is near the observed document.
  const auto slope = [](double p) {
    return (0.09 - 0.1 * p) / (p * (1 - 0.1 * p)) + (0.1 - p) / (p * (1 - p));
  };
  EXPECT_NEAR(slope(leaning), 0, 1e-5);
  EXPECT_LT(leaning, 0.25);
}

TEST(LossLandscapeTest, ListsTheLossOfEveryEstimate) {
  const auto results = landscape("{points: 3}");
  EXPECT_EQ(results["estimate"].get<std::vector<double>>(), (std::vector{0.25, 0.5, 0.75}));
  EXPECT_NEAR(results["loss"][0].get<double>(), cross_entropy(0.5, 0.25), 1e-12);
  EXPECT_NEAR(results["range"].get<double>(), cross_entropy(0.5, 0.25) - std::log(2), 1e-12);
  EXPECT_NEAR(results["smallest_loss"].get<double>(), std::log(2), 1e-12);
}

TEST(LossLandscapeTest, GradientsAreThoseOfClickRatesAndOfSingleClicks) {
  const double y = 0.5, o = 0.25, rate = o * y;
  const std::string document = "relevance: [0.5], examination: [0.25], points: 9}";
  const auto pbm = landscape("{loss: pbm, " + document), ips = landscape("{loss: ips, " + document);
  double mean = 0;
  for (std::size_t i = 0; i < 9; ++i) {
    const double p = static_cast<double>(i + 1) / 10;
    const auto of_pbm = [&](double c) {
      return -c * (1 - p) + (1 - c) * o * p * (1 - p) / (1 - o * p);
    };
    const auto of_ips = [&](double c) { return p - c / o; };
    const auto root = [&](const auto& slope) {
      return std::sqrt(rate * slope(1) * slope(1) + (1 - rate) * slope(0) * slope(0));
    };
    EXPECT_NEAR(pbm["gradient"][i].get<double>(), std::abs(of_pbm(rate)), 1e-12);
    EXPECT_NEAR(ips["gradient"][i].get<double>(), std::abs(p - y), 1e-12);
    EXPECT_NEAR(pbm["click_gradient"][i].get<double>(), root(of_pbm), 1e-12);
    EXPECT_NEAR(ips["click_gradient"][i].get<double>(), root(of_ips), 1e-12);
    mean += root(of_ips) / 9;
  }
  EXPECT_NEAR(ips["mean_click_gradient"].get<double>(), mean, 1e-12);
  const auto both =
      landscape("{loss: ips, relevance: [0.9, 0.1], examination: [0.1, 1], points: 1}");
  EXPECT_NEAR(both["mean_gradient"].get<double>(), 0.4, 1e-12);
}

TEST(LossLandscapeTest, DocumentsHaveBothNumbers) {
  EXPECT_THAT([] { landscape("{relevance: [0.5, 0.1]}"); },
              ::testing::ThrowsMessage<ConfigError>(
                  "analysis.relevance has 2 documents, analysis.examination 1; expected one number "
                  "for each document in both"));
}

}  // namespace
}  // namespace ultr::loss_landscape_test
