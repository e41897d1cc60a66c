#include "options/fields.h"

#include <cmath>

#include <gtest/gtest.h>

#include "base/error.h"
#include "options/every_field.h"

namespace ultr::fields_test {
namespace {

TEST(LimitsTest, ContainTheirEndsUnlessOpen) {
  EXPECT_TRUE(at_least(1).contain(1));
  EXPECT_FALSE(at_least(1).contain(std::nextafter(1, 0)));
  EXPECT_TRUE(at_least(1).contain(1e300));
  EXPECT_FALSE(above(1).contain(1));
  EXPECT_TRUE(above(1).contain(std::nextafter(1, 2)));
  EXPECT_TRUE(between(-1, 1).contain(-1));
  EXPECT_TRUE(between(-1, 1).contain(1));
  EXPECT_FALSE(between(-1, 1).contain(std::nextafter(1, 2)));
  EXPECT_FALSE(inside(-1, 1).contain(-1));
  EXPECT_FALSE(inside(-1, 1).contain(1));
  EXPECT_TRUE(inside(-1, 1).contain(0));
  EXPECT_TRUE(Limits{}.contain(-1e300));
  EXPECT_FALSE(Limits{}.contain(std::nan("")));
}

TEST(LimitsTest, AreSaidInWords) {
  EXPECT_EQ(to_string(at_least(1)), "at least 1");
  EXPECT_EQ(to_string(above(0)), "above 0");
  EXPECT_EQ(to_string(between(0, 1)), "at least 0 and at most 1");
  EXPECT_EQ(to_string(inside(0, 0.5)), "above 0 and below 0.5");
  EXPECT_EQ(to_string(Limits{.low = 0, .high = 1, .high_open = true}), "at least 0 and below 1");
  EXPECT_EQ(to_string(Limits{.high = 3}), "at most 3");
  EXPECT_EQ(to_string(Limits{.high = 3, .high_open = true}), "below 3");
  EXPECT_EQ(to_string(between(1, 1e9)), "at least 1 and at most 1000000000");
  EXPECT_EQ(to_string(Limits{}), "any number");
}

TEST(ChoiceTest, StartsAsTheNamedTypeWithItsDefaults) {
  const Choice choice(testing::shape_types(), "circle");
  EXPECT_EQ(choice.key, "type");
  EXPECT_EQ(choice.type, "circle");
  EXPECT_EQ(choice.as<testing::CircleOptions>().radius, 2);
  EXPECT_EQ(Choice(testing::shape_types(), "point", "kind").key, "kind");
}

TEST(ChoiceTest, SelectsAnotherTypeWithItsDefaults) {
  Choice choice(testing::shape_types(), "circle");
  choice.as<testing::CircleOptions>().radius = 7;
  EXPECT_TRUE(choice.select("point"));
  EXPECT_EQ(choice.type, "point");
  EXPECT_NE(dynamic_cast<testing::PointOptions*>(choice.options.get()), nullptr);
  EXPECT_TRUE(choice.select("circle"));
  EXPECT_EQ(choice.as<testing::CircleOptions>().radius, 2);
}

TEST(ChoiceTest, StaysAsItIsIfThereIsNoSuchType) {
  Choice choice(testing::shape_types(), "circle");
  choice.as<testing::CircleOptions>().radius = 7;
  EXPECT_FALSE(choice.select("square"));
  EXPECT_EQ(choice.type, "circle");
  EXPECT_EQ(choice.as<testing::CircleOptions>().radius, 7);
  EXPECT_THROW(Choice(testing::shape_types(), "square"), Error);
}

}  // namespace
}  // namespace ultr::fields_test
