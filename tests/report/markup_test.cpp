#include "report/markup.h"

#include <clocale>
#include <cstdint>
#include <limits>

#include <gtest/gtest.h>

namespace ultr::markup_test {
namespace {

TEST(EscapeMarkupTest, SpecialCharacters) {
  EXPECT_EQ(escape_markup("a < b && \"c\" > 'd'"),
            "a &lt; b &amp;&amp; &quot;c&quot; &gt; &#39;d&#39;");
  EXPECT_EQ(escape_markup(""), "");
}

TEST(EscapeMarkupTest, KeepsText) {
  for (const char* text :
       {"plain", "tab\tline\nreturn\r", "γ̂ ≤ θ − ½", "点击模型", "🙂", "\u00A0"}) {
    EXPECT_EQ(escape_markup(text), text);
  }
}

TEST(EscapeMarkupTest, ReplacesWhatXmlForbids) {
  const std::string bad = "\xEF\xBF\xBD";  // U+FFFD
  EXPECT_EQ(escape_markup(std::string("a\0b", 3)), "a" + bad + "b");
  EXPECT_EQ(escape_markup("\x1B[1m"), bad + "[1m");
  EXPECT_EQ(escape_markup("caf\xE9!"), "caf" + bad + "!") << "Latin-1";
  EXPECT_EQ(escape_markup("\xE2\x82"), bad + bad) << "cut off";
  EXPECT_EQ(escape_markup("\xC0\xBC"), bad + bad) << "overlong <";
  EXPECT_EQ(escape_markup("\xE0\x80\xBC"), bad + bad + bad) << "overlong <";
  EXPECT_EQ(escape_markup("\xF0\x80\x80\xBC"), bad + bad + bad + bad) << "overlong <";
  EXPECT_EQ(escape_markup("\xC2\x85"), bad + bad) << "control";
  EXPECT_EQ(escape_markup("\xED\xA0\x80"), bad + bad + bad) << "surrogate";
  EXPECT_EQ(escape_markup("\xEF\xBF\xBF"), bad + bad + bad) << "U+FFFF";
  EXPECT_EQ(escape_markup("\xF4\x90\x80\x80"), bad + bad + bad + bad) << "beyond Unicode";
}

TEST(ShortNumberTest, HasAtMostTwoDecimals) {
  EXPECT_EQ(short_number(12), "12");
  EXPECT_EQ(short_number(100), "100");
  EXPECT_EQ(short_number(0.5), "0.5");
  EXPECT_EQ(short_number(-3.25), "-3.25");
  EXPECT_EQ(short_number(1.0 / 3), "0.33");
  EXPECT_EQ(short_number(0), "0");
  EXPECT_EQ(short_number(-0.001), "0");
  EXPECT_EQ(short_number(-70), "-70");
}

TEST(GroupDigitsTest, SeparatesThousands) {
  EXPECT_EQ(group_digits(0), "0");
  EXPECT_EQ(group_digits(999), "999");
  EXPECT_EQ(group_digits(1000), "1,000");
  EXPECT_EQ(group_digits(12345678), "12,345,678");
  EXPECT_EQ(group_digits(std::numeric_limits<std::uint64_t>::max()), "18,446,744,073,709,551,615");
  EXPECT_EQ(group_digits(87592.34, 1), "87,592.3");
  EXPECT_EQ(group_digits(-123456.5, 2), "-123,456.50");
  EXPECT_EQ(group_digits(-123.0, 0), "-123");
}

TEST(LinkAddressTest, EscapesWhatHasAMeaning) {
  EXPECT_EQ(link_address("../model.type=pbm,seed=1/report.html"),
            "../model.type=pbm,seed=1/report.html");
  EXPECT_EQ(link_address("a b#c?d%e:f/\"g\"<h>"), "a%20b%23c%3Fd%25e%3Af/%22g%22%3Ch%3E");
  EXPECT_EQ(link_address("\xC3\xA9"), "%C3%A9");
}

TEST(ShortNumberTest, IgnoresTheLocale) {
  const std::string before = std::setlocale(LC_ALL, nullptr);
  for (const char* locale : {"de_DE.UTF-8", "fr_FR.UTF-8"}) {
    std::setlocale(LC_ALL, locale);  // no effect if it is not installed
    EXPECT_EQ(short_number(1234.5), "1234.5");
  }
  std::setlocale(LC_ALL, before.c_str());
}

}  // namespace
}  // namespace ultr::markup_test
