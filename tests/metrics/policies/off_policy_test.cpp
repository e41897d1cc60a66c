#include "metrics/policies/off_policy.h"

#include <gtest/gtest.h>

#include "base/error.h"

namespace ultr::off_policy_test {
namespace {

/// Clicks out of eight at each of two positions for each of three documents.
constexpr int clicks_of_eight[2][3] = {{2, 4, 6}, {1, 3, 5}};

/// Adds lists of one document: `times` at a position, of which some are clicked.
void show(SessionLog& log, std::uint32_t row, std::uint16_t position, int times, int clicked,
          float propensity) {
  for (int i = 0; i < times; ++i) {
    const std::uint8_t click = i < clicked ? 1 : 0;
    const std::uint32_t rows[] = {row};
    const std::uint16_t positions[] = {position};
    const std::uint8_t clicks[] = {click};
    const float propensities[] = {propensity};
    log.add({.rows = rows,
             .positions = positions,
             .clicks = clicks,
             .propensities =
                 propensity > 0 ? std::span<const float>(propensities) : std::span<const float>()});
  }
}

/// A log in which each document has exactly its click rate. shown[k][d]: eighths of lists.
SessionLog exact_log(const int (&shown)[2][3], bool with_propensities) {
  SessionLog log;
  for (std::uint16_t k = 0; k < 2; ++k) {
    const int all = shown[k][0] + shown[k][1] + shown[k][2];
    for (std::uint32_t d = 0; d < 3; ++d)
      show(log, d + 1, k, 8 * shown[k][d], clicks_of_eight[k][d] * shown[k][d],
           with_propensities ? static_cast<float>(shown[k][d]) / static_cast<float>(all) : 0);
  }
  return log;
}

constexpr int logging[2][3] = {{2, 1, 1}, {1, 1, 2}}, target[2][3] = {{1, 1, 6}, {1, 6, 1}};

/// The clicks per list of the target policy, which shows each position equally often.
double true_value() {
  double value = 0;
  for (int k = 0; k < 2; ++k)
    for (int d = 0; d < 3; ++d) value += target[k][d] / 8.0 * clicks_of_eight[k][d] / 8.0;
  return value / 2;
}

double value_of(const OffPolicyEvaluation& evaluation, const std::string& estimator) {
  for (const PolicyValue& value : evaluation.values)
    if (value.estimator == estimator) return value.value;
  throw Error("there is no estimator " + estimator);
}

TEST(OffPolicyTest, EveryEstimatorIsExactWhereTheLogIs) {
  for (const bool with_propensities : {true, false}) {
    const OffPolicyEvaluation evaluation = evaluate_off_policy(
        exact_log(logging, with_propensities), exact_log(target, false), {.pseudo_count = 0});
    for (const std::string estimator : {"ips", "snips", "doubly_robust", "observed"})
      EXPECT_NEAR(value_of(evaluation, estimator), true_value(), 1e-9) << estimator;
    EXPECT_GT(std::abs(value_of(evaluation, "logged") - true_value()), 0.02);
    EXPECT_EQ(evaluation.unsupported, 0);
  }
}

TEST(OffPolicyTest, ResamplesDrawTheSameListsTogether) {
  const SessionLog log = exact_log(logging, false);
  const OffPolicyEvaluation evaluation =
      evaluate_off_policy(log, log, {.resamples = 50, .same_lists = true});
  const PolicyValue &ips = evaluation.values[1], &logged = evaluation.values[4];
  EXPECT_EQ(ips.estimator, "ips");
  EXPECT_NEAR(ips.interval.lower, logged.interval.lower, 1e-9);
  EXPECT_NEAR(ips.interval.upper, logged.interval.upper, 1e-9);
  EXPECT_THROW(evaluate_off_policy(log, exact_log(target, false), {.same_lists = true}), Error);
}

TEST(OffPolicyTest, TheDirectMethodIsThatOfTheOtherHalf) {
  // Lists take turns: even ones have clicks, odd ones have none.
  SessionLog log;
  for (int i = 0; i < 20; ++i) show(log, 1, 0, 1, i % 2 == 0 ? 1 : 0, 1);
  const OffPolicyEvaluation evaluation = evaluate_off_policy(log, log, {.pseudo_count = 0});
  EXPECT_DOUBLE_EQ(value_of(evaluation, "direct"), 0.5);
  EXPECT_DOUBLE_EQ(value_of(evaluation, "doubly_robust"), 0.5);
}

TEST(OffPolicyTest, DoublyRobustNeedsNoRightPredictions) {
  const OffPolicyOptions all_alike = {.pseudo_count = 1e12};
  const OffPolicyEvaluation evaluation =
      evaluate_off_policy(exact_log(logging, true), exact_log(target, false), all_alike);
  EXPECT_NEAR(value_of(evaluation, "doubly_robust"), true_value(), 1e-6);
  EXPECT_GT(std::abs(value_of(evaluation, "direct") - true_value()), 0.02);
}

TEST(OffPolicyTest, WeightsAreClippedAndMeasured) {
  const SessionLog log = exact_log(logging, true), wanted = exact_log(target, false);
  // The document that the target shows most is shown by the log a fourth of the time.
  EXPECT_DOUBLE_EQ(evaluate_off_policy(log, wanted, {}).largest_weight, 6.0 / 8 / 0.25);
  const OffPolicyEvaluation clipped = evaluate_off_policy(log, wanted, {.clip = 1});
  EXPECT_EQ(clipped.largest_weight, 1);
  EXPECT_LT(value_of(clipped, "ips"), true_value());
  EXPECT_LT(evaluate_off_policy(log, wanted, {}).effective_documents,
            static_cast<double>(log.documents()));
  EXPECT_DOUBLE_EQ(evaluate_off_policy(log, log, {}).effective_documents,
                   static_cast<double>(log.documents()));
}

TEST(OffPolicyTest, WhatTheLogNeverShowsIsUnsupported) {
  SessionLog log, wanted;
  show(log, 1, 0, 8, 4, 1);
  show(wanted, 1, 0, 6, 0, 0);
  show(wanted, 0, 0, 2, 0, 0);  // a document that the log does not know
  const OffPolicyEvaluation evaluation = evaluate_off_policy(log, wanted, {});
  EXPECT_DOUBLE_EQ(evaluation.unsupported, 0.25);
  EXPECT_DOUBLE_EQ(value_of(evaluation, "ips"), 0.75 * 0.5);
  EXPECT_DOUBLE_EQ(value_of(evaluation, "snips"), 0.5);
}

TEST(OffPolicyTest, IntervalsCoverTheTruthAndFollowTheSeed) {
  const SessionLog log = exact_log(logging, true), wanted = exact_log(target, false);
  const OffPolicyOptions options = {.resamples = 200, .seed = 3};
  const OffPolicyEvaluation evaluation = evaluate_off_policy(log, wanted, options),
                            again = evaluate_off_policy(log, wanted, options);
  for (std::size_t i = 0; i < evaluation.values.size(); ++i) {
    const PolicyValue& value = evaluation.values[i];
    EXPECT_LT(value.interval.lower, value.value) << value.estimator;
    EXPECT_GT(value.interval.upper, value.value) << value.estimator;
    EXPECT_EQ(value.interval.lower, again.values[i].interval.lower) << value.estimator;
  }
}

TEST(OffPolicyTest, NeedsSessionsInBothLogs) {
  EXPECT_THROW(evaluate_off_policy(SessionLog(), exact_log(target, false), {}), Error);
  EXPECT_THROW(evaluate_off_policy(exact_log(target, false), SessionLog(), {}), Error);
}

}  // namespace
}  // namespace ultr::off_policy_test
