#include <gtest/gtest.h>

#include "base/error.h"
#include "report/table.h"

namespace ultr::text_table_test {
namespace {

TEST(TextTableTest, AlignsNumbersRightAndTextLeft) {
  EXPECT_EQ(
      render_text_table({{"model", "ppl", "verdict"},
                         {{"pbm", "1.25", "best"}, {"two_tower", "10.5", ""}, {"x", "-", "*"}},
                         "left out"}),
      "model       ppl  verdict\n"
      "pbm        1.25  best\n"
      "two_tower  10.5\n"
      "x             -  *\n");
}

TEST(TextTableTest, CountsCharactersNotBytes) {
  EXPECT_EQ(render_text_table({{"η", "name"}, {{"0.5", "λ"}, {"10", "ab"}}, ""}),
            "  η  name\n"
            "0.5  λ\n"
            " 10  ab\n");
}

TEST(TextTableTest, ControlCharactersBecomeSpaces) {
  EXPECT_EQ(render_text_table({{"a\nb"}, {{"c\x1b[1m"}, {"d\t"}}, ""}), "a b\nc [1m\nd\n");
}

TEST(TextTableTest, LinksAndIconsAreLeftOut) {
  EXPECT_EQ(render_text_table({{"run", "verdict"},
                               {{linked_cell("a", "a/report.html"), marked_cell("ok", Mark::good)}},
                               ""}),
            "run  verdict\n"
            "a    ok\n");
}

TEST(TextTableTest, RejectsRaggedTables) {
  EXPECT_THROW(render_text_table({{"a", "b"}, {{"1"}}, ""}), Error);
}

}  // namespace
}  // namespace ultr::text_table_test
