#include "metrics/policies/ranked_lists.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "metrics/policies/off_policy.h"
#include "testing/small_log.h"
#include "training/predictor.h"

namespace ultr::ranked_lists_test {
namespace {

using ::testing::ElementsAre;

void show(SessionLog& log, std::uint64_t query, const std::vector<std::uint32_t>& rows,
          const std::vector<std::uint16_t>& positions) {
  const std::vector<std::uint8_t> clicks(rows.size(), 1);
  log.add({.rows = rows, .positions = positions, .clicks = clicks, .query = query});
}

/// A log of two queries, whose second one shows a single document at two positions.
SessionLog two_queries() {
  SessionLog log;
  show(log, 5, {1, 2}, {0, 3});
  show(log, 5, {3, 4}, {0, 1});
  show(log, 6, {5}, {2});
  show(log, 6, {5}, {4});
  return log;
}

const std::vector<double> scores = {9, 0.1, 0.7, 0.5, 0.7, 0};

TEST(RankedListsTest, ThePositionsOfAQueryGetItsBestDocuments) {
  const SessionLog log = two_queries(), shown = ranked_lists(log, log, scores);
  ASSERT_EQ(shown.sessions(), 4u);
  EXPECT_THAT(shown[0].rows, ElementsAre(2, 3)) << "4 is equal to 2, and the second";
  EXPECT_THAT(shown[0].positions, ElementsAre(0, 3));
  EXPECT_THAT(shown[1].rows, ElementsAre(2, 4));
  EXPECT_THAT(shown[1].clicks, ElementsAre(0, 0));
  EXPECT_EQ(shown[1].query, 5u);
}

TEST(RankedListsTest, PositionsWithoutAnotherDocumentStayAsTheyAre) {
  const SessionLog log = two_queries();
  EXPECT_THAT(ranked_lists(log, log, scores)[3].rows, ElementsAre(5)) << "a query of one document";
  SessionLog others;
  show(others, 7, {3, 2}, {0, 1});        // a query that the log does not have
  show(others, 5, {1, 0, 3}, {0, 2, 3});  // a position that the log does not show, an unknown pair
  const SessionLog shown = ranked_lists(log, others, scores);
  EXPECT_THAT(shown[0].rows, ElementsAre(3, 2));
  EXPECT_THAT(shown[1].rows, ElementsAre(2, 0, 3));
}

/// Documents were shown at random. Users would click the ranked ones as often as the log says.
TEST(RankedListsTest, TheValueOfARankingIsWhatItsUsersWouldClick) {
  const ExperimentData data = testing::simulate(
      "{sessions: 40000, queries: 4, candidates: 6, positions: 4, ranking_noise: 1000}");
  const SessionLog& log = data.dataset.train;
  Predictor truth(*data.truth, 2);
  for (const double sign : {1., -1.}) {
    std::vector<double> relevance =
        relevance_logits(*data.truth, data.dataset.dictionary.rows(), 2);
    for (double& x : relevance) x *= sign;
    const SessionLog ranked = ranked_lists(log, log, relevance);
    double expected = 0;
    for (const double click : truth.click(ranked)) expected += click;
    expected /= static_cast<double>(ranked.sessions());
    const OffPolicyEvaluation evaluation =
        evaluate_off_policy(log, ranked, {.resamples = 100, .same_lists = true});
    const double logged = evaluation.values[4].value;
    EXPECT_GT(std::abs(expected - logged), 0.2);
    for (const PolicyValue& value : evaluation.values)
      if (value.estimator == "ips" || value.estimator == "snips" ||
          value.estimator == "doubly_robust") {
        EXPECT_GT(expected, value.interval.lower) << value.estimator;
        EXPECT_LT(expected, value.interval.upper) << value.estimator;
        EXPECT_LT(value.interval.upper - value.interval.lower, 0.1) << value.estimator;
      }
  }
}

}  // namespace
}  // namespace ultr::ranked_lists_test
