#include "losses/losses.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "dsl/programs/model_check.h"
#include "losses/loss_variants.h"
#include "models/model_fixture.h"
#include "options/write.h"

// Properties that every ranking loss has, each tested on the whole list of losses.

namespace ultr::losses_test {
namespace {

using ::testing::Each;
using ::testing::IsEmpty;
using testing::LossVariant;
using ::testing::Not;
using ::testing::Truly;

constexpr std::int64_t rows = 9, positions = 6;

class LossesTest : public ::testing::TestWithParam<LossVariant> {
 protected:
  LossesTest()
      : model_(testing::build_loss(GetParam(),
                                   {.rows = rows, .positions = positions, .train = &train_})),
        loss_(dynamic_cast<const RankingLoss&>(model_.story())) {
    testing::randomise(model_, -2, 2, 7);
  }

  /// Computes the loss of each session, in the order of the log.
  std::vector<double> losses(const SessionLog& log) const {
    std::vector<double> all;
    ClickPrograms programs(model_, ProgramKind::loss, Precision::float64);
    for (std::uint32_t i = 0; i < log.sessions(); ++i) {
      Shard shard;
      shard.pack(log, std::array{i});
      all.push_back(programs.run(shard).loss());
    }
    return all;
  }

  const SessionLog train_ = testing::uneven_lists(10);
  TrainableModel model_;
  const RankingLoss& loss_;
};

INSTANTIATE_TEST_SUITE_P(All, LossesTest, ::testing::ValuesIn(testing::loss_variants()),
                         [](const auto& test) { return test.param.name; });

TEST_P(LossesTest, GradientsAgreeWithDifferences) {
  for (const TrainableModel& stage : model_.stages())
    for (const LossMean mean : {LossMean::documents, LossMean::sessions}) {
      const GradientReport report =
          check_model_gradient(stage, testing::pack_all(testing::uneven_lists(1)), mean);
      EXPECT_GT(report.entries, 0u);
      EXPECT_LE(report.worst.error, 1e-8) << stage.type() << ": " << report.to_string();
    }
}

TEST_P(LossesTest, GradientsReachEveryLayerOfAStageAndNoOther) {
  const Shard shard = testing::pack_all(testing::uneven_lists(9));
  std::size_t layers = 0;
  for (const TrainableModel& stage : model_.stages()) {
    ClickPrograms programs(stage, ProgramKind::training_loss);
    ClickProgram& program = programs.run(shard);
    program.backward(1);
    auto gradients = testing::gradients_of(model_, program);
    for (const TrainableModel::Layer& layer : stage.layers()) {
      bool reached = false;
      for (const Parameter* parameter : layer.layer->parameters()) {
        const std::vector<double>& gradient = gradients.at(parameter->name());
        reached |= std::any_of(gradient.begin(), gradient.end(), [](double g) { return g != 0; });
        gradients.erase(parameter->name());
      }
      EXPECT_TRUE(reached) << layer.name << " in " << stage.type();
    }
    for (const auto& [name, gradient] : gradients)
      EXPECT_THAT(gradient, Each(0)) << name << " in " << stage.type();
    layers += stage.layers().size();
  }
  EXPECT_EQ(layers, model_.layers().size()) << "each is trained once";
}

TEST_P(LossesTest, LossOfAShardIsTheSumOfItsLists) {
  const SessionLog log = testing::uneven_lists(2);
  const std::vector<double> each = losses(log);
  ClickPrograms programs(model_, ProgramKind::loss, Precision::float64);
  const double together = programs.run(testing::pack_all(log)).loss();
  EXPECT_NEAR(together, std::accumulate(each.begin(), each.end(), 0.0), 1e-11 * std::abs(together));
  double mean_of_lists = 0;
  for (std::size_t i = 0; i < each.size(); ++i)
    mean_of_lists += each[i] / static_cast<double>(log.length(i));
  ClickPrograms by_list(model_, ProgramKind::loss, Precision::float64, LossMean::sessions);
  EXPECT_NEAR(by_list.run(testing::pack_all(log)).loss(), mean_of_lists,
              1e-11 * std::abs(mean_of_lists));
}

TEST_P(LossesTest, ReplayOnAnotherBatchEqualsAFreshRecording) {
  const Shard first = testing::pack_all(testing::uneven_lists(3)),
              second = testing::pack_all(testing::uneven_lists(4));
  ASSERT_EQ(first.longest(), second.longest());
  ClickProgram replayed(model_, ProgramKind::loss, first.longest()),
      fresh(model_, ProgramKind::loss, first.longest());
  replayed.run(first);
  replayed.backward(1);
  replayed.run(second);
  replayed.backward(1);
  fresh.run(second);
  fresh.backward(1);
  EXPECT_EQ(replayed.loss(), fresh.loss());
  EXPECT_EQ(testing::gradients_of(model_, replayed), testing::gradients_of(model_, fresh));
}

TEST_P(LossesTest, DependsOnClicksAndOnRelevance) {
  const SessionLog log = testing::uneven_lists(5);
  SessionLog other = log;
  for (std::size_t i = 0; i < other.sessions(); ++i)
    for (std::uint8_t& click : other.clicks(i)) click ^= 1;
  EXPECT_NE(losses(log), losses(other));
  const std::vector<double> before = losses(log);
  testing::randomise(model_, -2, 2, 8);
  EXPECT_NE(losses(log), before);
}

TEST_P(LossesTest, GivesClickLikelihoodsOrRefuses) {
  const Shard shard = testing::pack_all(testing::uneven_lists(6));
  ClickPrograms programs(model_, ProgramKind::conditional);
  if (!loss_.predicts_clicks()) {
    EXPECT_THROW(programs.run(shard), Error);
    return;
  }
  for (const double log_p : programs.run(shard).log_p()) {
    EXPECT_LT(log_p, 0);
    EXPECT_TRUE(std::isfinite(log_p));
  }
}

TEST_P(LossesTest, ABaseThatComparesDocumentsPredictsNoClicks) {
  for (const char* base : {"softmax", "pairwise", "lambdarank"})
    if (GetParam().options.find(std::string("base: ") + base) != std::string::npos) {
      EXPECT_FALSE(loss_.predicts_clicks()) << base;
    }
}

TEST_P(LossesTest, WeightsDriftIfTheyAreLearnedBesideRelevance) {
  if (loss_.predicts_clicks() || model_.stages().size() > 1) return;
  const SessionLog log = testing::uneven_lists(11);
  const std::vector<double> before = losses(log);
  for (const TrainableModel::Layer& layer : model_.layers())
    for (Parameter* parameter : layer.layer->parameters())
      if (layer.name != "relevance") {
        std::vector<float> values = parameter->values();
        for (float& value : values) value += 0.5f;
        parameter->assign(values);
      }
  EXPECT_EQ(loss_.weights_drift(), losses(log) != before);
}

TEST_P(LossesTest, ALossThatClaimsToBeALikelihoodIsOne) {
  const Shard shard = testing::pack_all(testing::uneven_lists(7));
  for (const TrainableModel& stage : model_.stages()) {
    if (!stage.story().maximises_likelihood()) continue;
    ClickPrograms trained(stage, ProgramKind::loss, Precision::float64),
        exact(stage, ProgramKind::exact_loss, Precision::float64);
    const double likelihood = exact.run(shard).loss();
    EXPECT_NEAR(trained.run(shard).loss(), likelihood, 1e-11 * likelihood) << stage.type();
  }
}

TEST_P(LossesTest, RanksByTheRelevanceLogit) {
  const Shard shard = testing::pack_all(testing::uneven_lists(8));
  ClickPrograms programs(model_, ProgramKind::relevance, Precision::float64);
  const std::vector<double> log_p = programs.run(shard).log_p();
  for (std::size_t i = 0; i < shard.documents(); ++i)
    EXPECT_NEAR(std::exp(log_p[i]), testing::probability_of(model_, "relevance", shard.rows()[i]),
                1e-7);
}

TEST_P(LossesTest, OptionsRoundTripThroughYaml) {
  ModelOptions options(testing::loss_type(GetParam().type), testing::registry().models()),
      again(testing::loss_type(GetParam().type), testing::registry().models());
  testing::configure(options, GetParam().options);
  const std::string text = write_options(options);
  testing::configure(again, text);
  EXPECT_EQ(write_options(again), text);
}

TEST(LossTableTest, LossesHaveHelpAndNamesOfTheirOwn) {
  std::set<std::string> names;
  for (const ModelType& type : ranking_losses()) {
    EXPECT_THAT(type.help, Not(IsEmpty())) << type.name;
    EXPECT_TRUE(names.insert(type.name).second) << type.name;
  }
}

// Edge cases, crossed with all losses ------------------------------------------------------------

/// An edge case: lists, and logits for the documents of rows 1 to 5 and for the positions.
struct Edge {
  std::string name;
  std::vector<std::vector<std::uint8_t>> clicks;  // of each list; it shows rows 1, 2, ...
  std::vector<float> relevance;
  float examination = 0;  // of odd positions; even ones have the opposite
};

const std::vector<Edge>& edges() {
  static const std::vector<Edge> all = {
      {"no_clicks", {{0, 0, 0, 0, 0}, {0, 0}}, {1, -2, 3, 0, 2}},
      {"all_clicked", {{1, 1, 1, 1, 1}, {1, 1}}, {1, -2, 3, 0, 2}},
      {"ties", {{0, 1, 0, 1, 0}, {1, 0}}, {2, 2, 2, 2, 2}},
      {"one_document", {{1}, {0}}, {1, -2, 3, 0, 2}},
      {"huge_scores", {{0, 1, 0, 1, 1}, {1, 0}}, {1e4f, -1e4f, 800, -800, 100}},
      {"huge_biases", {{0, 1, 0, 1, 1}, {1, 0}}, {1e4f, -1e4f, 1, -800, 100}, 1e4f},
      {"huge_and_without_clicks", {{0, 0, 0, 0, 0}, {0}}, {1e4f, -1e4f, 800, -800, 100}, 800},
  };
  return all;
}

TEST_P(LossesTest, ValuesAndGradientsAreFiniteAtTheEdges) {
  for (const Edge& edge : edges()) {
    SCOPED_TRACE(edge.name);
    SessionLog log;
    for (const std::vector<std::uint8_t>& clicks : edge.clicks) {
      std::vector<std::uint32_t> shown(clicks.size());
      std::iota(shown.begin(), shown.end(), 1u);
      std::vector<std::uint16_t> shown_at(clicks.size());
      std::iota(shown_at.begin(), shown_at.end(), std::uint16_t{0});
      log.add({shown, shown_at, clicks});
    }
    for (Parameter* parameter : model_.parameters()) {
      parameter->fill(0);
      for (std::size_t i = 0; i < edge.relevance.size(); ++i)
        if (parameter->name() == "relevance")
          parameter->value(static_cast<std::int64_t>(i) + 1) = edge.relevance[i];
        else if (parameter->name() == "examination")
          parameter->value(static_cast<std::int64_t>(i)) =
              i % 2 == 1 ? edge.examination : -edge.examination;
    }
    const Shard shard = testing::pack_all(log);
    for (const Precision precision : {Precision::float32, Precision::float64}) {
      ClickPrograms programs(model_, ProgramKind::loss, precision);
      ClickProgram& program = programs.run(shard);
      program.backward(1);
      EXPECT_TRUE(std::isfinite(program.loss()));
      for (const auto& [name, gradient] : testing::gradients_of(model_, program))
        EXPECT_THAT(gradient, Each(Truly([](double g) { return std::isfinite(g); }))) << name;
    }
  }
}

}  // namespace
}  // namespace ultr::losses_test
