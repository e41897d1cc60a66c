#include "runs/analysis_report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ultr::analysis_report_test {
namespace {

using ::testing::ElementsAre;

ReportTable table_in(const Report& report, const std::string& heading) {
  for (const ReportSection& section : report.sections)
    if (section.heading == heading) return std::get<ReportTable>(section.blocks.front());
  ADD_FAILURE() << "no section " << heading;
  return {};
}

TEST(AnalysisReportTest, ShowsSingleResultsByTheirPaths) {
  const Report report = analysis_report(
      "Landscape",
      {{"analysis", "x"}, {"pbm", {{"minimum", 0.5}, {"steps", 12}, {"gap", nullptr}}}},
      "seed: 1\n");
  EXPECT_EQ(report.title, "Landscape");
  EXPECT_THAT(table_in(report, "Results").rows,
              ElementsAre(ElementsAre("analysis", "x"), ElementsAre("pbm.minimum", "0.5"),
                          ElementsAre("pbm.steps", "12"), ElementsAre("pbm.gap", "-")));
  EXPECT_EQ(report.sections.back().heading, "Configuration");
}

TEST(AnalysisReportTest, CountsHaveSeparatorsOfThousandsAndSeedsHaveNone) {
  const Report report = analysis_report(
      "A", {{"seed", 20240}, {"sessions", 12345}, {"runs", {{{"seed", 12345}, {"lists", 1000}}}}},
      "");
  EXPECT_THAT(table_in(report, "Results").rows,
              ElementsAre(ElementsAre("seed", "20240"), ElementsAre("sessions", "12,345")));
  EXPECT_THAT(table_in(report, "runs").rows, ElementsAre(ElementsAre("12345", "1,000")));
}

TEST(AnalysisReportTest, ArraysOfOneLengthAreColumnsOfATable) {
  const ReportTable table = table_in(
      analysis_report("A", {{"bias", {{"true", {1, 0.5}}, {"estimated", {1, 0.25}}}}}, ""), "bias");
  EXPECT_THAT(table.header, ElementsAre("number", "true", "estimated"));
  EXPECT_THAT(table.rows, ElementsAre(ElementsAre("1", "1", "1"), ElementsAre("2", "0.5", "0.25")));
}

TEST(AnalysisReportTest, ArraysOfDifferentLengthsHaveTablesOfTheirOwn) {
  const Report report = analysis_report("A", {{"short", {1}}, {"long", {1, 2}}}, "");
  EXPECT_EQ(report.sections.size(), 4u) << "results, two tables, configuration";
  EXPECT_NO_THROW(render_report(report));
}

TEST(AnalysisReportTest, ObjectsInAListAreRows) {
  const nlohmann::ordered_json results = {
      {"edges", {{{"ranks", "1-2"}, {"swaps", 3}}, {{"ranks", "2-3"}, {"weight", 0.5}}}}};
  const ReportTable table = table_in(analysis_report("A", results, ""), "edges");
  EXPECT_THAT(table.header, ElementsAre("ranks", "swaps", "weight"));
  EXPECT_THAT(table.rows,
              ElementsAre(ElementsAre("1-2", "3", "-"), ElementsAre("2-3", "-", "0.5")));
}

}  // namespace
}  // namespace ultr::analysis_report_test
