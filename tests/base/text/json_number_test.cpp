#include "base/text/json_number.h"

#include <limits>
#include <vector>

#include <gtest/gtest.h>

namespace ultr::json_number_test {
namespace {

TEST(JsonNumberTest, NumbersThatJsonLacksAreNull) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  EXPECT_EQ(json_number(0.5).dump(), "0.5");
  EXPECT_TRUE(json_number(std::numeric_limits<double>::quiet_NaN()).is_null());
  EXPECT_EQ(json_numbers(std::vector{1., infinity, -infinity}).dump(), "[1.0,null,null]");
  EXPECT_EQ(json_numbers({}).dump(), "[]");
}

}  // namespace
}  // namespace ultr::json_number_test
