#include "options/read.h"

#include <cmath>
#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "options/every_field.h"

namespace ultr::read_test {
namespace {

using testing::CircleOptions;
using ::testing::ElementsAre;
using testing::EveryField;
using ::testing::IsEmpty;
using testing::PointOptions;

EveryField read(const std::string& text) {
  EveryField options;
  read_options(parse_config(text, "f.yaml"), options);
  return options;
}

/// Returns the one-line message of the error that reading a text gives.
std::string message_of(const std::string& text) {
  try {
    read(text);
  } catch (const ConfigError& error) {
    const std::string message = error.what();
    EXPECT_EQ(message.find('\n'), std::string::npos) << message;
    return message;
  }
  ADD_FAILURE() << "no ConfigError for " << text;
  return "";
}

TEST(ReadOptionsTest, WhatIsNotMentionedKeepsItsDefault) {
  const EveryField options = read("count: 5\ninner:\n  note: x\n");
  EXPECT_EQ(options.count, 5);
  EXPECT_EQ(options.inner.note, "x");
  const EveryField defaults;
  EXPECT_EQ(options.flag, defaults.flag);
  EXPECT_EQ(options.rate, defaults.rate);
  EXPECT_EQ(options.start, defaults.start);
  EXPECT_EQ(options.end, defaults.end);
  EXPECT_EQ(options.cutoffs, defaults.cutoffs);
  EXPECT_EQ(options.inner.ratio, defaults.inner.ratio);
  EXPECT_EQ(options.shape.type, defaults.shape.type);
}

TEST(ReadOptionsTest, Booleans) {
  EXPECT_TRUE(read("flag: true").flag);
  EXPECT_FALSE(read("flag: false").flag);
  EXPECT_EQ(message_of("flag: yes"), "f.yaml:1:7: flag is 'yes'; expected true or false");
  EXPECT_EQ(message_of("flag: True"), "f.yaml:1:7: flag is 'True'; expected true or false");
  EXPECT_EQ(message_of("flag: 1"), "f.yaml:1:7: flag is '1'; expected true or false");
  EXPECT_EQ(message_of("flag: 'true'"), "f.yaml:1:7: flag is 'true'; expected true or false");
  EXPECT_EQ(message_of("flag:"), "f.yaml:1:1: flag is nothing; expected true or false");
  EXPECT_EQ(message_of("flag: [true]"), "f.yaml:1:7: flag is a list; expected true or false");
  EXPECT_EQ(message_of("flag: {a: 1}"), "f.yaml:1:7: flag is a section; expected true or false");
}

TEST(ReadOptionsTest, Integers) {
  EXPECT_EQ(read("count: 12").count, 12);
  EXPECT_EQ(read("count: +12").count, 12);
  EXPECT_EQ(read("any_count: -12").any_count, -12);
  EXPECT_EQ(read("count: 1e6").count, 1'000'000);
  EXPECT_EQ(read("count: 2.0").count, 2);
  EXPECT_EQ(read("count: 9007199254740992").count, std::int64_t{1} << 53);
  EXPECT_EQ(read("any_count: -9007199254740992").any_count, -(std::int64_t{1} << 53));
  for (const char* text : {"1.5", "x", "1,2,3", "nan", "inf", "1e400", "0x10", "1_000", "1 2",
                           "+-1", "++1", "--1", "+", "0.1e"})
    EXPECT_EQ(message_of("count: " + std::string(text)),
              "f.yaml:1:8: count is '" + std::string(text) + "'; expected a whole number");
  EXPECT_EQ(message_of("count: '5'"), "f.yaml:1:8: count is '5'; expected a whole number");
  EXPECT_EQ(message_of("count: \"\""), "f.yaml:1:8: count is ''; expected a whole number");
  EXPECT_EQ(message_of("count: [5]"), "f.yaml:1:8: count is a list; expected a whole number");
  EXPECT_EQ(message_of("count: null"), "f.yaml:1:1: count is nothing; expected a whole number");
}

TEST(ReadOptionsTest, IntegersOutOfRange) {
  EXPECT_EQ(message_of("count: 0"), "f.yaml:1:8: count is '0'; expected a whole number at least 1");
  EXPECT_EQ(message_of("cutoffs: [1, 11]"),
            "f.yaml:1:14: cutoffs is '11'; expected a whole number at least 1 and at most 10");
  EXPECT_EQ(message_of("cutoffs: 1e30"),
            "f.yaml:1:10: cutoffs is '1e30'; expected a whole number at least 1 and at most 10");
  // Beyond 2^53, a double cannot tell whole numbers apart.
  for (const char* text : {"9007199254740993", "9007199254740993.0", "9007199254740992.0", "1e300",
                           "-9007199254740993", "9223372036854775808", "-1e300"})
    EXPECT_EQ(message_of("any_count: " + std::string(text)),
              "f.yaml:1:12: any_count is '" + std::string(text) +
                  "'; expected a whole number between -9007199254740992 and 9007199254740992");
}

TEST(ReadOptionsTest, Numbers) {
  EXPECT_EQ(read("rate: 0.25").rate, 0.25);
  EXPECT_EQ(read("rate: 3").rate, 3);
  EXPECT_EQ(read("rate: 1e-3").rate, 1e-3);
  EXPECT_EQ(read("rate: +2.5E+1").rate, 25);
  EXPECT_EQ(read("rate: .5").rate, 0.5);
  EXPECT_EQ(read("rate: 5e-324").rate, std::numeric_limits<double>::denorm_min());
  EXPECT_EQ(read("any_rate: -1.7976931348623157e308").any_rate,
            std::numeric_limits<double>::lowest());
  EXPECT_TRUE(std::signbit(read("any_rate: -0.0").any_rate));
  for (const char* text : {"nan", "inf", "-inf", ".inf", ".nan", "infinity", "1e309", "x", "1/2",
                           "0.1%", "1,5", "+-1", "0.5x", "-x"})
    EXPECT_EQ(message_of("any_rate: " + std::string(text)),
              "f.yaml:1:11: any_rate is '" + std::string(text) + "'; expected a number");
  EXPECT_EQ(message_of("rate: '0.5'"), "f.yaml:1:7: rate is '0.5'; expected a number");
  EXPECT_EQ(message_of("rate: true"), "f.yaml:1:7: rate is 'true'; expected a number");
  EXPECT_EQ(message_of("rate: ~"), "f.yaml:1:1: rate is nothing; expected a number");
  EXPECT_EQ(message_of("rate: [0.5]"), "f.yaml:1:7: rate is a list; expected a number");
  EXPECT_EQ(message_of("rate: 0"), "f.yaml:1:7: rate is '0'; expected above 0");
  EXPECT_EQ(message_of("inner: {ratio: 1}"),
            "f.yaml:1:16: inner.ratio is '1'; expected above 0 and below 1");
}

TEST(ReadOptionsTest, NumbersThatMayBeLeftOut) {
  EXPECT_EQ(read("start: 0.5").start, 0.5);
  for (const char* nothing : {"null", "~", ""})
    EXPECT_EQ(read("end: " + std::string(nothing)).end, std::nullopt) << nothing;
  EXPECT_EQ(message_of("end: 'null'"), "f.yaml:1:6: end is 'null'; expected a number or null");
  EXPECT_EQ(message_of("end: none"), "f.yaml:1:6: end is 'none'; expected a number or null");
  EXPECT_EQ(message_of("end: []"), "f.yaml:1:6: end is a list; expected a number or null");
  EXPECT_EQ(message_of("end: 1.5"), "f.yaml:1:6: end is '1.5'; expected at least 0 and at most 1");
}

TEST(ReadOptionsTest, Texts) {
  EXPECT_EQ(read("title: A and B").title, "A and B");
  EXPECT_EQ(read("title: 5").title, "5");
  EXPECT_EQ(read("title: 'null'").title, "null");
  EXPECT_EQ(read("title: ''").title, "");
  EXPECT_EQ(read("title: |\n  a\n  b\n").title, "a\nb\n");
  EXPECT_EQ(message_of("title: null"), "f.yaml:1:1: title is nothing; expected a name");
  EXPECT_EQ(message_of("title: [a]"), "f.yaml:1:8: title is a list; expected a name");
  EXPECT_EQ(message_of("title: {a: b}"), "f.yaml:1:8: title is a section; expected a name");
}

TEST(ReadOptionsTest, Words) {
  EXPECT_EQ(read("mode: slow").mode, "slow");
  EXPECT_EQ(read("mode: 'slow'").mode, "slow");
  EXPECT_EQ(message_of("mode: slwo"),
            "f.yaml:1:7: mode is 'slwo'; expected one of fast, slow (did you mean 'slow'?)");
  EXPECT_EQ(message_of("mode: medium"), "f.yaml:1:7: mode is 'medium'; expected one of fast, slow");
  EXPECT_EQ(message_of("mode: Fast"),
            "f.yaml:1:7: mode is 'Fast'; expected one of fast, slow (did you mean 'fast'?)");
  EXPECT_EQ(message_of("mode: [fast]"), "f.yaml:1:7: mode is a list; expected a name");
}

TEST(ReadOptionsTest, Lists) {
  const EveryField options =
      read("cutoffs: [5, 1e1]\nweights:\n- 1\n- 0.25\nfiles: [a, 'b c', 3]\n");
  EXPECT_THAT(options.cutoffs, ElementsAre(5, 10));
  EXPECT_THAT(options.weights, ElementsAre(1, 0.25));
  EXPECT_THAT(options.files, ElementsAre("a", "b c", "3"));
}

TEST(ReadOptionsTest, AListMayBeEmptyAndReplacesTheDefault) {
  EXPECT_THAT(read("cutoffs: []").cutoffs, IsEmpty());
  EXPECT_THAT(read("weights: []").weights, IsEmpty());
}

TEST(ReadOptionsTest, OneValueIsAListOfOne) {
  EXPECT_THAT(read("cutoffs: 5").cutoffs, ElementsAre(5));
  EXPECT_THAT(read("weights: 0.5").weights, ElementsAre(0.5));
  EXPECT_THAT(read("files: a.txt").files, ElementsAre("a.txt"));
}

TEST(ReadOptionsTest, ListsSayWhichValueIsWrong) {
  EXPECT_EQ(message_of("cutoffs:\n- 1\n- x\n"),
            "f.yaml:3:3: cutoffs is 'x'; expected a whole number");
  EXPECT_EQ(message_of("weights: [1, -1]"), "f.yaml:1:14: weights is '-1'; expected at least 0");
  EXPECT_EQ(message_of("weights: [1, [2]]"), "f.yaml:1:14: weights is a list; expected a number");
  EXPECT_EQ(message_of("files: [a, ~]"), "f.yaml:1:12: files is nothing; expected a name");
  EXPECT_EQ(message_of("files: {a: b}"),
            "f.yaml:1:8: files is a section; expected a list of names");
  EXPECT_EQ(message_of("weights:"), "f.yaml:1:1: weights is nothing; expected a list of numbers");
  EXPECT_EQ(message_of("cutoffs: ~"),
            "f.yaml:1:1: cutoffs is nothing; expected a list of whole numbers");
}

TEST(ReadOptionsTest, Sections) {
  EXPECT_EQ(read("inner: {ratio: 0.25}").inner.ratio, 0.25);
  EXPECT_EQ(read("inner:\n").inner.ratio, 0.5) << "an empty section changes nothing";
  EXPECT_EQ(read("inner: {}").inner.ratio, 0.5);
  EXPECT_EQ(message_of("inner: 0.25"), "f.yaml:1:8: inner is '0.25'; expected a section");
  EXPECT_EQ(message_of("inner: [ratio]"), "f.yaml:1:8: inner is a list; expected a section");
}

TEST(ReadOptionsTest, AChoiceTakesTheKeysOfItsType) {
  const EveryField options = read("shape:\n  inner: {ratio: 0.25}\n  radius: 7\n  kind: circle\n");
  EXPECT_EQ(options.shape.type, "circle");
  EXPECT_EQ(options.shape.as<CircleOptions>().radius, 7);
  EXPECT_EQ(options.shape.as<CircleOptions>().inner.ratio, 0.25);
  EXPECT_EQ(read("shape: {radius: 7}").shape.as<CircleOptions>().radius, 7)
      << "without a type, the default one";
  EXPECT_EQ(read("shape: {kind: point}").shape.type, "point");
  EXPECT_EQ(read("shape:\n").shape.type, "circle");
}

TEST(ReadOptionsTest, AChoiceMayBeItsTypeAlone) {
  const EveryField options = read("shape: point");
  EXPECT_EQ(options.shape.type, "point");
  EXPECT_NE(dynamic_cast<PointOptions*>(options.shape.options.get()), nullptr);
}

/// Reads options from a text after an override.
EveryField read_overridden(const std::string& text, const std::string& assignment) {
  ConfigNode root = parse_config(text, "f.yaml");
  override_config(root, assignment);
  EveryField options;
  read_options(root, options);
  return options;
}

TEST(ReadOptionsTest, AnOverrideEntersAChoiceThatIsItsTypeAlone) {
  const EveryField options = read_overridden("shape: circle", "shape.radius=7");
  EXPECT_EQ(options.shape.type, "circle");
  EXPECT_EQ(options.shape.as<CircleOptions>().radius, 7);
  EXPECT_EQ(read_overridden("shape: circle", "shape.kind=point").shape.type, "point");
  EXPECT_THAT([] { read_overridden("shape: point", "shape.radius=7"); },
              ::testing::ThrowsMessage<ConfigError>(
                  "option 'shape.radius=7': 'shape.radius' goes with shape.kind 'circle', but "
                  "shape.kind is 'point'"));
  EXPECT_THAT([] { read_overridden("shape: square", "shape.radius=7"); },
              ::testing::ThrowsMessage<ConfigError>(
                  "f.yaml:1:8: shape is 'square'; expected one of point, circle"));
}

TEST(ReadOptionsTest, AnOverrideDoesNotEnterWhatIsNoSection) {
  EXPECT_THAT(
      [] { read_overridden("inner: 5", "inner.ratio=0.5"); },
      ::testing::ThrowsMessage<ConfigError>("f.yaml:1:8: inner is '5'; expected a section"));
  EXPECT_THAT([] { read_overridden("count: 5", "count.x=1"); },
              ::testing::ThrowsMessage<ConfigError>(
                  "option 'count.x=1': count is a section; expected a whole number"));
}

TEST(ReadOptionsTest, AChoiceThatKeepsItsTypeKeepsItsOptions) {
  EveryField options;
  options.shape.as<CircleOptions>().radius = 7;
  for (const char* text : {"shape: circle", "shape: {kind: circle}", "shape: {}"}) {
    read_options(parse_config(text, "f.yaml"), options);
    EXPECT_EQ(options.shape.as<CircleOptions>().radius, 7) << text;
  }
}

TEST(ReadOptionsTest, SaysWhatIsWrongInAChoice) {
  EXPECT_EQ(
      message_of("shape: circel"),
      "f.yaml:1:8: shape is 'circel'; expected one of point, circle (did you mean 'circle'?)");
  EXPECT_EQ(message_of("shape: {kind: square}"),
            "f.yaml:1:15: shape.kind is 'square'; expected one of point, circle");
  EXPECT_EQ(message_of("shape: {kind: ~}"), "f.yaml:1:9: shape.kind is nothing; expected a name");
  EXPECT_EQ(message_of("shape: [circle]"), "f.yaml:1:8: shape is a list; expected a section");
  EXPECT_EQ(message_of("shape: {radius: 10}"),
            "f.yaml:1:17: shape.radius is '10'; expected a whole number at least 1 and at most 9");
  EXPECT_EQ(message_of("shape: {inner: {ratio: 2}}"),
            "f.yaml:1:24: shape.inner.ratio is '2'; expected above 0 and below 1");
  EXPECT_EQ(message_of("shape: {kind: point, radius: 2}"),
            "f.yaml:1:22: 'shape.radius' goes with shape.kind 'circle', but shape.kind is 'point'");
}

TEST(ReadOptionsTest, AnOverriddenTypeLeavesOutTheOptionsOfOthers) {
  const EveryField options =
      read_overridden("shape: {kind: circle, radius: 7, inner: {ratio: 0.5}}", "shape.kind=point");
  EXPECT_EQ(options.shape.type, "point");
  EXPECT_THAT([] { read_overridden("shape: {kind: circle, raduis: 7}", "shape.kind=point"); },
              ::testing::ThrowsMessage<ConfigError>(::testing::HasSubstr("unknown key")));
  // An override that has no effect is a mistake.
  for (const char* useless : {"shape.radius=7", "shape.inner.ratio=0.1"}) {
    ConfigNode root = parse_config("shape: {kind: circle, inner: {ratio: 0.5}}", "f.yaml");
    override_config(root, "shape.kind=point");
    override_config(root, useless);
    EveryField overridden;
    EXPECT_THAT([&] { read_options(root, overridden); },
                ::testing::ThrowsMessage<ConfigError>(::testing::HasSubstr("but shape.kind is")));
  }
}

TEST(ReadOptionsTest, AKeyWithoutItsSectionHasASuggestion) {
  EXPECT_EQ(message_of("ratio: 0.5"),
            "f.yaml:1:1: unknown key 'ratio'; did you mean 'inner.ratio' or 'shape.inner.ratio'?");
  EXPECT_EQ(message_of("inner: {radius: 3}"),
            "f.yaml:1:9: unknown key 'inner.radius'; did you mean 'shape.radius'?");
  EXPECT_EQ(message_of("radius: 3"),
            "f.yaml:1:1: unknown key 'radius'; did you mean 'shape.radius'?");
  EXPECT_EQ(message_of("kind: point"),
            "f.yaml:1:1: unknown key 'kind'; did you mean 'shape.kind'?");
}

TEST(ReadOptionsTest, UnknownKeysHaveTheNearestName) {
  EXPECT_EQ(message_of("count: 1\ncuont: 2\n"),
            "f.yaml:2:1: unknown key 'cuont'; did you mean 'count'?");
  EXPECT_EQ(message_of("inner:\n  raito: 0.5\n"),
            "f.yaml:2:3: unknown key 'inner.raito'; did you mean 'inner.ratio'?");
  EXPECT_EQ(message_of("shape: {kind: circle, raduis: 2}"),
            "f.yaml:1:23: unknown key 'shape.raduis'; did you mean 'shape.radius'?");
  EXPECT_EQ(message_of("shape: {inner: {nota: x}}"),
            "f.yaml:1:17: unknown key 'shape.inner.nota'; did you mean 'shape.inner.note'?");
}

TEST(ReadOptionsTest, UnknownKeysThatAreLikeNoneHaveAllNames) {
  EXPECT_EQ(message_of("inner: {dropout: 0.5}"),
            "f.yaml:1:9: unknown key 'inner.dropout'; expected one of note, ratio");
  EXPECT_EQ(message_of("learning_rate: 1"),
            "f.yaml:1:1: unknown key 'learning_rate'; expected one of any_count, any_rate, count, "
            "cutoffs, end, files, flag, inner, mode, rate, shape, start, title, weights");
  EXPECT_EQ(message_of("\"x\\ny and more\": 1"),
            "f.yaml:1:1: unknown key 'x\\ny and more'; expected one of any_count, any_rate, count, "
            "cutoffs, end, files, flag, inner, mode, rate, shape, start, title, weights");
  PointOptions none;
  try {
    read_options(parse_config("a: 1", "f.yaml"), none);
    ADD_FAILURE();
  } catch (const ConfigError& error) {
    EXPECT_STREQ(error.what(), "f.yaml:1:1: unknown key 'a'; expected no keys");
  }
}

TEST(ReadOptionsTest, MessagesStayOneShortLine) {
  EXPECT_EQ(message_of("mode: \"a\\nb\""),
            "f.yaml:1:7: mode is 'a\\nb'; expected one of fast, slow");
  EXPECT_EQ(message_of("count: " + std::string(1000, 'x')),
            "f.yaml:1:8: count is '" + std::string(60, 'x') + "'...; expected a whole number");
}

TEST(ReadOptionsTest, OverridesAreNamedInMessages) {
  ConfigNode root = parse_config("count: 1\n", "f.yaml");
  override_config(root, "inner.ratio=2");
  EveryField options;
  try {
    read_options(root, options);
    ADD_FAILURE();
  } catch (const ConfigError& error) {
    EXPECT_STREQ(error.what(),
                 "option 'inner.ratio=2': inner.ratio is '2'; expected above 0 and below 1");
  }
  root = parse_config("", "f.yaml");
  override_config(root, "iner.ratio=0.5");
  try {
    read_options(root, options);
    ADD_FAILURE();
  } catch (const ConfigError& error) {
    EXPECT_STREQ(error.what(),
                 "option 'iner.ratio=0.5': unknown key 'iner'; did you mean 'inner'?");
  }
}

testing::Drawing read_drawing(const std::string& text) {
  testing::Drawing drawing;
  read_options(parse_config(text, "f.yaml"), drawing);
  return drawing;
}

TEST(ReadOptionsTest, AnInlineChoiceSharesItsSection) {
  EXPECT_EQ(read_drawing("title: x").shape.type, "point");
  const testing::Drawing drawing = read_drawing("radius: 7\nshape: circle\ntitle: x");
  EXPECT_EQ(drawing.title, "x");
  EXPECT_EQ(drawing.shape.type, "circle");
  EXPECT_EQ(drawing.shape.as<CircleOptions>().radius, 7);
}

TEST(ReadOptionsTest, AnInlineChoiceSaysWhatAKeyGoesWith) {
  const auto message = [](const std::string& text) {
    try {
      read_drawing(text);
    } catch (const ConfigError& error) {
      return std::string(error.what());
    }
    return std::string("no ConfigError");
  };
  EXPECT_EQ(message("radius: 7"),
            "f.yaml:1:1: 'radius' goes with shape 'circle', but shape is 'point'");
  EXPECT_EQ(message("{shape: point, radius: 7}"),
            "f.yaml:1:16: 'radius' goes with shape 'circle', but shape is 'point'");
  EXPECT_EQ(message("{shape: circle, radius: 0}"),
            "f.yaml:1:25: radius is '0'; expected a whole number at least 1 and at most 9");
  EXPECT_EQ(message("{shape: circle, raduis: 1}"),
            "f.yaml:1:17: unknown key 'raduis'; did you mean 'radius'?");
  EXPECT_EQ(
      message("shape: circel"),
      "f.yaml:1:8: shape is 'circel'; expected one of point, circle (did you mean 'circle'?)");
}

}  // namespace
}  // namespace ultr::read_test
