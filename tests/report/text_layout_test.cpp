#include "report/text_layout.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ultr::text_layout_test {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(TextLayoutTest, WidthGrowsWithTextAndSize) {
  EXPECT_EQ(text_width("", 12), 0);
  EXPECT_DOUBLE_EQ(text_width("abc", 24), 2 * text_width("abc", 12));
  EXPECT_DOUBLE_EQ(text_width("abcabc", 12), 2 * text_width("abc", 12));
  EXPECT_GT(text_width("MMM", 12), text_width("iii", 12));
}

TEST(TextLayoutTest, WidthCountsCharactersNotBytes) {
  EXPECT_LT(text_width("θ", 10), text_width("oo", 10));
  EXPECT_LT(text_width("−", 10), text_width("oo", 10));
}

TEST(TextLayoutTest, WrapsAtSpaces) {
  const double width = text_width("examination by", 10);
  EXPECT_THAT(wrap_text("examination by rank", 10, width), ElementsAre("examination by", "rank"));
  EXPECT_THAT(wrap_text("  examination \n by  ", 10, width), ElementsAre("examination by"));
  EXPECT_THAT(wrap_text("", 10, width), IsEmpty());
  EXPECT_THAT(wrap_text(" \n ", 10, width), IsEmpty());
}

TEST(TextLayoutTest, NoLineIsWiderThanAsked) {
  const std::string text = "words of different lengths, incomprehensibilities included";
  for (const double width : {20., 50., 100., 1000.}) {
    for (const std::string& line : wrap_text(text, 12, width)) {
      EXPECT_LE(text_width(line, 12), width) << line;
    }
  }
}

TEST(TextLayoutTest, ShortensAtCharacters) {
  const std::string text = "θθθθθθ";
  EXPECT_EQ(shorten_text(text, 10, text_width(text, 10)), text);
  EXPECT_EQ(shorten_text(text, 10, text_width("θθθ…", 10)), "θθθ…");
  EXPECT_EQ(shorten_text(text, 10, 0), "…");
}

}  // namespace
}  // namespace ultr::text_layout_test
