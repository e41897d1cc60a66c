#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "studies/study.h"
#include "testing/errors.h"
#include "testing/temporary_folder.h"

namespace ultr::study_figure_reader_test {
namespace {

using testing::config_message;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Pair;

class StudyFigureReaderTest : public ::testing::Test {
 protected:
  StudyFigure read(const std::string& figure) const {
    return read_study(folder_.write("s.yaml", R"(
study: s
experiment: {}
grid: {tau: {key: t, values: [0, 1]}, mode: {values: {a: {}, b: {}}}}
variants: {pbm: {}, ips: {}}
measures: {x: {path: p, label: the x}, y: q}
figures: [)" + figure + "]"),
                      {})
        .figures.front();
  }
  std::string message(const std::string& figure) const {
    return config_message([&] { read(figure); });
  }

  testing::TemporaryFolder folder_;
};

TEST_F(StudyFigureReaderTest, LinesHaveAxesAndQuantities) {
  const StudyFigure figure = read(
      "{name: a b, title: T, x: tau, y: [x, 2 * y], lines: [variant, mode], log: [x, y], zero: "
      "true, columns: 3, reference: {truth: pbm.y}, labels: {y: why}}");
  EXPECT_EQ(figure.kind, FigureKind::lines);
  EXPECT_EQ(figure.name, "a_b");
  ASSERT_EQ(figure.y.size(), 2u);
  EXPECT_EQ(figure.y[0].label, "the x");
  EXPECT_EQ(figure.y[1].label, "2 * y");
  EXPECT_EQ(figure.panels, measure_axis) << "several y need a place";
  EXPECT_THAT(figure.lines, ElementsAre("variant", "mode"));
  EXPECT_TRUE(figure.log_x && figure.log_y && figure.zero_y);
  EXPECT_EQ(figure.columns, 3);
  EXPECT_EQ(figure.references.front().label, "truth");
  EXPECT_EQ(figure.y_label, "why");
}

TEST_F(StudyFigureReaderTest, FiguresWithoutAnAsciiNameAreNumbered) {
  EXPECT_EQ(read("{x: tau, y: x, lines: [variant, mode]}").name, "figure-1");
  EXPECT_EQ(read("{name: 図, x: tau, y: x, lines: [variant, mode]}").name, "figure-1");
}

TEST_F(StudyFigureReaderTest, AtChoosesValues) {
  EXPECT_THAT(
      read("{x: rank, y: x, at: {tau: 0, variant: [pbm, ips]}}").at,
      ElementsAre(Pair("tau", ElementsAre("0")), Pair("variant", ElementsAre("pbm", "ips"))));
}

TEST_F(StudyFigureReaderTest, ABaselineIsForAllRowsOrForEachRow) {
  EXPECT_THAT(read("{kind: dots, y: x, lines: variant, baseline: pbm, level: 0.01}").baselines,
              ElementsAre(Pair("pbm", "pbm"), Pair("ips", "pbm")));
  EXPECT_THAT(read("{kind: table, y: [x, y], lines: variant, baseline: {ips: pbm}}").baselines,
              ElementsAre(Pair("ips", "pbm")));
  EXPECT_THAT(read("{kind: table, y: [x, y], lines: variant}").panels, IsEmpty());
}

TEST_F(StudyFigureReaderTest, ErrorsNameTheirLocation) {
  EXPECT_THAT(message("{x: tua, y: x}"),
              HasSubstr("s.yaml:7:15: unknown axis 'tua'; did you mean 'tau'?"));
  EXPECT_THAT(message("{x: tau}"), HasSubstr("a figure has no y"));
  EXPECT_THAT(message("{y: x}"), HasSubstr("a figure has no x"));
  EXPECT_THAT(message("{x: tau, y: x, z: 1}"), HasSubstr("unknown key 'z' of a figure"));
  EXPECT_THAT(message("{x: mode, y: x}"), HasSubstr("x is mode, which has the value 'a'"));
  EXPECT_THAT(message("{x: tau, y: x, lines: tau}"), HasSubstr("axis tau is shown twice"));
  EXPECT_THAT(message("{x: tau, y: [x, y], panels: mode}"), HasSubstr("several y need a place"));
  EXPECT_THAT(message("{kind: pie, y: x}"), HasSubstr("kind is 'pie'; expected one of lines"));
  EXPECT_THAT(message("{kind: dots, x: tau, y: x}"), HasSubstr("dots and tables have no x"));
  EXPECT_THAT(message("{x: tau, y: x, at: {mode: c}}"),
              HasSubstr("mode has no value 'c'; expected"));
  EXPECT_THAT(message("{x: tau, y: x, x_values: y}"), HasSubstr("expected x: rank"));
  EXPECT_THAT(message("{x: tau, y: x, log: z}"), HasSubstr("log is 'z'; expected x, y or both"));
  EXPECT_THAT(message("{x: tau, y: x, columns: 0}"),
              HasSubstr("columns is '0'; expected a number"));
  EXPECT_THAT(message("{x: tau, y: x, zero: 1}"), HasSubstr("zero is '1'; expected true or false"));
  EXPECT_THAT(message("{x: tau, y: x, baseline: pbm}"), HasSubstr("baseline goes with dots"));
  EXPECT_THAT(message("{kind: dots, y: x, lines: variant, baseline: pmb}"),
              HasSubstr("'pmb' is no value of variant"));
  EXPECT_THAT(message("{x: tau, y: x +}"), HasSubstr("found the end"));
  EXPECT_THAT(message("{name: a, x: tau, y: x}, {name: a, x: tau, y: x}"),
              HasSubstr("two figures have the name 'a'"));
}

}  // namespace
}  // namespace ultr::study_figure_reader_test
