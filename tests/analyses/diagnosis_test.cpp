#include "analyses/diagnosis.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analyses/device_log.h"
#include "analyses/diagnosis_report.h"
#include "base/error.h"
#include "metrics/logged_clicks.h"

namespace ultr::diagnosis_test {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::temperature_data;
using testing::TemperatureLog;
using ::testing::ThrowsMessage;

TEST(DiagnosisTest, OneOrderPerQueryIdentifiesNoTable) {
  const Diagnosis diagnosis = diagnose(temperature_data({.temperature = 0}), {});
  const Verdict verdict = verdict_of(diagnosis);
  EXPECT_EQ(verdict.answer, "not identifiable");
  EXPECT_EQ(diagnosis.graph.components.size(), 5u);
  EXPECT_EQ(diagnosis.orders.same_order, 1);
  EXPECT_EQ(diagnosis.orders.rank_entropy, 0);
  EXPECT_FALSE(diagnosis.overlap || diagnosis.policy);
  EXPECT_THAT(verdict.advice, Contains(HasSubstr("Do not train a parameter for each")));
}

TEST(DiagnosisTest, HalfOfTheSessionsInRandomOrderIdentifyTables) {
  const Diagnosis diagnosis = diagnose(temperature_data({.temperature = 0.5}), {});
  EXPECT_EQ(verdict_of(diagnosis).answer, "identifiable");
  EXPECT_TRUE(diagnosis.graph.connected());
  EXPECT_FALSE(diagnosis.residuals.correlation.follows_policy()) << "the model is the users'";
}

TEST(DiagnosisTest, FeaturesIdentifyWhereOrdersDoNot) {
  const Diagnosis diagnosis =
      diagnose(temperature_data({.temperature = 0, .with_features = true, .queries = 400}), {});
  const Verdict verdict = verdict_of(diagnosis);
  EXPECT_EQ(verdict.answer, "identifiable through features only");
  EXPECT_EQ(verdict.pairs, Identification::none);
  EXPECT_EQ(diagnosis.features, 2u);
  EXPECT_GT(diagnosis.policy.value().ndcg, 0.97);
}

TEST(DiagnosisTest, BiasFeaturesMultiplyWhatPairsMustConnect) {
  // Each query is shown on one device alone, in many orders.
  const TemperatureLog log = {
      .temperature = 0.5, .with_features = true, .sessions = 4000, .queries = 400};
  const DiagnosisOptions few = {.sample = 6000};
  const Diagnosis by_query = diagnose(
      testing::device_data(log, [](std::size_t s) { return static_cast<float>(s % 2); }), few);
  EXPECT_TRUE(by_query.graph.connected());
  EXPECT_THAT(by_query.bias_features.value().graph.components,
              ElementsAre(ElementsAre(0, 2, 4, 6, 8), ElementsAre(1, 3, 5, 7, 9)));
  const Verdict verdict = verdict_of(by_query);
  EXPECT_EQ(verdict.answer, "identifiable through features only");
  EXPECT_THAT(verdict.reasons,
              Contains(HasSubstr("leave 2 separate parts, of which the smallest has 5 and begins "
                                 "with rank 1, device = 0")));
  EXPECT_THAT(verdict.advice, Contains(HasSubstr("By rank alone, bias is identifiable")));
  // Here each query is shown on both devices.
  const Diagnosis by_session = diagnose(
      testing::device_data(log, [](std::size_t s) { return static_cast<float>(s / 400 % 2); }),
      few);
  EXPECT_EQ(verdict_of(by_session).answer, "identifiable");
  EXPECT_EQ(by_session.bias_features.value().graph.components.size(), 1u);
}

TEST(DiagnosisSlowTest, ResidualsFollowAPolicyThatKnowsWhatTheModelMisses) {
  const TemperatureLog log = {.temperature = 0.5, .with_features = true, .queries = 400};
  EXPECT_FALSE(diagnose(temperature_data(log), {}).residuals.correlation.follows_policy());
  // Users who see at once what the policy thinks highly of, and click it at rank 1 or not at all:
  // no sum of a rank's and a document's logit.
  ExperimentData data = temperature_data(log);
  for (std::size_t s = 0; s < data.dataset.train.sessions(); ++s)
    for (std::size_t k = 0; k < 5; ++k) {
      const bool liked = data.dataset.features.row(data.dataset.train[s].rows[k])[0] > 0;
      data.dataset.train.clicks(s)[k] = liked == (k == 0) ? 1 : 0;
    }
  const Diagnosis misspecified = diagnose(data, {});
  EXPECT_TRUE(misspecified.residuals.correlation.follows_policy());
  EXPECT_THAT(verdict_of(misspecified).advice, Contains(HasSubstr("logging_policy_weights")));
}

TEST(DiagnosisTest, ThreadsChangeNothing) {
  for (const bool with_features : {false, true}) {
    const ExperimentData data =
        temperature_data({.temperature = 0.5, .with_features = with_features, .sessions = 500});
    const auto json = [&](int threads) {
      const Diagnosis diagnosis = diagnose(data, {.sample = 1000, .threads = threads});
      return diagnosis_json(diagnosis, verdict_of(diagnosis)).dump();
    };
    EXPECT_EQ(json(1), json(3)) << (with_features ? "with features" : "without");
  }
}

TEST(DiagnosisTest, ReportsProgress) {
  std::vector<std::string> told;
  diagnose(temperature_data({.temperature = 0.5, .with_features = true, .sessions = 100}), {},
           [&](std::string_view work) { told.emplace_back(work); });
  EXPECT_THAT(told, ElementsAre("ranks", "feature overlap", "logging policy", "residuals"));
}

ExperimentData data_of(SessionLog log) {
  ExperimentData data;
  data.dataset.train = std::move(log);
  for (std::uint64_t row = 1; row < 5; ++row) data.dataset.dictionary.add(1, row);
  return data;
}

TEST(DiagnosisTest, RefusesLogsWithoutClicksOrWithOneRank) {
  EXPECT_THAT(
      [] {
        diagnose(data_of(testing::log_of({{1, 1, 0, 3}, {1, 2, 0, 3}})), {});
      },
      ThrowsMessage<DataError>(HasSubstr("nothing was clicked in the training sessions")));
  EXPECT_THAT(
      [] {
        diagnose(data_of(testing::log_of({{1, 2, 1, 3}, {2, 2, 1, 3}})), {});
      },
      ThrowsMessage<DataError>(HasSubstr("show documents at rank 2 alone")));
  ExperimentData labels = temperature_data({.temperature = 0.5, .sessions = 100});
  labels.learns_labels = true;
  EXPECT_THAT([&] { diagnose(labels, {}); },
              ThrowsMessage<DataError>(HasSubstr("have relevance labels; expected clicks")));
}

TEST(DiagnosisTest, NotesThatItsModelHasNotSettled) {
  const Diagnosis diagnosis = diagnose(
      data_of(
          testing::log_of({{1, 1, 1000, 1000}, {2, 2, 1000, 1000}, {3, 1, 9, 1}, {3, 2, 1, 9}})),
      {});
  EXPECT_THAT(diagnosis.residuals.notes, ElementsAre(HasSubstr("still changing")));
}

}  // namespace
}  // namespace ultr::diagnosis_test
