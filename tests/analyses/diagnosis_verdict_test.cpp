#include "analyses/diagnosis_verdict.h"

#include <cmath>
#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "metrics/logged_clicks.h"

namespace ultr::diagnosis_verdict_test {
namespace {

using ::testing::Contains;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::LoggedClicks;
using ::testing::Not;

Diagnosis of_log(const std::vector<LoggedClicks>& shown) {
  Diagnosis diagnosis;
  diagnosis.graph = rank_graph(testing::log_of(shown));
  return diagnosis;
}

FeatureOverlap steps_of(const std::vector<double>& hardest) {
  return {.ranks = {0, 1, 2}, .from_rank_before = {}, .from_first = {}, .hardest_step = hardest};
}

const std::vector<LoggedClicks> apart = {{1, 1, 50, 50}, {2, 2, 50, 50}, {3, 3, 9, 9}};
const std::vector<LoggedClicks> linked = {
    {1, 1, 500, 500}, {1, 2, 300, 700}, {2, 2, 500, 500}, {2, 3, 200, 800}};

TEST(DiagnosisVerdictTest, LimitsEqualTheDerivationsInTheirComments) {
  EXPECT_NEAR(weak_standard_error, std::log(2.) / 1.96, 1e-4);
}

TEST(DiagnosisVerdictTest, ConnectedRanksAreIdentifiable) {
  const Verdict verdict = verdict_of(of_log(linked));
  EXPECT_EQ(verdict.answer, "identifiable");
  EXPECT_EQ(verdict.features, Identification::not_measured);
  EXPECT_THAT(verdict.reasons, ElementsAre(HasSubstr("connect all 3 ranks. The weakest link on "
                                                     "the best path to rank 1 is between")));
  EXPECT_THAT(verdict.reasons[0], HasSubstr("1 pair, worth 1,000.0 swaps"));
  EXPECT_THAT(verdict.advice, IsEmpty());
}

TEST(DiagnosisVerdictTest, OneSwapConnectsButIdentifiesWeakly) {
  std::vector<LoggedClicks> shown = linked;
  shown.insert(shown.end(), {{3, 3, 1, 0}, {3, 4, 0, 1}, {4, 4, 20, 30}});
  const Verdict verdict = verdict_of(of_log(shown));
  EXPECT_EQ(verdict.answer, "weakly identifiable");
  EXPECT_THAT(verdict.reasons[0], HasSubstr("between 3 and 4: 1 pair, worth 1.0 swaps"));
  EXPECT_THAT(verdict.reasons[0], HasSubstr("Clicks at rank 4 are too few to tell its bias"));
  EXPECT_THAT(verdict.advice, Contains(HasSubstr("Collect swaps")));
  EXPECT_THAT(verdict.advice, Contains(HasSubstr("trust no rank beyond the weakest link")));
}

TEST(DiagnosisVerdictTest, RanksApartAreNotIdentifiable) {
  const Verdict verdict = verdict_of(of_log(apart));
  EXPECT_EQ(verdict.answer, "not identifiable");
  EXPECT_THAT(verdict.reasons[0], HasSubstr("No query-document pair is shown at two ranks"));
  std::vector<LoggedClicks> parts = apart;
  parts.insert(parts.end(), {{4, 1, 5, 5}, {4, 2, 5, 5}, {5, 4, 5, 5}, {5, 3, 5, 5}});
  EXPECT_THAT(verdict_of(of_log(parts)).reasons[0],
              HasSubstr("into 2 separate parts: 1 to 2 | 3 to 4."));
}

TEST(DiagnosisVerdictTest, FeaturesIdentifyByTheirOverlap) {
  Diagnosis diagnosis = of_log(apart);
  diagnosis.overlap = steps_of({0.5, 0.6, 0.9});
  EXPECT_EQ(verdict_of(diagnosis).answer, "identifiable through features only");
  EXPECT_THAT(verdict_of(diagnosis).reasons[1], HasSubstr("of 0.90 at most"));
  EXPECT_THAT(verdict_of(diagnosis).advice, Contains(HasSubstr("shallow towers")));
  diagnosis.overlap = steps_of({0.5, 0.95, 0.6});
  EXPECT_EQ(verdict_of(diagnosis).answer, "weakly identifiable through features only");
  diagnosis.overlap = steps_of({0.5, 0.995, 0.6});
  EXPECT_EQ(verdict_of(diagnosis).answer, "not identifiable");
  EXPECT_THAT(verdict_of(diagnosis).advice, Contains(HasSubstr("Use fewer features")));
  diagnosis.overlap = steps_of({0.5, std::numeric_limits<double>::quiet_NaN(), 0.6});
  EXPECT_EQ(verdict_of(diagnosis).answer, "not identifiable");
  EXPECT_EQ(verdict_of(diagnosis).features, Identification::not_measured);
  EXPECT_THAT(verdict_of(diagnosis).reasons[1], HasSubstr("cannot be compared"));
  EXPECT_THAT(verdict_of(diagnosis).advice, Each(Not(HasSubstr("Use fewer features"))));
}

TEST(DiagnosisVerdictTest, PairsThatIdentifyNeedNoFeatures) {
  Diagnosis diagnosis = of_log(linked);
  diagnosis.overlap = steps_of({0.5, 1, 1});
  const Verdict verdict = verdict_of(diagnosis);
  EXPECT_EQ(verdict.answer, "identifiable");
  EXPECT_EQ(verdict.features, Identification::none);
  EXPECT_THAT(verdict.advice, Each(Not(HasSubstr("features"))));
}

TEST(DiagnosisVerdictTest, AdviceOnResidualsDependsOnSwaps) {
  Diagnosis diagnosis = of_log(linked);
  diagnosis.residuals.correlation.with_score = {.value = 0.1, .standard_error = 0.01};
  EXPECT_THAT(verdict_of(diagnosis).advice,
              ElementsAre(HasSubstr("can be lessened by loss: logging_policy_weights")));
  diagnosis.graph = of_log(apart).graph;
  EXPECT_THAT(verdict_of(diagnosis).advice,
              Contains(HasSubstr("(logging_policy_weights) do nothing without swaps")));
  diagnosis.residuals.correlation.with_score.value = 0.001;
  EXPECT_THAT(verdict_of(diagnosis).advice, Each(Not(HasSubstr("logging_policy_weights"))));
}

TEST(DiagnosisVerdictTest, ResidualsMayHaveOtherCausesThanTheFormOfAModel) {
  Diagnosis diagnosis = of_log(linked);
  diagnosis.residuals.correlation.with_score = {.value = 0.1, .standard_error = 0.01};
  EXPECT_THAT(verdict_of(diagnosis).advice,
              ElementsAre(::testing::AllOf(HasSubstr("The additive model misses"),
                                           HasSubstr("users follow another model, such as pbm"),
                                           HasSubstr("(--run)"))));
  diagnosis.residuals.of_run = true;
  EXPECT_THAT(verdict_of(diagnosis).advice,
              ElementsAre(::testing::AllOf(HasSubstr("The run misses"),
                                           HasSubstr("early stopping, weight decay or "
                                                     "pseudo-counts hold its parameters back"))));
}

TEST(DiagnosisVerdictTest, APolicyThatFeaturesPredictIsAWarning) {
  Diagnosis diagnosis = of_log(linked);
  diagnosis.policy =
      PolicyStrength{.ndcg = 0.9, .interval = {.lower = 0.89, .upper = 0.91}, .random_ndcg = 0.7};
  EXPECT_THAT(verdict_of(diagnosis).advice, ElementsAre(HasSubstr("ties relevance to ranks")));
  diagnosis.policy->interval.lower = 0.69;
  EXPECT_THAT(verdict_of(diagnosis).advice, IsEmpty());
}

}  // namespace
}  // namespace ultr::diagnosis_verdict_test
