#include "studies/study_output.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

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

}  // namespace
}  // namespace ultr::study_output_test
