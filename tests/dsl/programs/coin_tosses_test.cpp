#include "dsl/programs/coin_tosses.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "models/model_fixture.h"
#include "models/story_models.h"
#include "options/config_tree.h"

namespace ultr::coin_tosses_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

/// Returns two lists: documents 1 2 3 4 with clicks on the second and third, and 2 1 without
/// clicks.
SessionLog two_lists() {
  SessionLog log;
  log.add({std::vector<std::uint32_t>{1, 2, 3, 4}, std::vector<std::uint16_t>{0, 1, 2, 3},
           std::vector<std::uint8_t>{0, 1, 1, 0}});
  log.add({std::vector<std::uint32_t>{2, 1}, std::vector<std::uint16_t>{0, 1},
           std::vector<std::uint8_t>{0, 0}});
  return log;
}

/// Returns the number of tosses of each entry of each parameter.
std::map<std::string, std::vector<double>> tosses(const TrainableModel& model,
                                                  ProgramKind kind = ProgramKind::tosses) {
  const Shard shard = testing::pack_all(two_lists());
  ClickProgram program(model, kind, shard.longest(), Precision::float64);
  program.run(shard);
  program.backward(-1);
  return testing::gradients_of(model, program);
}

TrainableModel build(const std::string& type, const std::string& options = "{}") {
  return testing::build_model(type, {.rows = 5, .positions = 4}, options);
}

TEST(TossedLogitsTest, ExaminationAndAttractionAreTossedAtEveryShownDocument) {
  const auto counts = tosses(build("pbm"));
  EXPECT_THAT(counts.at("examination"), ElementsAre(2, 2, 1, 1));
  EXPECT_THAT(counts.at("attraction"), ElementsAre(0, 2, 2, 1, 1));
}

TEST(TossedLogitsTest, CoinsOfTheLastClickAreThoseOfTheObservedOne) {
  const auto counts = tosses(build("ubm"));
  // Position k and last click at position l (from 1; 0 = none) have entry 5k + l.
  EXPECT_THAT(counts.at("examination"),
              ElementsAre(2, 0, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 1, 0));
}

TEST(TossedLogitsTest, MovingCoinsAreTossedWhereTheListGoesOn) {
  const auto counts = tosses(build("dbn"));
  EXPECT_THAT(counts.at("attraction"), ElementsAre(0, 2, 2, 1, 1));
  EXPECT_THAT(counts.at("satisfaction"), ElementsAre(0, 0, 1, 1, 0));
  EXPECT_THAT(counts.at("continuation"), ElementsAre(3 + 1));
}

TEST(TossedLogitsTest, AnIndependentUseOfTheSameParameterIsAnotherToss) {
  const auto counts = tosses(build("ccm"));
  EXPECT_THAT(counts.at("attraction"), ElementsAre(0, 2, 2 + 1, 1 + 1, 1));
  EXPECT_THAT(counts.at("after_skip"), ElementsAre(1 + 1));
  EXPECT_THAT(counts.at("after_relevant"), ElementsAre(2));
  EXPECT_THAT(counts.at("after_irrelevant"), ElementsAre(2));
}

TEST(TossedLogitsTest, CoinsOfTheLastDocumentsMoveAreNotTossed) {
  EXPECT_THAT(tosses(build("dcm")).at("continuation"), ElementsAre(0, 1, 1, 0));
}

TEST(TossedLogitsTest, StatesThatExcludeEachOtherShareACoin) {
  const TrainableModel mood =
      testing::build_model(testing::story_types().front(), {.rows = 5, .positions = 4});
  const auto counts = tosses(mood);
  EXPECT_THAT(counts.at("attraction"), ElementsAre(0, 2, 2, 1, 1));
  EXPECT_THAT(counts.at("examination"), ElementsAre(2, 2, 1, 1));
  EXPECT_THAT(counts.at("contentment"), ElementsAre(0, 0, 1, 1, 0));
  EXPECT_THAT(counts.at("patience"), ElementsAre(4));
  EXPECT_THAT(counts.at("haste"), ElementsAre(6 + 2));  // looking; moving after a skip
}

TEST(TossedLogitsTest, ComponentsOfAMixtureExcludeEachOther) {
  const auto counts = tosses(build("mixture", "{share: [attraction]}"));
  EXPECT_THAT(counts.at("attraction"), ElementsAre(0, 2, 2, 1, 1));
  EXPECT_THAT(counts.at("prior"), ElementsAre(2, 2));
}

TEST(TossedLogitsTest, ModelsThatAreNotMadeOfCoinsAreRefused) {
  EXPECT_THAT([] { tosses(build("two_tower")); },
              ThrowsMessage<ConfigError>(HasSubstr("adds logits up")));
  EXPECT_THAT([] { tosses(build("mixture", "{temperature: 2}")); },
              ThrowsMessage<ConfigError>(HasSubstr("tempered")));
  EXPECT_THAT(
      [] { tosses(build("mixture", "{components: [pbm, {type: mixture, temperature: 2}]}")); },
      ThrowsMessage<ConfigError>(HasSubstr("tempered")));
}

TEST(CompleteDataTest, SessionsEndWithTheirLastClick) {
  const auto counts = tosses(build("sdbn"), ProgramKind::complete_tosses);
  EXPECT_THAT(counts.at("attraction"), ElementsAre(0, 2, 2, 1, 0));
  EXPECT_THAT(counts.at("satisfaction"), ElementsAre(0, 0, 1, 1, 0));
  EXPECT_THAT(tosses(build("dcm"), ProgramKind::complete_tosses).at("continuation"),
              ElementsAre(0, 1, 1, 0));
}

TEST(CompleteDataTest, TheLikelihoodIsThatOfTheSimplifiedStory) {
  const TrainableModel model = build("sdbn");
  testing::randomise(model, -1, 1, 3);
  const auto a = [&](std::size_t d) { return testing::probability_of(model, "attraction", d); };
  const auto s = [&](std::size_t d) { return testing::probability_of(model, "satisfaction", d); };
  const Shard shard = testing::pack_all(two_lists());
  ClickProgram program(model, ProgramKind::complete_loss, shard.longest(), Precision::float64);
  program.run(shard);
  const double expected = (1 - a(1)) * a(2) * (1 - s(2)) * a(3) * s(3) * (1 - a(2)) * (1 - a(1));
  EXPECT_NEAR(program.loss(), -std::log(expected), 1e-12);
}

TEST(CompleteDataTest, ModelsThatHideCoinsAreRefused) {
  for (const std::string type : {"dbn", "ccm", "cm"})
    EXPECT_THAT([&] { tosses(build(type), ProgramKind::complete_tosses); },
                ThrowsMessage<ConfigError>(HasSubstr("hides coins")))
        << type;
  EXPECT_THAT([] { tosses(build("pbm"), ProgramKind::complete_tosses); },
              ThrowsMessage<ConfigError>(HasSubstr("not a cascade")));
}

}  // namespace
}  // namespace ultr::coin_tosses_test
