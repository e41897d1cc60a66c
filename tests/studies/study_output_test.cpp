#include "studies/study_output.h"

#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "testing/temporary_folder.h"
#include "testing/xml.h"

namespace ultr::study_output_test {
namespace {

ExpectationResult result_of(std::vector<StudyComparison> comparisons) {
  return {.status = ExpectationStatus::failed, .comparisons = std::move(comparisons), .note = {}};
}

TEST(ShownComparisonsTest, FailedOnesComeFirst) {
  const StudyComparison held{
      .part = {.orders = {">"}}, .scope = "tau=0", .values = {2, 1}, .held = true};
  StudyComparison failed = held;
  failed.values = {0.123456789, 1};
  failed.held = false;
  failed.scope = "tau=1";
  EXPECT_EQ(shown_comparisons(result_of({held, failed})), "0.12346 > 1 at tau=1; 2 > 1 at tau=0");
  EXPECT_EQ(shown_comparisons(result_of({held, held, held, failed, held})),
            "0.12346 > 1 at tau=1; 2 > 1 at tau=0; 2 > 1 at tau=0; 2 more");
}

TEST(ShownComparisonsTest, ChainsAndTestsAreShownWhole) {
  EXPECT_EQ(shown_comparisons(
                result_of({{.part = {.orders = {"<", "<="}}, .values = {1, 2, 3}, .held = true}})),
            "1 < 2 <= 3");
  EXPECT_EQ(
      shown_comparisons(result_of(
          {{.part = {.orders = {"<"}}, .values = {1, 2}, .held = true, .corrected_p = 0.0312}})),
      "1 < 2, p = 0.0312");
}

TEST(ShownComparisonsTest, ANoteSaysAll) {
  ExpectationResult missing = result_of({});
  missing.note = "it is missing";
  EXPECT_EQ(shown_comparisons(missing), "it is missing");
}

TEST(ExpectationsMarkdownTest, HtmlIsShownAndNotObeyed) {
  Study study;
  study.name = "x";
  study.paper = "<script>alert('1|2')</script> & more";
  study.expectations.resize(2);
  study.expectations[0].claim.text = "a < b";
  study.expectations[1].claim.text = "`<b>`";
  ExpectationResult missing = result_of({});
  missing.note = "a <img src=x>\nis missing";
  const std::vector<RunResults> runs;
  const StudyOutcome outcome{{.study = study, .runs = runs}, {missing, missing}, {}};
  const std::string start =
      "| `x` | &lt;script&gt;alert(&#39;1\\|2&#39;)&lt;/script&gt; &amp; more | ";
  const std::string end = " | failed | a &lt;img src=x&gt; is missing |\n";
  EXPECT_EQ(expectations_markdown(outcome),
            start + "`a < b`" + end + start + "<code>`&lt;b&gt;`</code>" + end);
}

TEST(StudyReportTest, VerdictsHaveIconsAndRunsAreLinks) {
  const testing::TemporaryFolder folder;
  Study study;
  study.title = "A study";
  study.expectations.resize(4);
  study.grid.variants.resize(1);
  study.points.resize(2);
  study.points[0] = {
      .coordinates = {{"seed", "1"}}, .settings = {}, .name = "pbm seed=1", .folder = "pbm,seed=1"};
  study.points[1] = {
      .coordinates = {{"seed", "2"}}, .settings = {}, .name = "pbm seed=2", .folder = "pbm,seed=2"};
  std::filesystem::create_directory(folder.path() / "pbm,seed=1");
  std::ofstream(folder.path() / "pbm,seed=1/report.html") << "page";
  std::vector<RunResults> runs(2);
  runs[1].failure = "it diverged";
  StudyOutcome outcome{{.study = study, .runs = runs}, std::vector(4, result_of({})), {}};
  for (const int i : {0, 1, 2, 3})
    outcome.expectations[static_cast<std::size_t>(i)].status = static_cast<ExpectationStatus>(i);
  const auto html =
      testing::parse_xml(render_report(study_report(outcome, "study: x", folder.path())));
  const auto& expectations = *html.all("section")[0];
  for (const char* icon : {"icon good", "icon bad", "icon missing", "icon warning"})
    EXPECT_EQ(expectations.all("svg", icon).size(), 1u) << icon;
  EXPECT_EQ(expectations.all("th")[1]->text, "verdict");
  const auto& run_rows = *html.all("section")[1];
  EXPECT_EQ(run_rows.first("h2").text, "Runs");
  ASSERT_EQ(run_rows.all("a").size(), 1u);
  EXPECT_EQ(run_rows.first("a").attribute("href"), "pbm,seed=1/report.html");
  EXPECT_EQ(run_rows.all("td")[4]->text, "failed: it diverged");
  EXPECT_EQ(html.all("div", "scroll").size(), html.all("table").size());
}

}  // namespace
}  // namespace ultr::study_output_test
