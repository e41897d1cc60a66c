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

}  // namespace
}  // namespace ultr::study_output_test
