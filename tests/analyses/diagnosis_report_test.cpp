#include "analyses/diagnosis_report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analyses/device_log.h"
#include "metrics/logged_clicks.h"

namespace ultr::diagnosis_report_test {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using testing::temperature_data;

std::string text_of(const ExperimentData& data) {
  const Diagnosis diagnosis = diagnose(data, {});
  return diagnosis_text(diagnosis, verdict_of(diagnosis));
}

std::string page_of(const ExperimentData& data) {
  const Diagnosis diagnosis = diagnose(data, {});
  return render_report(diagnosis_report("log", diagnosis, verdict_of(diagnosis)));
}

TEST(DiagnosisReportTest, TheTableHasOneRowPerRank) {
  Diagnosis diagnosis;
  diagnosis.graph = rank_graph(testing::log_of({{1, 1, 1, 3}, {1, 2, 1, 1}, {2, 3, 0, 5}}));
  diagnosis.residuals.correlation.ranks = {
      {.rank = 1, .residuals = 9, .mean = {.value = 0.25}, .correlation = {.value = -0.5}}};
  const ReportTable table = rank_table(diagnosis);
  EXPECT_THAT(table.header, ElementsAre("rank", "impressions", "click rate", "weakest link",
                                        "swaps", "error of bias", "residual", "correlation"));
  EXPECT_THAT(table.rows[0], ElementsAre("1", "4", "0.2500", "-", "-", "-", "-", "-"));
  // 2 / (1/4 + 1/2) swaps; variances 4 / (1/4 3/4) / 16 and 2 / (1/2 1/2) / 4.
  EXPECT_THAT(table.rows[1],
              ElementsAre("2", "2", "0.5000", "1-2", "2.7", "1.8257", "0.2500", "-0.5000"));
  EXPECT_THAT(table.rows[2], ElementsAre("3", "5", "0.0000", "-", "-", "-", "-", "-"));
}

TEST(DiagnosisReportTest, CombinationsOfBiasFeaturesHaveATable) {
  const ExperimentData data = testing::device_data(
      {.temperature = 0.5, .with_features = true, .sessions = 400, .documents = 2},
      [](std::size_t s) { return static_cast<float>(s % 2); });
  const Diagnosis diagnosis = diagnose(data, {});
  const ReportTable table = combination_table(diagnosis.bias_features.value());
  ASSERT_EQ(table.rows.size(), 4u);
  EXPECT_EQ(table.rows[2][0], ReportCell("rank 2, device = 0"));
  EXPECT_EQ(table.rows[2][1], ReportCell("200"));
  EXPECT_EQ(table.rows[2][3], ReportCell("1")) << "connected to rank 1 on its device";
  EXPECT_EQ(table.rows[3][3], ReportCell("2"));
  EXPECT_EQ(table.rows[3][4], ReportCell("-")) << "of unknown bias";
  EXPECT_THAT(page_of(data), HasSubstr("Combinations of rank and device"));
  EXPECT_THAT(page_of(temperature_data({.sessions = 200})), Not(HasSubstr("Combinations of")));
}

TEST(DiagnosisReportTest, TheTextEndsWithVerdictAndAdvice) {
  const std::string fixed = text_of(temperature_data({.sessions = 200}));
  EXPECT_THAT(fixed, AllOf(HasSubstr("\nverdict: not identifiable (by query-document pairs: not "
                                     "identifiable; by features: not measured)\n- No query"),
                           HasSubstr("show the same order with probability 1.000"),
                           HasSubstr("cannot be measured"), HasSubstr("\nadvice:\n- Collect")));
  std::size_t longest = 0;
  for (std::size_t begin = 0; begin < fixed.size();) {
    const std::size_t end = fixed.find('\n', begin);
    longest = std::max(longest, end - begin);
    begin = end + 1;
  }
  EXPECT_LE(longest, 104u);
}

TEST(DiagnosisReportTest, ThePictureDrawsLinksAndEmphasizesWidestPaths) {
  const RankGraph graph = rank_graph(testing::log_of(
      {{1, 1, 0, 5}, {1, 2, 0, 5}, {2, 2, 0, 3}, {2, 4, 0, 3}, {3, 1, 0, 1}, {3, 4, 0, 1}}));
  const ArcDiagram picture = rank_graph_picture(graph);
  EXPECT_THAT(picture.nodes, ElementsAre("1", "2", "4"));
  ASSERT_EQ(picture.arcs.size(), 3u);
  EXPECT_TRUE(picture.arcs[0].emphasized);
  EXPECT_EQ(picture.arcs[0].strength, 1);
  EXPECT_FALSE(picture.arcs[1].emphasized) << "1-4 is worth one swap";
  EXPECT_EQ(picture.arcs[1].to, 2u);
  EXPECT_THAT(picture.arcs[1].tooltip, HasSubstr("ranks 1 and 4: 1 pair, worth 1.0 swaps"));
}

TEST(DiagnosisReportTest, ThePageShowsAllPictures) {
  const std::string html = page_of(temperature_data(
      {.temperature = 0.5, .with_features = true, .sessions = 1000, .queries = 100}));
  EXPECT_THAT(html, AllOf(HasSubstr("Verdict: identifiable"), HasSubstr("class=\"arc\""),
                          HasSubstr("icon good"), HasSubstr("1,000 training sessions"),
                          HasSubstr("How well features tell ranks apart"),
                          HasSubstr("Residual and policy score")));
  EXPECT_THAT(page_of(temperature_data({.sessions = 200})),
              AllOf(Not(HasSubstr("How well features")), HasSubstr("icon bad")));
}

}  // namespace
}  // namespace ultr::diagnosis_report_test
