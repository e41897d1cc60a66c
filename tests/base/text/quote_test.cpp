#include "base/text/quote.h"

#include <gtest/gtest.h>

namespace ultr::quote_test {
namespace {

TEST(QuoteTest, PutsTextInQuotes) {
  EXPECT_EQ(quote("adam"), "'adam'");
  EXPECT_EQ(quote(""), "''");
  EXPECT_EQ(quote("it's"), "'it's'");
}

TEST(QuoteTest, IsAlwaysOneLine) {
  EXPECT_EQ(quote("a\nb\r\tc"), "'a\\nb\\r\\tc'");
  EXPECT_EQ(quote(std::string_view("\0\x1b\x7f", 3)), "'\\x00\\x1b\\x7f'");
  EXPECT_EQ(quote("\xC2\x85"), "'\\xc2\\x85'") << "U+0085 is a line break";
}

TEST(QuoteTest, KeepsWhatIsUtf8) {
  for (const char* text : {"größe", "вес", "文書", "🦆", "\xC2\xA0", "\xDF\xBF", "\xE0\xA0\x80",
                           "\xED\x9F\xBF", "\xEF\xBF\xBF", "\xF0\x90\x80\x80", "\xF4\x8F\xBF\xBF"})
    EXPECT_EQ(quote(text), "'" + std::string(text) + "'");
}

TEST(QuoteTest, ShowsWhatIsNotUtf8) {
  EXPECT_EQ(quote("gr\xF6\xDF"), "'gr\\xf6\\xdf'") << "Latin-1";
  EXPECT_EQ(quote("\x80"), "'\\x80'") << "a continuation alone";
  EXPECT_EQ(quote("\xE6\x96"), "'\\xe6\\x96'") << "cut off";
  EXPECT_EQ(quote("\xE6\x96x"), "'\\xe6\\x96x'");
  EXPECT_EQ(quote("\xC1\xBF"), "'\\xc1\\xbf'") << "too long a form";
  EXPECT_EQ(quote("\xE0\x9F\xBF"), "'\\xe0\\x9f\\xbf'");
  EXPECT_EQ(quote("\xF0\x8F\xBF\xBF"), "'\\xf0\\x8f\\xbf\\xbf'");
  EXPECT_EQ(quote("\xED\xA0\x80"), "'\\xed\\xa0\\x80'") << "a surrogate";
  EXPECT_EQ(quote("\xF4\x90\x80\x80"), "'\\xf4\\x90\\x80\\x80'") << "beyond U+10FFFF";
  EXPECT_EQ(quote("\xF5\x80\x80\x80"), "'\\xf5\\x80\\x80\\x80'");
  EXPECT_EQ(quote("\xFF"), "'\\xff'");
}

TEST(QuoteTest, CutsBetweenCharacters) {
  EXPECT_EQ(quote("abcd", 4), "'abcd'");
  EXPECT_EQ(quote("abcde", 4), "'abcd'...");
  EXPECT_EQ(quote("文書x", 2), "'文書'...");
  EXPECT_EQ(quote("\n\n\n", 2), "'\\n\\n'...");
  EXPECT_EQ(quote("a", 0), "''...");
  EXPECT_EQ(quote("", 0), "''");
}

TEST(OneLineTest, IsTheQuotedTextWithoutQuotes) {
  EXPECT_EQ(one_line("a\nb\x01"), "a\\nb\\x01");
  EXPECT_EQ(one_line("abcdef", 3), "abc...");
}

}  // namespace
}  // namespace ultr::quote_test
