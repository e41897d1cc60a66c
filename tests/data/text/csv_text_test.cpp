#include "data/text/csv_text.h"

#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "data/text/csv_line.h"

namespace ultr::csv_text_test {
namespace {

using ::testing::ElementsAre;

const std::vector<std::string> texts = {"plain text", "",  "a,b", "\"", "say \"hi\"", " a",
                                        "a ",         " ", ",",   "\r", "two\nlines"};

TEST(CsvTextTest, TextsAreReadBack) {
  CsvLine line;
  for (const std::string& text : texts) {
    CsvText csv;
    csv.add(text);
    csv.add(text);
    csv.end_row();
    ASSERT_TRUE(csv.text().ends_with('\n'));
    line.split(csv.text().substr(0, csv.text().size() - 1));
    EXPECT_THAT(line.fields(), ElementsAre(text, text));
    EXPECT_EQ(csv.text(), csv_field(text) + "," + csv_field(text) + "\n");
  }
}

TEST(CsvTextTest, OnlySpecialTextsAreInQuotes) {
  EXPECT_EQ(csv_field("plain text"), "plain text");
  EXPECT_EQ(csv_field("a,b"), "\"a,b\"");
  EXPECT_EQ(csv_field("a\r"), "\"a\r\"");
  EXPECT_EQ(csv_field("say \"hi\""), "\"say \"\"hi\"\"\"");
}

TEST(CsvTextTest, RowsFollowEachOther) {
  CsvText csv;
  csv.add("a");
  csv.add("");
  csv.end_row();
  csv.add(-7);
  csv.add(std::uint16_t{3});
  csv.add("");
  csv.end_row();
  EXPECT_EQ(csv.text(), "a,\n-7,3,\n");
  csv.clear();
  csv.add(std::numeric_limits<std::uint64_t>::max());
  csv.add(std::numeric_limits<std::int64_t>::min());
  csv.end_row();
  EXPECT_EQ(csv.text(), "18446744073709551615,-9223372036854775808\n");
}

TEST(CsvTextTest, NumbersHaveTheFewestDigitsThatAreReadBack) {
  CsvText csv;
  for (const float x : {0.1f, 0.0001f, 1e-5f, 12345678.f, 1e20f, -0.5f, 3.f}) csv.add(x);
  csv.end_row();
  for (const double x : {0.1, 1.0 / 3, 1e300, 18.0}) csv.add(x);
  csv.end_row();
  EXPECT_EQ(csv.text(),
            "0.1,0.0001,1e-05,12345678,1e+20,-0.5,3\n"
            "0.1,0.3333333333333333,1e+300,18\n");
  for (const float x : {std::nextafter(0.1f, 1.f), std::numeric_limits<float>::denorm_min(),
                        std::numeric_limits<float>::max()}) {
    csv.clear();
    csv.add(x);
    csv.end_row();
    EXPECT_EQ(std::strtof(std::string(csv.text()).c_str(), nullptr), x);
  }
}

TEST(CsvTextTest, NumbersThatAreNotKnownAreEmpty) {
  CsvText csv;
  csv.add(std::nanf(""));
  csv.add(std::nan(""));
  csv.add_rounded(std::nan(""));
  csv.add_rounded(123456);
  csv.add_rounded(0.0123449);
  csv.end_row();
  EXPECT_EQ(csv.text(), ",,,1.235e+05,0.01234\n");
}

}  // namespace
}  // namespace ultr::csv_text_test
