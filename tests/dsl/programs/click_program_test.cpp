#include "dsl/programs/click_program.h"

#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/available_memory.h"
#include "base/error.h"
#include "models/model_fixture.h"

namespace ultr::click_program_test {
namespace {

SessionLog lists_of(std::size_t length, std::size_t sessions) {
  SessionLog log;
  for (std::size_t i = 0; i < sessions; ++i) {
    std::vector<std::uint32_t> list;
    std::vector<std::uint16_t> positions;
    std::vector<std::uint8_t> clicks;
    for (std::size_t k = 0; k < length; ++k) {
      list.push_back(static_cast<std::uint32_t>(1 + (i + k) % 8));
      positions.push_back(static_cast<std::uint16_t>(k));
      clicks.push_back((i + k) % 3 == 0 ? 1 : 0);
    }
    log.add({list, positions, clicks});
  }
  return log;
}

class ClickProgramTest : public ::testing::Test {
 protected:
  ClickProgramTest() { testing::parameter_called(model_, "click").fill(-1); }
  const TrainableModel model_ = testing::build_model("gctr", {.rows = 9, .positions = 5});
  const TrainableModel ubm_ = testing::build_model("ubm", {.rows = 9, .positions = 5});
  const double p_ = 1 / (1 + std::exp(1.0));
};

TEST_F(ClickProgramTest, TheLossIsTheSummedNegativeLogLikelihood) {
  const SessionLog log = lists_of(3, 4);  // 12 documents, 4 of them clicked
  ClickProgram program(model_, ProgramKind::loss, 3, Precision::float64);
  program.run(testing::pack_all(log));
  EXPECT_NEAR(program.loss(), -4 * std::log(p_) - 8 * std::log(1 - p_), 1e-12);
}

TEST_F(ClickProgramTest, BackwardMultipliesGradientsByTheSeed) {
  ClickProgram program(model_, ProgramKind::loss, 3, Precision::float64);
  const Shard shard = testing::pack_all(lists_of(3, 4));
  program.run(shard);
  for (const double seed : {1.0, -0.25}) {
    program.backward(seed);
    EXPECT_NEAR(testing::gradients_of(model_, program).at("click")[0], seed * (12 * p_ - 4), 1e-12);
  }
}

TEST_F(ClickProgramTest, SeesParametersAsTheyAreInEachRun) {
  ClickProgram program(model_, ProgramKind::conditional, 3, Precision::float64);
  const Shard shard = testing::pack_all(lists_of(3, 4));
  program.run(shard);
  EXPECT_NEAR(program.log_p()[0], std::log(p_), 1e-12);
  testing::parameter_called(model_, "click").fill(2);
  program.run(shard);
  EXPECT_NEAR(program.log_p()[0], -std::log1p(std::exp(-2.0)), 1e-12);
  EXPECT_NEAR(program.log_complement()[0], -std::log1p(std::exp(2.0)), 1e-12);
}

TEST_F(ClickProgramTest, PredictionsAreOneADocumentAlsoOfModelsWithOneForAll) {
  const Shard shard = testing::pack_all(lists_of(3, 4));
  for (const ProgramKind kind : {ProgramKind::conditional, ProgramKind::unconditional,
                                 ProgramKind::examination, ProgramKind::relevance}) {
    ClickProgram program(model_, kind, 3);
    program.run(shard);
    EXPECT_EQ(program.log_p().size(), 12u);
    EXPECT_EQ(program.log_complement().size(), 12u);
  }
}

TEST_F(ClickProgramTest, AnEventThatIsNotPredictedIsRefused) {
  const Shard shard = testing::pack_all(lists_of(3, 4));
  std::vector<double> memory;
  for (const TrainableModel* model : {&model_, &ubm_}) {
    ClickProgram unconditional(*model, ProgramKind::unconditional, 3),
        likelihoods(*model, ProgramKind::likelihoods, 3);
    unconditional.run(shard);
    likelihoods.run(shard);
    EXPECT_THROW(unconditional.p(ProgramKind::examination, memory), Error);
    EXPECT_THROW(unconditional.likelihoods(ProgramKind::conditional, shard.clicks(), memory),
                 Error);
    EXPECT_THROW(likelihoods.p(ProgramKind::conditional, memory), Error);
    EXPECT_THROW(likelihoods.log_p(), Error);
    EXPECT_THROW(likelihoods.log_complement(), Error);
  }
}

TEST_F(ClickProgramTest, ExaminationIsThatOfTheStory) {
  const Shard shard = testing::pack_all(lists_of(3, 4));
  ClickProgram always(model_, ProgramKind::examination, 3, Precision::float64);
  always.run(shard);
  EXPECT_EQ(always.log_p(), std::vector<double>(12, 0.0));
  const TrainableModel pbm = testing::build_model("pbm", {.rows = 9, .positions = 5});
  testing::randomise(pbm, -1, 1, 3);
  ClickProgram program(pbm, ProgramKind::examination, 3, Precision::float64);
  program.run(shard);
  const auto examined = program.log_p();
  const Parameter& logits = testing::parameter_called(pbm, "examination");
  for (std::size_t i = 0; i < shard.documents(); ++i)
    EXPECT_NEAR(examined[i],
                -std::log1p(std::exp(-static_cast<double>(logits.value(shard.positions()[i])))),
                1e-12);
}

TEST_F(ClickProgramTest, ProgramsAreRecordedOncePerLength) {
  ClickPrograms programs(model_, ProgramKind::loss, Precision::float64);
  const Shard three = testing::pack_all(lists_of(3, 4)), two = testing::pack_all(lists_of(2, 6));
  const ClickProgram* of_three = &programs.run(three);
  const ClickProgram* of_two = &programs.run(two);
  EXPECT_NE(of_three, of_two);
  EXPECT_EQ(&programs.run(three), of_three);
  EXPECT_EQ(&programs.run(two), of_two);
  EXPECT_NEAR(programs.run(two).loss(), -4 * std::log(p_) - 8 * std::log(1 - p_), 1e-12);
}

TEST_F(ClickProgramTest, AWholeShardAndASingleSessionFit) {
  ClickPrograms programs(model_, ProgramKind::loss, Precision::float64);
  EXPECT_GT(programs.run(testing::pack_all(lists_of(5, shard_sessions))).loss(), 0);
  EXPECT_GT(programs.run(testing::pack_all(lists_of(1, 1))).loss(), 0);
}

TEST(ClickProgramMemorySlowTest, MoreThanTheSystemHasIsRefusedBeforeItIsTaken) {
  const auto available = available_memory();
  if (!available) GTEST_SKIP() << "the system does not tell how much memory it has";
  constexpr std::size_t least_bytes = 32;  // of a document of UBM
  const std::size_t longest = *available / (least_bytes * shard_sessions) + 1;
  const TrainableModel ubm = testing::build_model("ubm", {.rows = 9, .positions = 5});
  for (const ProgramKind kind : {ProgramKind::predictions, ProgramKind::training_loss})
    EXPECT_THAT(
        [&] { ClickProgram(ubm, kind, longest); },
        ::testing::ThrowsMessage<Error>(::testing::MatchesRegex(
            "ubm, lists of [0-9]+ documents: needs .* GB of memory; expected at most the .* "
            "GB available")));
}

}  // namespace
}  // namespace ultr::click_program_test
