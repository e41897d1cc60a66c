#include "report/table.h"

#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ultr::table_test {
namespace {

using ::testing::ElementsAre;

TEST(MoveColumnTest, KeepsCellsBelowTheirHeaders) {
  ReportTable table = {{"a", "b", "c"}, {{"1", "2", marked_cell("3", Mark::good)}}, ""};
  move_column(table, 2, 0);
  EXPECT_THAT(table.header, ElementsAre("c", "a", "b"));
  EXPECT_EQ(table.rows[0][0], marked_cell("3", Mark::good));
  EXPECT_EQ(table.rows[0][2], "2");
  move_column(table, 0, 2);
  EXPECT_THAT(table.header, ElementsAre("a", "b", "c"));
  EXPECT_THAT(table.rows[0], ElementsAre("1", "2", marked_cell("3", Mark::good)));
}

TEST(NumberOrDashTest, HasFourDigitsOrNone) {
  EXPECT_EQ(number_or_dash(0.12345), "0.1235");
  EXPECT_EQ(number_or_dash(-2), "-2.0000");
  EXPECT_EQ(number_or_dash(std::nan("")), "-");
  EXPECT_EQ(number_or_dash(HUGE_VAL), "-");
}

}  // namespace
}  // namespace ultr::table_test
