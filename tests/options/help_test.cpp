#include "options/help.h"

#include <gtest/gtest.h>

#include "options/every_field.h"

namespace ultr::help_test {
namespace {

TEST(DescribeOptionsTest, HasOneLinePerFieldWithLimitsDefaultAndHelp) {
  testing::EveryField options;
  EXPECT_EQ(describe_options(options),
            "flag: Help of flag. (true or false; default true)\n"
            "count: Help of count. (whole number, at least 1; default 3)\n"
            "any_count: Help of any_count. (whole number; default -4)\n"
            "rate: Help of rate. (number, above 0; default 0.1)\n"
            "any_rate: Help of any_rate. (number; default -2.5)\n"
            "start: Help of start. (number, above 0 and below 1, or null; default null)\n"
            "end: Help of end. (number, at least 0 and at most 1, or null; default 0.75)\n"
            "title: Help of title. (text; default Clicks)\n"
            "mode: Help of mode. (fast | slow; default fast)\n"
            "cutoffs: Help of cutoffs. (list of whole numbers, each at least 1 and at most 10; "
            "default [1, 3])\n"
            "weights: Help of weights. (list of numbers, each at least 0; default [0.5, 2])\n"
            "files: Help of files. (list of names; default [])\n"
            "inner: Help of inner.\n"
            "  ratio: Help of ratio. (number, above 0 and below 1; default 0.5)\n"
            "  note: Help of note. (text; default none)\n"
            "shape: Help of shape.\n"
            "  kind: point | circle (default circle)\n");
}

TEST(DescribeOptionsTest, AChoiceShowsOptionsThatAreNotTheDefaultsOfItsType) {
  struct Scene final : Options {
    Choice shape = Choice(testing::shape_types(), "circle", "kind");
    std::vector<Choice> more;
    Scene() {
      shape.as<testing::CircleOptions>().radius = 7, more.emplace_back(shape_types(), "point");
    }
    static const std::vector<OptionType>& shape_types() { return testing::shape_types(); }
    void fields(Fields& f) override {
      f.choice("shape", shape, "One.");
      f.choices("more", more, shape_types(), "More.");
    }
  } options;
  EXPECT_EQ(describe_options(options),
            "shape: One.\n"
            "  kind: point | circle (default {kind: circle, radius: 7})\n"
            "more: More. (list of types or sections with a type: point | circle; default "
            "[point])\n");
}

TEST(DescribeOptionsTest, LeavesOutLimitsThatAcceptEveryNumber) {
  struct Unlimited final : Options {
    std::optional<double> number;
    std::vector<std::int64_t> integers;
    std::vector<double> numbers = {1.5};
    void fields(Fields& f) override {
      f.optional_number("number", number, "One.", {});
      f.integers("integers", integers, "Many.", {});
      f.numbers("numbers", numbers, "More.", {});
    }
  } options;
  EXPECT_EQ(describe_options(options),
            "number: One. (number, or null; default null)\n"
            "integers: Many. (list of whole numbers; default [])\n"
            "numbers: More. (list of numbers; default [1.5])\n");
}

TEST(DescribeOptionsTest, Indents) {
  testing::CircleOptions options;
  EXPECT_EQ(describe_options(options, 4),
            "    radius: Help of radius. (whole number, at least 1 and at most 9; default 2)\n"
            "    inner: Help of a circle's inner.\n"
            "      ratio: Help of ratio. (number, above 0 and below 1; default 0.5)\n"
            "      note: Help of note. (text; default none)\n");
}

TEST(DescribeTypesTest, HasEachTypeWithItsFields) {
  EXPECT_EQ(describe_types(testing::shape_types(), 2),
            "  point: Help of point.\n"
            "  circle: Help of circle.\n"
            "    radius: Help of radius. (whole number, at least 1 and at most 9; default 2)\n"
            "    inner: Help of a circle's inner.\n"
            "      ratio: Help of ratio. (number, above 0 and below 1; default 0.5)\n"
            "      note: Help of note. (text; default none)\n");
}

TEST(DescribeOptionsTest, AnInlineChoiceListsItsTypes) {
  testing::Drawing drawing;
  EXPECT_EQ(describe_options(drawing),
            "title: Help of title. (text; default none)\n"
            "shape: Help of shape. (point | circle; default point)\n"
            "  point: Help of point.\n"
            "  circle: Help of circle.\n"
            "    radius: Help of radius. (whole number, at least 1 and at most 9; default 2)\n"
            "    inner: Help of a circle's inner.\n"
            "      ratio: Help of ratio. (number, above 0 and below 1; default 0.5)\n"
            "      note: Help of note. (text; default none)\n");
}

}  // namespace
}  // namespace ultr::help_test
