#include "options/write.h"

#include <bit>
#include <cmath>

#include <gtest/gtest.h>

#include "base/random.h"
#include "options/every_field.h"
#include "options/read.h"

namespace ultr::write_test {
namespace {

using testing::CircleOptions;
using testing::EveryField;

EveryField read(const std::string& text) {
  EveryField options;
  read_options(parse_config(text, "written.yaml"), options);
  return options;
}

/// Checks that a text survives writing and reading as a title, as an entry of a list and in a
/// section.
void expect_text_survives(const std::string& text) {
  EveryField options;
  options.title = text;
  options.files = {text, "x", text};
  options.inner.note = text;
  const std::string written = write_options(options);
  EveryField back = read(written);
  EXPECT_EQ(back.title, text) << written;
  EXPECT_EQ(back.files, options.files) << written;
  EXPECT_EQ(back.inner.note, text) << written;
  EXPECT_EQ(write_options(back), written);
}

TEST(WriteOptionsTest, WritesAllFieldsInOrder) {
  EveryField options;
  EXPECT_EQ(write_options(options),
            "flag: true\n"
            "count: 3\n"
            "any_count: -4\n"
            "rate: 0.1\n"
            "any_rate: -2.5\n"
            "start: ~\n"
            "end: 0.75\n"
            "title: Clicks\n"
            "mode: fast\n"
            "cutoffs: [1, 3]\n"
            "weights: [0.5, 2]\n"
            "files: []\n"
            "inner:\n"
            "  ratio: 0.5\n"
            "  note: \"\"\n"
            "shape:\n"
            "  kind: circle\n"
            "  radius: 2\n"
            "  inner:\n"
            "    ratio: 0.5\n"
            "    note: \"\"\n");
}

TEST(WriteOptionsTest, ReadingGivesTheSameOptions) {
  EveryField options;
  options.flag = false;
  options.count = std::int64_t{1} << 53;
  options.any_count = -(std::int64_t{1} << 53);
  options.rate = 1e-9;
  options.any_rate = -1e300;
  options.start = 0.125;
  options.end = std::nullopt;
  options.title = "a: b";
  options.mode = "slow";
  options.cutoffs = {10, 5, 1};
  options.weights = {1e-5, 1.0 / 3, 1e22};
  options.files = {"yes", "1", "", "a\nb"};
  options.inner.ratio = 0.9;
  options.shape.as<CircleOptions>().radius = 9;
  options.shape.as<CircleOptions>().inner.note = "#";

  const std::string written = write_options(options);
  EveryField back = read(written);
  EXPECT_EQ(write_options(back), written);
  EXPECT_EQ(back.flag, options.flag);
  EXPECT_EQ(back.count, options.count);
  EXPECT_EQ(back.any_count, options.any_count);
  EXPECT_EQ(back.rate, options.rate);
  EXPECT_EQ(back.any_rate, options.any_rate);
  EXPECT_EQ(back.start, options.start);
  EXPECT_EQ(back.end, options.end);
  EXPECT_EQ(back.title, options.title);
  EXPECT_EQ(back.mode, options.mode);
  EXPECT_EQ(back.cutoffs, options.cutoffs);
  EXPECT_EQ(back.weights, options.weights);
  EXPECT_EQ(back.files, options.files);
  EXPECT_EQ(back.inner.ratio, options.inner.ratio);
  EXPECT_EQ(back.shape.as<CircleOptions>().radius, 9);
  EXPECT_EQ(back.shape.as<CircleOptions>().inner.note, "#");
}

TEST(WriteOptionsTest, AChoiceKeepsItsType) {
  EveryField options;
  options.shape.select("point");
  EveryField back = read(write_options(options));
  EXPECT_EQ(back.shape.type, "point");
}

TEST(WriteOptionsTest, NothingToWriteIsAnEmptyMap) {
  testing::PointOptions none;
  const std::string written = write_options(none);
  EXPECT_EQ(written, "{}\n");
  read_options(parse_config(written, "written.yaml"), none);
}

TEST(WriteOptionsTest, TextsThatNeedQuotesSurvive) {
  for (const char* text : {"",
                           " ",
                           "yes",
                           "no",
                           "true",
                           "null",
                           "Null",
                           "NULL",
                           "~",
                           "1",
                           "0x10",
                           "1e5",
                           ".5",
                           ".inf",
                           "a: b",
                           "a:b",
                           ":",
                           "a:",
                           "a #b",
                           "#",
                           "- a",
                           "-",
                           "--- a",
                           "...",
                           "? a",
                           "[a]",
                           "{a}",
                           "a, b",
                           ",",
                           "&a",
                           "*a",
                           "!a",
                           "|",
                           ">",
                           "%a",
                           "@a",
                           "`a",
                           "'",
                           "\"",
                           "a'b\"c",
                           "a\nb",
                           "a\n",
                           "\n",
                           "a\n\nb",
                           "a\tb",
                           "\t",
                           " a",
                           "a ",
                           "\\n",
                           "C:\\data",
                           "größe",
                           "文書",
                           "🦆",
                           "\xC2\xA0",
                           "a\r\nb",
                           "\x07",
                           "\x7f",
                           "<<",
                           "=",
                           "a]",
                           "}",
                           "it's",
                           "\xC2\x85",
                           "\xE2\x80\xA8",
                           "\xEF\xBB\xBF"})
    expect_text_survives(text);
}

TEST(WriteOptionsTest, AnyTextSurvives) {
  constexpr std::string_view letters = "ab1 :#-?[]{},&*!|>%@`'\"\\\n\t~=.<";
  for (std::uint64_t i = 0; i < 2000; ++i) {
    RandomStream random(1, RandomPurpose::testing, 0, i);
    std::string text;
    for (auto left = random.below(8); left > 0; --left)
      text += letters[random.below(letters.size())];
    expect_text_survives(text);
  }
}

TEST(WriteOptionsTest, NumbersHaveTheFewestDigits) {
  EveryField options;
  options.weights = {0.1, 1.0 / 3, 100, 1e-5, 1e16, 1e100, 0.1 + 0.2, 123456.789};
  EXPECT_NE(write_options(options).find("weights: [0.1, 0.3333333333333333, 100, 1e-05, 1e+16, "
                                        "1e+100, 0.30000000000000004, 123456.789]\n"),
            std::string::npos)
      << write_options(options);
}

TEST(WriteOptionsTest, AnyNumberSurvivesToTheLastBit) {
  std::vector<double> numbers = {0.0,
                                 -0.0,
                                 std::numeric_limits<double>::denorm_min(),
                                 std::numeric_limits<double>::min(),
                                 std::numeric_limits<double>::max(),
                                 std::numeric_limits<double>::lowest()};
  RandomStream random(2, RandomPurpose::testing, 0, 0);
  while (numbers.size() < 2000) {
    const auto number = std::bit_cast<double>(random.bits());
    if (std::isfinite(number)) numbers.push_back(number);
  }
  for (const double number : numbers) {
    EveryField options;
    options.any_rate = number;
    const EveryField back = read(write_options(options));
    EXPECT_EQ(std::bit_cast<std::uint64_t>(back.any_rate), std::bit_cast<std::uint64_t>(number))
        << number;
  }
}

TEST(WriteOptionsTest, AnInlineChoiceIsWrittenAmongTheOtherFields) {
  testing::Drawing drawing;
  EXPECT_EQ(write_options(drawing), "title: \"\"\nshape: point\n");
  drawing.shape.select("circle");
  drawing.shape.as<CircleOptions>().radius = 7;
  const std::string written = write_options(drawing);
  EXPECT_EQ(written, "title: \"\"\nshape: circle\nradius: 7\ninner:\n  ratio: 0.5\n  note: \"\"\n");
  testing::Drawing back;
  read_options(parse_config(written, "written.yaml"), back);
  EXPECT_EQ(write_options(back), written);
}

}  // namespace
}  // namespace ultr::write_test
