#include "studies/sweep_grid.h"

#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "testing/errors.h"
#include "testing/run_folders.h"

namespace ultr::sweep_grid_test {
namespace {

using testing::config_message;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

std::vector<std::string> values(const std::string& text) { return sweep_values(text, "here"); }

TEST(SweepValuesTest, AreSeparatedByCommas) {
  EXPECT_THAT(values("0.1,0.01"), ElementsAre("0.1", "0.01"));
  EXPECT_THAT(values("a, b ,c"), ElementsAre("a", "b", "c"));
  EXPECT_THAT(values("pbm"), ElementsAre("pbm"));
  EXPECT_THAT(values(""), ElementsAre("")) << "null in YAML";
  EXPECT_THAT(values(" as it is "), ElementsAre(" as it is "));
}

TEST(SweepValuesTest, ListsAndMapsAreOneValue) {
  EXPECT_THAT(values("[1,2]"), ElementsAre("[1,2]"));
  EXPECT_THAT(values("[1,2],[3,4]"), ElementsAre("[1,2]", "[3,4]"));
  EXPECT_THAT(values("[[1,2],[3]],4"), ElementsAre("[[1,2],[3]]", "4"));
  EXPECT_THAT(values("{a: 1, b: 2},{a: 3, b: [4,5]}"),
              ElementsAre("{a: 1, b: 2}", "{a: 3, b: [4,5]}"));
  EXPECT_THAT(values("[1,2"), ElementsAre("[1,2")) << "YAML will say what is wrong with it";
}

TEST(SweepValuesTest, QuotesKeepACommaWhereAValueStarts) {
  EXPECT_THAT(values("'a, b',c"), ElementsAre("'a, b'", "c"));
  EXPECT_THAT(values(R"("a, \", b",c)"), ElementsAre(R"("a, \", b")", "c"));
  EXPECT_THAT(values("it's,that's"), ElementsAre("it's", "that's"));
  EXPECT_THAT(values("['a]', b],c"), ElementsAre("['a]', b]", "c"));
  EXPECT_THAT(values("a[1,b]2"), ElementsAre("a[1", "b]2")) << "letters of a word";
}

TEST(SweepValuesTest, RangesCountUp) {
  EXPECT_THAT(values("1..4"), ElementsAre("1", "2", "3", "4"));
  EXPECT_THAT(values("-1..1,7"), ElementsAre("-1", "0", "1", "7"));
  EXPECT_THAT(values("5..5"), ElementsAre("5"));
  EXPECT_THAT(values("1..10000"), SizeIs(10000));
  EXPECT_THAT(values("../data"), ElementsAre("../data"));
  EXPECT_THAT(values("1..b"), ElementsAre("1..b"));
}

TEST(SweepValuesTest, RefusesEmptyValuesAndWrongRanges) {
  for (const char* text : {"a,,b", ",a", "a,", ","})
    EXPECT_THAT(config_message([&] { values(text); }),
                HasSubstr("here: a value between commas is empty"))
        << text;
  for (const char* text :
       {"4..1", "1..10001", "-9223372036854775808..9223372036854775807", "0..9223372036854775807"})
    EXPECT_THAT(config_message([&] { values(text); }), HasSubstr("is no range")) << text;
}

TEST(SweepGridTest, OverridesWithOneValueAreOnePoint) {
  for (const std::vector<std::string>& overrides :
       {std::vector<std::string>{}, {"a=1", "b.c=[1,2]"}, {"a=1", "a=2"}}) {
    const std::vector<SweepPoint> grid = sweep_grid(overrides);
    ASSERT_THAT(grid, SizeIs(1));
    EXPECT_EQ(grid[0].overrides, overrides);
    EXPECT_EQ(grid[0].name, "");
  }
}

TEST(SweepGridTest, HasAllCombinationsInOrder) {
  const std::vector<SweepPoint> grid = sweep_grid({"lr=0.1,0.01", "epochs=3", "seed=1..3"});
  ASSERT_THAT(grid, SizeIs(2 * 3));
  EXPECT_THAT(grid[0].overrides, ElementsAre("lr=0.1", "epochs=3", "seed=1"));
  EXPECT_EQ(grid[1].name, "lr=0.1 seed=2");
  EXPECT_EQ(grid[2].folder, "lr=0.1,seed=3");
  EXPECT_THAT(grid[5].overrides, ElementsAre("lr=0.01", "epochs=3", "seed=3"));
}

TEST(SweepGridTest, FoldersAreSafeDistinctAndShort) {
  const std::vector<SweepPoint> grid =
      sweep_grid({"train=[a/b.txt, c],../x y,x/y,x y,[x y]", "n=1,2"});
  std::set<std::string> folders;
  for (const SweepPoint& point : grid) {
    EXPECT_EQ(point.folder.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_.,=+-"),
              std::string::npos)
        << point.folder;
    EXPECT_TRUE(folders.insert(point.folder).second) << point.folder;
  }
  EXPECT_EQ(grid[0].folder, "train=a_b.txt,_c,n=1");
  EXPECT_EQ(grid[2].folder, "train=.._x_y,n=1");
  EXPECT_EQ(grid[4].folder, "train=x_y,n=1");
  EXPECT_EQ(grid[6].folder, "train=x_y,n=1-2");

  const std::string a(300, 'a');
  const std::vector<SweepPoint> lengthy = sweep_grid({"k=" + a + "1," + a + "2"});
  EXPECT_LE(lengthy[1].folder.size(), 255u);
  EXPECT_NE(lengthy[0].folder, lengthy[1].folder);
}

TEST(SweepGridTest, RefusesInvalidOverrides) {
  EXPECT_EQ(config_message([] { sweep_grid({"seed"}); }), "option 'seed': expected key=value");
  EXPECT_EQ(config_message([] { sweep_grid({"=1,2"}); }), "option '=1,2': expected key=value");
  EXPECT_THAT(config_message([] {
                sweep_grid({"seed=1,2", "seed=3"});
              }),
              HasSubstr("'seed' has several values and is given twice"));
  EXPECT_THAT(config_message([] { sweep_grid({"output=a,b"}); }),
              HasSubstr("output has several values; expected one"));
  EXPECT_THAT(config_message([] {
                sweep_grid({"a=1..101", "b=1..100"});
              }),
              HasSubstr("makes 10100 runs"));
  EXPECT_THAT(sweep_grid({"a=1..100", "b=1..100"}), SizeIs(100 * 100));
}

TEST(SweepFolderNameTest, KeepsCharactersAllowedInFileNames) {
  EXPECT_EQ(sweep_folder_name("a=1,b=[x/y] z "), "a=1,b=x_y_z");
  EXPECT_EQ(sweep_folder_name(std::string(300, 'x')).size(), 200u);
}

}  // namespace
}  // namespace ultr::sweep_grid_test
