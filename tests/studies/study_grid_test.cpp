#include "studies/study_grid.h"

#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "testing/errors.h"

namespace ultr::study_grid_test {
namespace {

using testing::config_message;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

StudyGrid grid_of(const std::string& yaml, const std::vector<std::string>& overrides = {}) {
  const ConfigNode config = parse_config(yaml, "f.yaml");
  StudyGrid grid = read_study_grid(config.find("grid"), config.find("variants"));
  for (const std::string& assignment : overrides) grid.override_axis(assignment);
  return grid;
}
std::string message(const std::string& yaml, const std::vector<std::string>& overrides = {}) {
  return config_message([&] { grid_of(yaml, overrides).points(); });
}
/// The names of all points, and what one sets: "a=1 b=[1, 2]".
std::vector<std::string> names(const StudyGrid& grid) {
  std::vector<std::string> names;
  for (const StudyPoint& point : grid.points()) names.push_back(point.name);
  return names;
}
std::string settings(const StudyPoint& point) {
  std::string text;
  for (const StudySetting& setting : point.settings)
    text += (text.empty() ? "" : " ") + setting.key + "=" + one_line_yaml(setting.value);
  return text;
}

TEST(StudyGridTest, PointsAreAllCombinationsOfOneVariantAfterTheOther) {
  const StudyGrid grid = grid_of(R"(
grid: {sessions: {key: data.sessions, values: [1e3, 1e4]}, seed: 1..2}
variants: {pbm: {model: pbm}, dbn: {model.type: dbn}})");
  EXPECT_THAT(names(grid), ElementsAre("pbm sessions=1e3 seed=1", "pbm sessions=1e3 seed=2",
                                       "pbm sessions=1e4 seed=1", "pbm sessions=1e4 seed=2",
                                       "dbn sessions=1e3 seed=1", "dbn sessions=1e3 seed=2",
                                       "dbn sessions=1e4 seed=1", "dbn sessions=1e4 seed=2"));
  const StudyPoint point = grid.points()[5];
  EXPECT_EQ(settings(point), "model.type=dbn data.sessions=1e3 seed=2");
  EXPECT_EQ(point.folder, "dbn,sessions=1e3,seed=2");
  EXPECT_EQ(point.seed(), "2");
  EXPECT_EQ(*value_on("sessions", point.coordinates), "1e3");
}

TEST(StudyGridTest, AnAxisSetsOneOptionSeveralOrNamedSets) {
  const StudyGrid grid = grid_of(R"(
grid:
  optimizer.lr: 0.1
  widths: {key: [a.widths, b.widths], values: [[64, 32], [8]]}
  setting: {values: {plain: {}, noisy: {data.noise: 1, data.user: {type: pbm}}}})");
  const std::vector<StudyPoint> points = grid.points();
  ASSERT_EQ(points.size(), 4u);
  EXPECT_EQ(settings(points[0]), "optimizer.lr=0.1 a.widths=[64, 32] b.widths=[64, 32]");
  EXPECT_EQ(settings(points[3]),
            "optimizer.lr=0.1 a.widths=[8] b.widths=[8] data.noise=1 data.user={type: pbm}");
  EXPECT_EQ(points[3].name, "widths=[8] setting=noisy")
      << "an axis of one value goes without saying";
}

TEST(StudyGridTest, VariantsNarrowFixAndAddAxes) {
  const StudyGrid grid = grid_of(R"(
grid: {tau: {key: t, values: [0, 0.5, 1]}, seed: [1]}
variants:
  all:
  some: {grid: {tau: [0.0, 1]}}
  other: {grid: {tau: [2]}}
  fixed: {grid: {tau: 1, seed: 5}}
  more: {m: 1, grid: {tau: 0.5, ratio: [1, 2]}}
  without: {grid: {tau: }})");
  EXPECT_THAT(names(grid),
              ElementsAre("all tau=0 seed=1", "all tau=0.5 seed=1", "all tau=1 seed=1",
                          "some tau=0 seed=1", "some tau=1 seed=1", "other seed=1", "fixed",
                          "more seed=1 ratio=1", "more seed=1 ratio=2", "without seed=1"));
  EXPECT_EQ(settings(grid.points()[9]), "seed=1");
  EXPECT_EQ(settings(grid.points()[6]), "t=1 seed=5");
  EXPECT_EQ(settings(grid.points()[7]), "m=1 t=0.5 seed=1 ratio=1");
  EXPECT_THAT(grid.values_of("tau"), ElementsAre("0", "0.5", "1", "2"));
  EXPECT_THAT(grid.axis_names(), ElementsAre("tau", "seed", "ratio"));
}

TEST(StudyGridTest, OverridesReplaceTheValuesOfAxes) {
  const std::string yaml = R"(
grid: {sessions: {key: data.sessions, values: [1, 2]}, mode: {values: {a: {x: 1}, b: {x: 2}}}}
variants: {pbm: {}, dbn: {}, ubm: {}})";
  EXPECT_THAT(names(grid_of(yaml, {"sessions=5..6", "mode=b", "variant=ubm,pbm"})),
              ElementsAre("ubm sessions=5", "ubm sessions=6", "pbm sessions=5", "pbm sessions=6"));
  EXPECT_EQ(settings(grid_of(yaml, {"sessions=7", "mode=b", "variant=pbm"}).points()[0]),
            "data.sessions=7 x=2");
  EXPECT_THAT(message(yaml, {"mode=c"}),
              HasSubstr("axis mode has no value 'c'; expected some of a"));
  EXPECT_THAT(message(yaml, {"variant=pmb"}),
              HasSubstr("there is no variant 'pmb'; expected some"));
}

TEST(StudyGridTest, WithoutASectionThereIsOneRun) {
  const StudyGrid grid = grid_of("{}");
  ASSERT_EQ(grid.points().size(), 1u);
  EXPECT_EQ(grid.points()[0].folder, "run");
  EXPECT_EQ(grid.points()[0].seed(), "");
}

TEST(StudyGridTest, ErrorsNameTheirLocation) {
  EXPECT_EQ(message("grid: {t: {key: a, valus: [1]}}"),
            "f.yaml:1:20: unknown key 'valus' of axis t; did you mean 'values'?");
  EXPECT_THAT(message("grid: {t: {key: a}}"), HasSubstr("f.yaml:1:11: axis t has no values"));
  EXPECT_THAT(message("grid: {t: []}"), HasSubstr("axis t has no values"));
  EXPECT_THAT(message("grid: {t: [1, 1.0]}"),
              HasSubstr("f.yaml:1:8: axis t has the value '1.0' twice"));
  EXPECT_THAT(message("grid: {rank: [1]}"), HasSubstr("'rank' cannot name an axis"));
  EXPECT_THAT(message("grid: {'a b': [1]}"), HasSubstr("'a b' cannot name an axis"));
  EXPECT_THAT(message("grid: [1]"), HasSubstr("grid is no section"));
  EXPECT_THAT(message("variants: {a-b: {}}"), HasSubstr("'a-b' cannot name a variant"));
  EXPECT_THAT(message("{grid: {t: [1]}, variants: {t: {}}}"), HasSubstr("has the name of an axis"));
  EXPECT_THAT(message("{grid: {m: {values: {a: {x: 1}}}}, variants: {v: {grid: {m: [b]}}}}"),
              HasSubstr("f.yaml:1:61: axis m has no value 'b'; expected some of a"));
  EXPECT_THAT(message("variants: {}"), HasSubstr("variants is empty"));
  EXPECT_THAT(message("grid: {t: {key: 'a b', values: [1]}}"),
              HasSubstr("axis t.key is no option"));
  EXPECT_THAT(message("grid: {s: 1..9999, t: [1, 2]}"), HasSubstr("makes more than 10000 runs"));
}

TEST(StudyGridTest, NumbersAreTheSameHoweverTheyAreWritten) {
  EXPECT_TRUE(same_axis_value("1e6", "1000000"));
  EXPECT_TRUE(same_axis_value("linear", "linear"));
  EXPECT_FALSE(same_axis_value("linear", "tanh"));
  EXPECT_FALSE(same_axis_value("0", "zero"));
  EXPECT_EQ(axis_number("+0.5"), 0.5);
  EXPECT_TRUE(std::isnan(axis_number("0.5x")));
}

}  // namespace
}  // namespace ultr::study_grid_test
