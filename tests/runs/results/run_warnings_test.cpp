#include "runs/results/run_warnings.h"

#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "testing/small_log.h"

namespace ultr::run_warnings_test {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr std::size_t ranks = 6;

/// Sessions of a position-based user, whose examination is 1/k.
SessionLog log_of(const std::string& lists = "candidates: 8, ranking_noise: 2") {
  return testing::simulate("{sessions: 20000, queries: 5, positions: 6, " + lists + "}")
      .dataset.train;
}

PositionBias truth() {
  PositionBias bias;
  for (std::size_t k = 1; k <= ranks; ++k) bias.by_rank.push_back(1 / static_cast<double>(k));
  return bias;
}

TrainableModel pbm() { return testing::build_model("pbm", {.rows = 41, .positions = 6}); }

TEST(RunWarningsTest, ExaminationThatClicksConfirmIsFine) {
  const auto check = check_examination(truth(), log_of(), 1, 2);
  ASSERT_TRUE(check);
  ASSERT_EQ(check->estimated.size(), ranks);
  for (std::size_t k = 1; k < ranks; ++k) {
    ASSERT_TRUE(check->intervals[k]);
    EXPECT_LE(check->intervals[k]->lower, 1 / static_cast<double>(k + 1)) << k;
    EXPECT_GE(check->intervals[k]->upper, 1 / static_cast<double>(k + 1)) << k;
  }
  EXPECT_FALSE(check->farthest_outside());
  EXPECT_THAT(run_warnings(pbm(), check), IsEmpty());
}

TEST(RunWarningsTest, ExaminationOutsideItsIntervalIsNamed) {
  PositionBias learned = truth();
  learned.by_rank.back() *= 2.5;
  const auto check = check_examination(learned, log_of(), 1, 2);
  ASSERT_TRUE(check);
  EXPECT_EQ(check->farthest_outside(), ranks - 1);
  EXPECT_THAT(run_warnings(pbm(), check),
              ElementsAre(AllOf(HasSubstr("pbm: learned examination of rank 6 is 0.417 times that "
                                          "of rank 1, but clicks"),
                                HasSubstr("em with a tolerance"))));
}

/// Intervals of large logs are narrow: a difference that does not matter is none.
TEST(RunWarningsTest, SmallDifferencesAreNoWarning) {
  ExaminationCheck check{.learned = {1, 0.74},
                         .estimated = {1, 0.5},
                         .intervals = {ConfidenceInterval{1, 1}, ConfidenceInterval{0.49, 0.51}}};
  EXPECT_FALSE(check.farthest_outside());
  check.learned[1] = 0.76;
  EXPECT_EQ(check.farthest_outside(), 1u);
  check.intervals[1]->upper = 0.77;
  EXPECT_FALSE(check.farthest_outside());
}

TEST(RunWarningsTest, NothingIsCheckedWithoutAnEstimate) {
  EXPECT_FALSE(check_examination(std::nullopt, log_of(), 1, 1)) << "no position bias is learned";
  PositionBias additive = truth();
  additive.additive = true;
  EXPECT_FALSE(check_examination(additive, log_of(), 1, 1)) << "it is no factor";
  const SessionLog one_order = log_of("candidates: 6, ranking_noise: 0");
  EXPECT_FALSE(check_examination(truth(), one_order, 1, 1)) << "each pair has one rank";
}

TEST(RunWarningsTest, ThreadsDoNotChangeABit) {
  const SessionLog log = log_of();
  const auto one = check_examination(truth(), log, 3, 1),
             four = check_examination(truth(), log, 3, 4);
  EXPECT_EQ(one->estimated, four->estimated);
  for (std::size_t k = 0; k < ranks; ++k) {
    EXPECT_EQ(one->intervals[k]->lower, four->intervals[k]->lower);
    EXPECT_EQ(one->intervals[k]->upper, four->intervals[k]->upper);
  }
}

TEST(RunWarningsTest, ComponentsThatEndedTheSameAreNamed) {
  const TrainableModel mixture =
      testing::build_model("mixture", {.rows = 41, .positions = 6}, "{components: [pbm, pbm]}");
  EXPECT_THAT(run_warnings(mixture, {}), IsEmpty());
  for (Parameter* parameter : mixture.parameters()) parameter->fill(0.5f);
  EXPECT_THAT(run_warnings(mixture, {}),
              ElementsAre(HasSubstr("mixture: components pbm and pbm_2 ended the same")));
}

/// A list per document, each displayed at a rank of its own.
SessionLog single_documents(std::size_t last_rank) {
  SessionLog log;
  for (std::uint16_t rank = 0; rank < last_rank; ++rank) {
    const std::uint32_t row = rank + 1u;
    const auto click = static_cast<std::uint8_t>(rank % 2);
    log.add({.rows = {&row, 1}, .positions = {&rank, 1}, .clicks = {&click, 1}});
  }
  return log;
}

TEST(RunWarningsTest, ModelsThatReadClicksAboveNeedListsOfAllDocuments) {
  const auto warning = [](const char* type, const SessionLog& log) {
    const TrainableModel model = testing::build_model(type, {.rows = 41, .positions = 6});
    return warning_of_single_documents(model, log).value_or("");
  };
  const SessionLog counts = single_documents(ranks);
  for (const char* type : {"dbn", "cm", "sdbn", "ubm", "dcm", "ccm"})
    EXPECT_THAT(warning(type, counts), HasSubstr(": each training list has one document")) << type;
  for (const char* type : {"pbm", "two_tower", "rctr", "dctr"})
    EXPECT_EQ(warning(type, counts), "") << type;
  EXPECT_EQ(warning("dbn", single_documents(1)), "") << "nothing is above rank 1";
  EXPECT_EQ(warning("dbn", log_of()), "");
}

TEST(RunWarningsTest, JudgedDocumentsThatNoSessionShowsAreCounted) {
  const auto warning = [](std::vector<std::uint32_t> rows) {
    JudgedLists judged;
    judged.add(rows, std::vector<int>(rows.size(), 1));
    return warning_of_unknown_documents(pbm(), judged).value_or("");
  };
  EXPECT_THAT(warning({0, 0, 5}), HasSubstr("pbm: 2 of 3 judged documents are query-document"));
  EXPECT_EQ(warning({0, 4, 5}), "");
  EXPECT_EQ(warning({}), "");
}

}  // namespace
}  // namespace ultr::run_warnings_test
