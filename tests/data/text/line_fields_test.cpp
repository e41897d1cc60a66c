#include "data/text/line_fields.h"

#include <array>
#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/random.h"
#include "testing/errors.h"
#include "testing/temporary_folder.h"

namespace ultr::line_fields_test {
namespace {

using testing::data_message;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using testing::TemporaryFolder;

constexpr std::int64_t lowest = std::numeric_limits<std::int64_t>::min();
constexpr std::int64_t highest = std::numeric_limits<std::int64_t>::max();

TEST(SplitAtTabsTest, KeepsEmptyFields) {
  std::vector<std::string_view> fields = {"left", "over"};
  split_at_tabs("a\tb c\t\td\t", fields);
  EXPECT_THAT(fields, ElementsAre("a", "b c", "", "d", ""));
  split_at_tabs("a", fields);
  EXPECT_THAT(fields, ElementsAre("a"));
  split_at_tabs("", fields);
  EXPECT_THAT(fields, ElementsAre(""));
  split_at_tabs("\t", fields);
  EXPECT_THAT(fields, ElementsAre("", ""));
}

TEST(SplitAtTabsTest, AgreesWithOneByteAtATime) {
  for (std::uint64_t i = 0; i < 2000; ++i) {
    RandomStream random(1, RandomPurpose::testing, 0, i);
    std::string line(random.below(40), 'x');
    // Includes neighbours of the tab and bytes with the highest bit set.
    for (char& byte : line)
      byte =
          "\t\t\b\n\x89\xff\x7f"
          "1"[random.below(8)];
    std::vector<std::string> expected(1);
    for (const char byte : line)
      if (byte == '\t')
        expected.emplace_back();
      else
        expected.back() += byte;
    std::vector<std::string_view> fields;
    split_at_tabs(line, fields);
    ASSERT_THAT(fields, ::testing::ElementsAreArray(expected));
  }
}

TEST(ParseIdTest, TakesAnyNumberOfDigits) {
  std::uint64_t number = 0;
  std::string digits;
  for (int i = 1; i <= 19; ++i) {
    number = number * 10 + static_cast<std::uint64_t>(i % 10);
    digits += static_cast<char>('0' + i % 10);
    EXPECT_EQ(parse_id(digits, "an id"), number);
    EXPECT_EQ(parse_id("00" + digits, "an id"), number);
    for (std::size_t at = 0; at < digits.size(); ++at)
      for (const char other : {'/', ':', ' ', '-', '+', '\0', '\xb1', 'p', '\t'}) {
        std::string wrong = digits;
        wrong[at] = other;
        EXPECT_THROW(parse_id(wrong, "an id"), DataError) << wrong;
      }
  }
  EXPECT_EQ(parse_id("18446744073709551615", "an id"), ~std::uint64_t{0});
  EXPECT_EQ(parse_id("99999999", "an id"), 99'999'999u);
  EXPECT_EQ(parse_id("9999999999999999", "an id"), 9'999'999'999'999'999u);
  for (const std::string wrong : {"", "18446744073709551616", "99999999999999999999"})
    EXPECT_THROW(parse_id(wrong, "an id"), DataError) << wrong;
}

TEST(ParseNumberTest, ParsesFiniteNumbersWithinLimits) {
  EXPECT_EQ(parse_number("0.5", "a feature"), 0.5);
  EXPECT_EQ(parse_number("-1e-3", "a feature"), -1e-3);
  EXPECT_EQ(parse_number("1.7976931348623157e308", "a feature"),
            std::numeric_limits<double>::max());
  EXPECT_EQ(parse_number("1", "a share", between(0, 1)), 1.);
}

TEST(ParseNumberTest, ReportsNameFoundTextAndExpectation) {
  for (const std::string text :
       {"", "x", "1x", " 1", "1 ", "nan", "-nan", "inf", "-inf", "1e999", "1,5"}) {
    EXPECT_EQ(data_message([&] { parse_number(text, "a feature"); }),
              "a feature is '" + text + "'; expected a finite number");
    EXPECT_EQ(data_message([&] { parse_number(text, "a share", inside(0, 1)); }),
              "a share is '" + text + "'; expected a number above 0 and below 1");
  }
  EXPECT_EQ(data_message([&] { parse_number("1", "a share", inside(0, 1)); }),
            "a share is '1'; expected a number above 0 and below 1");
}

TEST(ParsePropensityTest, IsAboveZeroInFloat32) {
  EXPECT_EQ(parse_propensity("1", "p"), 1.f);
  EXPECT_EQ(parse_propensity("1e-30", "p"), 1e-30f);
  EXPECT_EQ(data_message([] { parse_propensity("1e-50", "p"); }),
            "p is '1e-50'; expected a number that is above 0 in float32, too");
  EXPECT_EQ(data_message([] { parse_propensity("0", "p"); }),
            "p is '0'; expected a number above 0 and at most 1");
}

TEST(ParseIntegerTest, ParsesWholeNumbersInRange) {
  EXPECT_EQ(parse_integer("0", "a click", 0, 1), 0);
  EXPECT_EQ(parse_integer("-2", "a relevance", -2, 4), -2);
  EXPECT_EQ(parse_integer("007", "a number", 0, 10), 7);
  EXPECT_EQ(parse_integer("9223372036854775807", "a number", lowest, highest), highest);
  EXPECT_EQ(parse_integer("-9223372036854775808", "a number", lowest, highest), lowest);
}

TEST(ParseIntegerTest, ReportsNameFoundTextAndExpectation) {
  for (const std::string text :
       {"2", "-1", "", " 1", "1 ", "1.0", "1e0", "+1", "x", "1x", "0x1", "99999999999999999999"})
    EXPECT_EQ(data_message([&] { parse_integer(text, "a click", 0, 1); }),
              "a click is '" + text + "'; expected a whole number from 0 to 1");
  EXPECT_EQ(data_message([&] { parse_integer(std::string(50, '1'), "a click", 0, 1); }),
            "a click is '" + std::string(40, '1') + "'...; expected a whole number from 0 to 1");
  EXPECT_EQ(data_message([&] { parse_integer("\xff\x01", "a click", 0, 1); }),
            "a click is '\\xff\\x01'; expected a whole number from 0 to 1");
}

TEST(ParseIdTest, TakesAll64Bits) {
  EXPECT_EQ(parse_id("0", "the query id"), 0u);
  EXPECT_EQ(parse_id("18446744073709551615", "the query id"), ~std::uint64_t{0});
  for (const std::string text : {"", "-1", "+1", " 1", "1.5", "a", "18446744073709551616"})
    EXPECT_EQ(data_message([&] { parse_id(text, "the query id"); }),
              "the query id is '" + text + "'; expected a whole number");
}

TEST(ForEachLineTest, LeavesOutEmptyLinesButCountsThem) {
  const TemporaryFolder folder;
  std::vector<std::pair<std::string, std::uint64_t>> seen;
  const ReadReport report = for_each_line(
      folder.write("f", "a\n\nb\r\n\r\nc"), {},
      [&](std::string_view line, std::uint64_t number) { seen.emplace_back(line, number); });
  EXPECT_THAT(seen, ElementsAre(std::pair("a", 1), std::pair("b", 3), std::pair("c", 5)));
  EXPECT_EQ(report.lines, 5u);
  EXPECT_EQ(report.malformed, 0u);
}

TEST(ForEachLineTest, PrefixesErrorsWithFileAndLine) {
  const TemporaryFolder folder;
  const auto file = folder.write("f", "a\nb\nc\n");
  std::string seen;
  EXPECT_EQ(data_message([&] {
              for_each_line(file, {}, [&](std::string_view line, std::uint64_t) {
                seen += line;
                if (line == "b") throw DataError("a b; expected none");
              });
            }),
            file.string() + ":2: a b; expected none");
  EXPECT_EQ(seen, "ab") << "it ends there";
}

TEST(ForEachLineTest, SkippingCountsAndKeepsTheFirstMessage) {
  const TemporaryFolder folder;
  const auto file = folder.write("f", "a\nb\nc\nb\n");
  const ReadReport report = for_each_line(file, {.skip_malformed = true},
                                          [&](std::string_view line, std::uint64_t number) {
                                            if (line == "b")
                                              throw DataError("wrong " + std::to_string(number));
                                          });
  EXPECT_EQ(report.lines, 4u);
  EXPECT_EQ(report.malformed, 2u);
  EXPECT_EQ(report.first_malformed, file.string() + ":2: wrong 2");
}

TEST(ForEachLineTest, ErrorsThatNameTheirPlaceAreNeitherPrefixedNorSkipped) {
  const TemporaryFolder folder;
  const auto file = folder.write("f", "a\n");
  for (const bool skip : {false, true})
    EXPECT_EQ(data_message([&] {
                for_each_line(file, {.skip_malformed = skip}, [](std::string_view, std::uint64_t) {
                  throw LocatedError("g:3: wrong");
                });
              }),
              "g:3: wrong");
}

TEST(ForEachLineTest, OtherErrorsAreNotSkipped) {
  const TemporaryFolder folder;
  const auto file = folder.write("f", "a\n");
  EXPECT_THROW(for_each_line(file, {.skip_malformed = true},
                             [](std::string_view, std::uint64_t) { throw std::bad_alloc(); }),
               std::bad_alloc);
}

TEST(ExpectListsTest, RejectsAFileWithoutAny) {
  ReadReport report;
  report.lists = 1;
  expect_lists("log.txt", report, "at least one line");
  report.lists = 0;
  EXPECT_EQ(data_message([&] { expect_lists("log.txt", report, "at least one line"); }),
            "log.txt: has no list; expected at least one line");
  report.lines = 3;
  report.malformed = 2;
  report.first_malformed = "log.txt:1: 2 fields";
  EXPECT_EQ(data_message([&] { expect_lists("log.txt", report, "at least one line"); }),
            "log.txt: has no list; expected at least one line (2 of 3 lines were left out; the "
            "first: log.txt:1: 2 fields)");
}

TEST(NeedsTruncationTest, ComparesTheLastPosition) {
  EXPECT_FALSE(needs_truncation(0, {.max_positions = 3}));
  EXPECT_FALSE(needs_truncation(3, {.max_positions = 3}));
  EXPECT_FALSE(needs_truncation(3, {.max_positions = 3, .truncate = true}));
  EXPECT_TRUE(needs_truncation(4, {.max_positions = 3, .truncate = true}));
  EXPECT_EQ(data_message([] { needs_truncation(4, {.max_positions = 3}); }),
            "the list shows a document at position 4; expected at most data.max_positions = 3 (or "
            "data.long_lists: truncate)");
}

TEST(ReadReportTest, SumsCountsAndKeepsTheFirstMessage) {
  ReadReport sum;
  sum.add({.lines = 1, .lists = 2, .truncated = 3});
  EXPECT_EQ(sum.first_malformed, "");
  sum.add({.lines = 10,
           .lists = 20,
           .truncated = 30,
           .malformed = 40,
           .first_malformed_line = 7,
           .first_malformed = "a"});
  sum.add({.lines = 100,
           .lists = 200,
           .truncated = 300,
           .malformed = 400,
           .first_malformed_line = 8,
           .first_malformed = "b"});
  sum.add({.lines = 1000});
  EXPECT_EQ(sum.lines, 1111u);
  EXPECT_EQ(sum.lists, 222u);
  EXPECT_EQ(sum.truncated, 333u);
  EXPECT_EQ(sum.malformed, 440u);
  EXPECT_EQ(sum.first_malformed, "a");
  sum.add({.malformed = 1, .first_malformed_line = 6, .first_malformed = "c"});
  EXPECT_EQ(sum.first_malformed, "c");
}

}  // namespace
}  // namespace ultr::line_fields_test
