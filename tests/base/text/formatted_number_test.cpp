#include "base/text/formatted_number.h"

#include <limits>

#include <gtest/gtest.h>

namespace ultr::formatted_number_test {
namespace {

TEST(FormatMeasureTest, WithFiveDecimalsOrAnExponent) {
  EXPECT_EQ(format_measure(0.123456), "0.12346");
  EXPECT_EQ(format_measure(-9999.5), "-9999.50000");
  EXPECT_EQ(format_measure(1.349858e152), "1.34986e+152");
}

TEST(FormatMeasureTest, ADashIfNotFinite) {
  EXPECT_EQ(format_measure(std::numeric_limits<double>::quiet_NaN()), "-");
  EXPECT_EQ(format_measure(-std::numeric_limits<double>::infinity()), "-");
}

TEST(FormatDurationTest, InTheTwoLargestUnits) {
  EXPECT_EQ(format_duration(0), "0.0 s");
  EXPECT_EQ(format_duration(0.84), "0.8 s");
  EXPECT_EQ(format_duration(9.94), "9.9 s");
  EXPECT_EQ(format_duration(9.96), "10 s");
  EXPECT_EQ(format_duration(59.4), "59 s");
  EXPECT_EQ(format_duration(59.6), "1 min 0 s");
  EXPECT_EQ(format_duration(125), "2 min 5 s");
  EXPECT_EQ(format_duration(3599.7), "1 h 0 min");
  EXPECT_EQ(format_duration(3600 + 3 * 60 + 59), "1 h 3 min");
  EXPECT_EQ(format_duration(23 * 3600 + 59 * 60 + 59), "23 h 59 min");
  EXPECT_EQ(format_duration(24 * 3600 - 0.4), "1 d 0 h");
  EXPECT_EQ(format_duration(50 * 3600 + 30 * 60), "2 d 2 h");
}

TEST(FormatRateTest, WithThousandsAndMillions) {
  EXPECT_EQ(format_rate(0), "0");
  EXPECT_EQ(format_rate(950), "950");
  EXPECT_EQ(format_rate(12345), "12.3 k");
  EXPECT_EQ(format_rate(4.56e6), "4.56 M");
}

}  // namespace
}  // namespace ultr::formatted_number_test
