#include "losses/logging_policy_weights.h"

#include <array>
#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "losses/loss_variants.h"
#include "models/model_fixture.h"

namespace ultr::logging_policy_weights_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;
using Propensities = std::vector<float>;

void add(SessionLog& log, const std::vector<std::uint32_t>& list, std::uint64_t query,
         const Propensities& propensities = {}) {
  std::vector<std::uint16_t> shown_at;
  std::vector<std::uint8_t> clicks;
  for (std::size_t k = 0; k < list.size(); ++k) {
    shown_at.push_back(static_cast<std::uint16_t>(k));
    clicks.push_back(static_cast<std::uint8_t>(k % 2));
  }
  log.add({list, shown_at, clicks, query, propensities});
}

/// Four sessions of query 7, which show documents 1 and 2, and one of query 9, which shows 3.
SessionLog two_queries() {
  SessionLog log;
  add(log, {1, 2}, 7);
  add(log, {1, 2}, 7);
  add(log, {2, 1}, 7);
  add(log, {1}, 7);
  add(log, {3}, 9);
  return log;
}

TEST(DisplayPropensitiesTest, AreSharesOfTheSessionsOfAQuery) {
  const SessionLog train = two_queries();
  EXPECT_THAT(display_propensities(std::array{&train}, 4, 2),
              ElementsAre(1, 1,            // no session shows the unknown pair
                          3. / 4, 1. / 4,  // first in three of four sessions, second in one
                          1. / 4, 2. / 4, 1, 1));
}

TEST(DisplayPropensitiesTest, TheUnknownPairHasTheShareOne) {
  SessionLog train;
  add(train, {0, 1}, 7);
  add(train, {1, 0}, 7);
  add(train, {0, 0}, 9);
  EXPECT_THAT(display_propensities(std::array<const SessionLog*, 1>{&train}, 2, 2),
              ElementsAre(1, 1, 0.5, 0.5));
}

TEST(DisplayPropensitiesTest, CountsAreExactBeyondTheWholeNumbersOfFloat32) {
  SessionLog train;
  const std::vector<std::uint32_t> list = {1};
  const std::vector<std::uint16_t> first = {0};
  const std::vector<std::uint8_t> no_click = {0};
  train.add({.rows = list, .positions = first, .clicks = no_click, .query = 7, .weight = 1 << 24});
  for (int i = 0; i < 1000; ++i) add(train, list, 7);
  EXPECT_THAT(display_propensities(std::array<const SessionLog*, 1>{&train}, 2, 1),
              ElementsAre(1, 1));
}

/// Computes the loss of a list of documents 1 and 2, the second clicked, from their relevance
/// logits.
double loss(const TrainableModel& model, const SessionLog& log) {
  for (Parameter* parameter : model.parameters()) parameter->fill(0);
  testing::parameter_called(model, "relevance").value(1) = 1.5f;
  testing::parameter_called(model, "relevance").value(2) = -0.5f;
  ClickPrograms programs(model, ProgramKind::loss, Precision::float64);
  return programs.run(testing::pack_all(log)).loss();
}

TEST(LoggingPolicyWeightsTest, WeightsAreInversePropensitiesOfTraining) {
  const SessionLog train = two_queries();
  const TrainableModel model =
      testing::build_loss("logging_policy_weights", {.rows = 4, .positions = 2, .train = &train});
  SessionLog log;
  add(log, {1, 2}, 7);
  EXPECT_NO_THROW(model.story().check(log));
  EXPECT_NEAR(loss(model, log),
              4. / 3 * std::log1p(std::exp(1.5)) + 4. / 2 * std::log1p(std::exp(0.5)), 1e-6);
}

/// Weights of early stopping on queries that training does not have.
TEST(LoggingPolicyWeightsTest, PairsThatTrainingDoesNotShowAreCountedFromHeldOutSessions) {
  SessionLog train, valid;
  add(train, {3}, 9);
  add(valid, {1, 2}, 7);
  for (int i = 0; i < 3; ++i) add(valid, {2, 1}, 7);
  add(valid, {3}, 9);
  const TrainableModel model = testing::build_loss(
      "logging_policy_weights", {.rows = 4, .positions = 2, .train = &train, .held_out = {&valid}});
  SessionLog log;
  add(log, {1, 2}, 7);
  EXPECT_NEAR(loss(model, log), 4 * std::log1p(std::exp(1.5)) + 4 * std::log1p(std::exp(0.5)),
              1e-6);
}

/// As `ultr-run evaluate` loads it.
TEST(LoggingPolicyWeightsTest, WithoutTrainingSessionsAllPairsWeighOne) {
  const TrainableModel model =
      testing::build_loss("logging_policy_weights", {.rows = 4, .positions = 2});
  SessionLog log, logged;
  add(log, {1, 2}, 7);
  add(logged, {1, 2}, 7, {0.5f, 0});
  EXPECT_NO_THROW(model.story().check(log));
  EXPECT_NO_THROW(model.story().check(logged));
  EXPECT_NEAR(loss(model, log), std::log1p(std::exp(1.5)) + std::log1p(std::exp(0.5)), 1e-6);
}

TEST(LoggingPolicyWeightsTest, RefusesMorePairsAtPositionsThanAnIndexTellsApart) {
  const SessionLog train = two_queries();
  EXPECT_THAT(
      [&] {
        testing::build_loss({"", "logging_policy_weights", "{base: pointwise}"},
                            {.rows = 2, .positions = std::int64_t{1} << 32, .train = &train});
      },
      ThrowsMessage<ConfigError>(HasSubstr("2 pairs at 4294967296 positions")));
}

TEST(LoggingPolicyWeightsTest, PropensitiesOfTheLogGoBeforeCounts) {
  SessionLog train;
  add(train, {1, 2}, 7, {0.5f, 0.125f});
  const TrainableModel model =
      testing::build_loss("logging_policy_weights", {.rows = 4, .positions = 2, .train = &train});
  EXPECT_NO_THROW(model.story().check(train));
  EXPECT_NEAR(loss(model, train),
              std::log1p(std::exp(1.5)) / 0.5 + std::log1p(std::exp(0.5)) / 0.125, 1e-12);
}

TEST(LoggingPolicyWeightsTest, RefusesPropensitiesThatAreMissingOrZero) {
  SessionLog train, without, zero;
  add(train, {1, 2}, 7, {0.5f, 0.125f});
  add(without, {1, 2}, 7);
  add(zero, {1, 2}, 7, {0.5f, 0});
  const TrainableModel model =
      testing::build_loss("logging_policy_weights", {.rows = 4, .positions = 2, .train = &train});
  EXPECT_THAT([&] { model.story().check(without); },
              ThrowsMessage<DataError>(HasSubstr("expected all or none")));
  EXPECT_THAT([&] { model.story().check(zero); },
              ThrowsMessage<DataError>(HasSubstr("a propensity of 0")));
  EXPECT_THAT([&] { loss(model, without); },
              ThrowsMessage<DataError>(HasSubstr("no propensities")));
}

}  // namespace
}  // namespace ultr::logging_policy_weights_test
