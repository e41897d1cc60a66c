#include "studies/comparison/comparison_report.h"

#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "testing/temporary_folder.h"
#include "testing/xml.h"

namespace ultr::comparison_report_test {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using testing::XmlElement;

/// Returns a run of a sweep over type and rate. On validation sessions its perplexity is one
/// higher.
RunResults run(const std::string& type, const std::string& rate, std::int64_t seed, double ppl) {
  return {.folder = "sweep/" + type + "," + rate + "," + std::to_string(seed),
          .name = "experiment",
          .options = {{"type", type}, {"rate", rate}},
          .seed = seed,
          .metrics = {{"test.cond_ppl", ppl},
                      {"test.ppl", ppl},
                      {"valid.cond_ppl", ppl + 1},
                      {"valid.sessions", 10}}};
}

/// Two types by two rates, two seeds each. The best is b with 0.1, and then b with 0.01.
Comparison sweep() {
  std::vector<RunResults> runs;
  for (const std::int64_t seed : {1, 2}) {
    const double s = 0.001 * static_cast<double>(seed);
    runs.push_back(run("a", "0.01", seed, 1.5 + s));
    runs.push_back(run("a", "0.1", seed, 1.4 + 2 * s));
    runs.push_back(run("b", "0.01", seed, 1.3 + 3 * s));
    runs.push_back(run("b", "0.1", seed, 1.2 + 4 * s));
  }
  return compare(runs, {});
}

/// Three seeds of a and b, and one of c that failed. None is selected.
Comparison unselected() {
  std::vector<RunResults> runs;
  for (const std::int64_t seed : {1, 2, 3}) {
    for (const auto& [type, ppl] : {std::pair{"a", 1.5}, std::pair{"b", 1.25}}) {
      RunResults one = run(type, "1", seed, ppl * (1 + 0.001 * static_cast<double>(seed)));
      one.metrics = {{"test.ppl", one.metrics["test.ppl"]}};
      runs.push_back(one);
    }
  }
  RunResults failed = run("c", "1", 1, 0);
  failed.metrics.clear();
  failed.failure = "the loss is not finite";
  runs.push_back(failed);
  return compare(runs, {});
}

XmlElement page_of(const Comparison& comparison, const fs::path& folder = "sweep") {
  return testing::parse_xml(render_report(comparison_report(comparison, folder)));
}

const XmlElement& section(const XmlElement& html, const std::string& heading) {
  for (const XmlElement* found : html.all("section"))
    if (found->first("h2").text == heading) return *found;
  throw std::runtime_error("no section " + heading);
}

std::vector<std::string> column(const XmlElement& table, std::size_t number) {
  std::vector<std::string> texts;
  for (const XmlElement* row : table.first("tbody").all("tr")) {
    const XmlElement& cell = *row->all("td")[number];
    texts.push_back(cell.all("a").empty() ? cell.text : cell.first("a").text);
  }
  return texts;
}

TEST(ComparisonReportTest, PageShowsPlotsTablesAndRuns) {
  const XmlElement html = page_of(unselected());
  EXPECT_EQ(html.first("h1").text, "Comparison of experiment");
  EXPECT_THAT(html.first("p", "summary").text, HasSubstr("7 runs of 3 configurations, 1 test."));
  const XmlElement& metric = *html.all("section")[0];
  EXPECT_EQ(metric.first("h2").text, "test.ppl");
  const XmlElement& plot = metric.first("svg");
  EXPECT_THAT(plot.all("text", "label"), SizeIs(3));
  EXPECT_THAT(plot.all("path", "interval"), SizeIs(2));
  EXPECT_THAT(plot.all("path", "dot"), SizeIs(2));
  EXPECT_THAT(plot.all("circle", "part"), SizeIs(6));
  std::vector<std::string> marks;
  for (const XmlElement* mark : plot.all("text", "mark")) marks.push_back(mark->text);
  EXPECT_THAT(marks, ElementsAre("best", "***", "no result"));
  EXPECT_THAT(column(metric, 0), ElementsAre("b", "a", "c")) << "the best first";
  const XmlElement& runs = *html.all("section").back();
  EXPECT_THAT(column(runs, 1), ElementsAre("1", "2", "3", "1", "2", "3", "1"));
  EXPECT_EQ(column(runs, 3).back(), "failed: the loss is not finite");
  EXPECT_THAT(runs.all("svg", "icon bad"), SizeIs(1));
  EXPECT_THAT(runs.all("svg", "icon good"), SizeIs(6));
}

TEST(ComparisonReportTest, ASweepBeginsWithTheConfigurationsInTheirOrderOnValidationSessions) {
  const XmlElement html = page_of(sweep());
  const XmlElement& selected = *html.all("section")[0];
  EXPECT_EQ(selected.first("h2").text, "Selected configuration");
  EXPECT_THAT(selected.first("p", "marked").first("span").text,
              HasSubstr("Its best run: sweep/b,0.1,1, with valid.cond_ppl 2.20400"));
  EXPECT_THAT(column(selected, 0), ElementsAre("b", "b", "a", "a"));
  EXPECT_THAT(column(selected, 1), ElementsAre("0.1", "0.01", "0.1", "0.01"));
  EXPECT_THAT(column(selected, 2), ElementsAre("2.20600", "2.30450", "2.40300", "2.50150"));
  ASSERT_THAT(selected.all("tr", "chosen"), SizeIs(1));
  EXPECT_THAT(selected.all("tr", "chosen")[0]->all("svg", "icon chosen"), SizeIs(1));
  EXPECT_THAT(column(section(html, "test.cond_ppl"), 1), ElementsAre("0.1", "0.01", "0.1", "0.01"));
}

TEST(ComparisonReportTest, VerdictsAreWordsWithIconsBesideTheMetric) {
  const XmlElement html = page_of(sweep());
  const XmlElement& metric = section(html, "test.cond_ppl");
  std::vector<std::string> header;
  for (const XmlElement* cell : metric.all("th")) header.push_back(cell->text);
  EXPECT_THAT(header, ElementsAre("type", "rate", "runs", "test.cond_ppl", "verdict", "difference",
                                  "pairs", "p", "corrected p"));
  const std::vector<std::string> verdicts = column(metric, 4);
  EXPECT_EQ(verdicts[0], "selected");
  EXPECT_THAT(verdicts[3], ::testing::StartsWith("worse *"));
  const auto rows = metric.first("tbody").all("tr");
  EXPECT_THAT(rows[0]->all("svg", "icon chosen"), SizeIs(1));
  EXPECT_THAT(rows[3]->all("svg", "icon bad"), SizeIs(1));
}

TEST(ComparisonReportTest, HigherLikelihoodsOfQueriesAreBetter) {
  Comparison comparison = sweep();
  Measurement& other = comparison.metrics[0].measurements[0];
  other.test->over = "queries";
  other.test->measure = "ll";
  other.test->t_test.mean_difference = 0.5;
  other.test->corrected_p = 0.01;
  const XmlElement html = page_of(comparison);
  EXPECT_EQ(column(section(html, "test.cond_ppl"), 4).back(), "better *");
}

TEST(ComparisonReportTest, AMetricWithTheSameValuesHasNoSecondChart) {
  const XmlElement html = page_of(sweep());
  EXPECT_THAT(section(html, "test.cond_ppl").all("svg", "ultr-chart"), SizeIs(2)) << "in two sizes";
  const XmlElement& same = section(html, "test.ppl");
  EXPECT_THAT(same.all("svg", "ultr-chart"), IsEmpty());
  EXPECT_THAT(same.first("p").text, HasSubstr("the same values as in test.cond_ppl"));
  EXPECT_THAT(same.all("table"), SizeIs(1));
}

TEST(ComparisonReportTest, RowsLinkToTheReportsOfRuns) {
  const testing::TemporaryFolder folder;
  Comparison comparison = sweep();
  for (RunResults& one : comparison.runs) {
    one.folder = folder.path() / one.folder;
    fs::create_directories(one.folder);
    if (one.seed == 1) std::ofstream(one.folder / "report.html") << "page";
  }
  const XmlElement html = page_of(comparison, folder.path() / "sweep");
  const XmlElement& selected = section(html, "Selected configuration");
  EXPECT_EQ(selected.first("a").attribute("href"), "b,0.1,1/report.html");
  EXPECT_EQ(selected.first("a").text, "b");
  EXPECT_THAT(section(html, "Runs").all("a"), SizeIs(4)) << "four runs have no report";
  const XmlElement elsewhere = page_of(comparison, folder.path() / "comparison");
  EXPECT_EQ(elsewhere.first("a").attribute("href"), "../sweep/b,0.1,1/report.html");
}

TEST(ComparisonReportTest, EveryTableScrolls) {
  const XmlElement html = page_of(sweep());
  EXPECT_THAT(html.all("table"), SizeIs(4));
  EXPECT_THAT(html.all("div", "scroll"), SizeIs(4));
  for (const XmlElement* container : html.all("div", "scroll"))
    EXPECT_THAT(container->all("table"), SizeIs(1));
}

TEST(ComparisonReportTest, CountsHaveSeparatorsOfThousands) {
  std::vector<RunResults> runs;
  for (std::int64_t seed = 1; seed <= 1001; ++seed) runs.push_back(run("a", "0.1", seed, 1.5));
  EXPECT_THAT(render_report(comparison_report(compare(runs, {}), "sweep")),
              HasSubstr("1,001 runs of 1 configuration, 0 tests."));
}

TEST(ComparisonReportTest, IsTheSameEveryTime) {
  EXPECT_EQ(render_report(comparison_report(sweep(), "sweep")),
            render_report(comparison_report(sweep(), "sweep")));
}

}  // namespace
}  // namespace ultr::comparison_report_test
