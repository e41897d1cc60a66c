#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analyses/analyses.h"
#include "experiment/task.h"
#include "models/model_fixture.h"
#include "testing/errors.h"

namespace ultr::time_to_loss_test {
namespace {

using Json = nlohmann::ordered_json;

Json race(const std::string& options) {
  const Registry& registry = testing::registry();
  const auto made =
      time_to_loss_type(registry.data(), registry.models(), registry.optimizers()).make();
  testing::configure(*made, options);
  auto& analysis = dynamic_cast<Task&>(*made);
  analysis.check();
  Registry unused;
  return analysis.run({.registry = unused}).json;
}

const std::string data =
    "data: {format: simulation, sessions: 2000, queries: 20, valid_sessions: 0, "
    "test_sessions: 0}";

/// Returns the number of passes until a loss of a list is at most the target.
std::size_t first_at_most(const Json& losses, double target) {
  for (std::size_t pass = 0; pass < losses.size(); ++pass)
    if (losses[pass].get<double>() <= target) return pass + 1;
  return 0;
}

TEST(TimeToLossTest, BothGoFromOneStartToTheLossThatTheWorseReaches) {
  const Json results = race(
      "{model: pbm, train: {epochs: 15, batch_size: 100}, second: {type: adamw, lr: 0.05}, "
      "share: 0.1, " +
      data + "}");
  const Json &first = results["first"], &second = results["second"];
  const double start = first["start_loss"], target = results["target_loss"];
  EXPECT_EQ(second["start_loss"].get<double>(), start);
  const double both = std::max(first["best_loss"].get<double>(), second["best_loss"].get<double>());
  EXPECT_NEAR(target, both + 0.1 * (start - both), 1e-12);
  EXPECT_LT(both, start);
  for (const Json& fitter : {first, second}) {
    ASSERT_EQ(fitter["loss_by_pass"].size(), 15u);
    const std::size_t passes = first_at_most(fitter["loss_by_pass"], target);
    ASSERT_GT(passes, 0u);
    EXPECT_EQ(fitter["passes"].get<std::size_t>(), passes);
    EXPECT_EQ(fitter["seconds"], fitter["seconds_by_pass"][passes - 1]);
    EXPECT_TRUE(std::ranges::is_sorted(fitter["seconds_by_pass"]));
  }
  EXPECT_DOUBLE_EQ(results["ratio"].get<double>() * second["seconds"].get<double>(),
                   first["seconds"].get<double>());
}

/// Expectation maximisation counts the clicks of dctr: its first pass is its last.
TEST(TimeToLossTest, AFitterThatEndsByItselfRunsNoFurther) {
  const Json results =
      race("{model: dctr, first: {type: em, tolerance: 1e-6}, train: {epochs: 10}, " + data + "}");
  EXPECT_LE(results["first"]["loss_by_pass"].size(), 3u);
  EXPECT_EQ(results["first"]["passes"], 1);
  EXPECT_EQ(results["second"]["loss_by_pass"].size(), 10u);
}

TEST(TimeToLossTest, NeedsClicks) {
  EXPECT_EQ(testing::config_message([] {
              race(
                  "{data: {format: feature_lists, reader: {type: synthetic, train_queries: 5, "
                  "valid_queries: 0, test_queries: 0}, learn_from: {type: simulated_clicks, "
                  "sessions: 10}}}");
            }),
            "the sessions have click rates; expected clicks (analysis.data.learn_from.aggregate: "
            "false)");
}

}  // namespace
}  // namespace ultr::time_to_loss_test
