#include "models/mixture.h"

#include <cmath>
#include <numeric>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "dsl/programs/sampler.h"
#include "models/model_fixture.h"
#include "options/config_tree.h"

namespace ultr::mixture_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

TrainableModel mixture_of(const std::string& options) {
  return testing::build_model("mixture", {.rows = 9, .positions = 6}, options);
}

std::vector<std::string> parameters_of(const TrainableModel& model) {
  std::vector<std::string> names;
  for (const TrainableModel::Layer& layer : model.layers()) names.push_back(layer.name);
  return names;
}

TEST(MixtureTest, ParametersAreNamedAfterTheirComponent) {
  EXPECT_THAT(parameters_of(mixture_of("{components: [rctr, gctr, gctr]}")),
              ElementsAre("rctr.examination", "gctr.click", "gctr_2.click", "prior"));
}

TEST(MixtureTest, ComponentsShareTheParametersThatTheConfigurationNames) {
  EXPECT_THAT(parameters_of(mixture_of("{components: [pbm, dbn, cm], share: [attraction]}")),
              ElementsAre("pbm.examination", "attraction", "dbn.satisfaction", "dbn.continuation",
                          "prior"));
}

TEST(MixtureTest, MixturesInsideShareWithTheModelsAround) {
  const auto names =
      parameters_of(mixture_of("{components: [pbm, {type: mixture, components: [cm, rctr], "
                               "share: [examination]}], share: [attraction]}"));
  EXPECT_THAT(names, ElementsAre("pbm.examination", "attraction", "mixture.examination",
                                 "mixture.prior", "prior"));
}

TEST(MixtureTest, ASharedParameterHasTheOptionsOfTheFirstThatHasIt) {
  const TrainableModel model = mixture_of(
      "{components: [{type: pbm, attraction: {baseline: false}}, dbn], share: [attraction]}");
  for (const Parameter* parameter : model.parameters())
    EXPECT_NE(parameter->name(), "attraction.baseline");
}

TEST(MixtureTest, SharingThatCannotBeIsRefused) {
  const auto error = [](const std::string& options, const std::string& message) {
    EXPECT_THAT([&] { mixture_of(options); }, ThrowsMessage<ConfigError>(HasSubstr(message)));
  };
  error("{share: [attractoin]}", "'attractoin' is shared, but no component has");
  error("{components: [pbm, ubm], share: [examination]}",
        "it is one per rank in pbm and one per rank pair in ubm");
  error("{components: [pbm, {type: dbn, attraction: {spread: 0.5}}], share: [attraction]}",
        "its options differ between pbm and dbn");
  error("{components: []}", "components is empty");
  error("{prior: [1, 2, 3]}", "prior has 3 numbers; expected one for each of 2");
  error("{components: [pbm, nosuch]}", "components[1] is 'nosuch'");
}

TEST(MixtureTest, ThePriorStartsWhereTheConfigurationSays) {
  const TrainableModel model = mixture_of("{prior: [3, 1]}");
  const Parameter& prior = testing::parameter_called(model, "prior");
  const double odds = std::exp(static_cast<double>(prior.value(0) - prior.value(1)));
  EXPECT_NEAR(odds, 3, 1e-6);
}

/// Edge cases in which a mixture equals its component.
TEST(MixtureTest, AMixtureOfOneModelIsThatModel) {
  const std::vector<std::uint32_t> list = {3, 1, 4, 1, 5};
  const Shard shard = testing::pack_all(testing::all_click_vectors(list));
  const TrainableModel alone = testing::build_model("dbn", {.rows = 9, .positions = 6});
  const TrainableModel mixed = mixture_of("{components: [dbn]}");
  testing::randomise(alone, -2, 2, 3);
  testing::randomise(mixed, -2, 2, 3);
  for (const ProgramKind kind : {ProgramKind::conditional, ProgramKind::unconditional,
                                 ProgramKind::examination, ProgramKind::relevance}) {
    ClickProgram expected(alone, kind, shard.longest(), Precision::float64);
    ClickProgram actual(mixed, kind, shard.longest(), Precision::float64);
    expected.run(shard);
    actual.run(shard);
    const auto log_p = expected.log_p(), mixed_log_p = actual.log_p();
    for (std::size_t i = 0; i < log_p.size(); ++i) EXPECT_NEAR(mixed_log_p[i], log_p[i], 1e-12);
  }
}

/// Clicks that are impossible under only one component do not break the mixture.
TEST(MixtureTest, AComponentThatForbidsTheClicksLeavesTheOthers) {
  const TrainableModel mixed = mixture_of("{components: [cm, gctr], prior: [0.4, 0.6]}");
  testing::parameter_called(mixed, "gctr.click").value(0) = 0;  // 1/2
  SessionLog log;
  log.add({std::vector<std::uint32_t>{1, 2, 3}, std::vector<std::uint16_t>{0, 1, 2},
           std::vector<std::uint8_t>{1, 1, 0}});
  const Shard shard = testing::pack_all(log);
  ClickProgram exact(mixed, ProgramKind::exact_loss, 3, Precision::float64);
  exact.run(shard);
  EXPECT_NEAR(exact.loss(), -std::log(0.6 * 0.125), 1e-7);
}

TEST(MixtureTest, SampledSessionsFollowOneComponentEach) {
  const TrainableModel mixed = mixture_of("{components: [gctr, gctr], prior: [0.3, 0.7]}");
  testing::parameter_called(mixed, "gctr.click").value(0) = -40;
  testing::parameter_called(mixed, "gctr_2.click").value(0) = 40;
  SessionLog log;
  for (std::size_t i = 0; i < shard_sessions; ++i)
    log.add({std::vector<std::uint32_t>{1, 2, 3}, std::vector<std::uint16_t>{0, 1, 2},
             std::vector<std::uint8_t>{0, 0, 0}});
  const Shard shard = testing::pack_all(log);
  std::vector<std::uint64_t> numbers(shard_sessions);
  ClickSampler sampler(mixed);
  double second = 0;
  constexpr std::size_t rounds = 40;
  for (std::size_t round = 0; round < rounds; ++round) {
    std::iota(numbers.begin(), numbers.end(), round * shard_sessions);
    const SampledClicks sampled = sampler.sample(shard, 1, numbers);
    const LatentVariable& component = sampled.variable("component");
    EXPECT_EQ(component.values, sampled.clicks);
    for (std::size_t j = 0; j < shard_sessions; ++j) second += component.values[j];
  }
  const double sessions = static_cast<double>(rounds * shard_sessions);
  EXPECT_NEAR(second / sessions, 0.7, 4 * std::sqrt(0.3 * 0.7 / sessions));
}

}  // namespace
}  // namespace ultr::mixture_test
