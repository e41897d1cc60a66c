#include "report/svg_legend.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "report/text_layout.h"
#include "testing/xml.h"

namespace ultr::svg_legend_test {
namespace {

using testing::parse_xml;
using testing::XmlElement;

Chart chart_of(const std::vector<std::string>& labels) {
  Chart chart;
  for (const std::string& label : labels) chart.series.push_back({label, {1, 2}, {1, 2}});
  return chart;
}

std::vector<std::string> labels(const Chart& chart) {
  std::vector<std::string> result;
  for (const LegendEntry& entry : legend_entries(chart)) result.push_back(entry.label);
  return result;
}

TEST(LegendTest, ListsLabelledSeriesAndTheIdentityLine) {
  Chart chart = chart_of({"train", "", "test"});
  EXPECT_THAT(labels(chart), ::testing::ElementsAre("train", "test"));
  EXPECT_EQ(legend_entries(chart)[1].style, series_styles(chart)[2]) << "unlabelled ones count";
  chart.identity_line = true;
  EXPECT_THAT(labels(chart), ::testing::ElementsAre("train", "test", "y = x"));
  EXPECT_THAT(labels(Chart{}), ::testing::IsEmpty());
}

TEST(LegendTest, MarksSeriesWithoutData) {
  Chart chart = chart_of({"train"});
  chart.series.push_back({"test"});
  EXPECT_THAT(labels(chart), ::testing::ElementsAre("train", "test (no data)"));
}

TEST(LegendTest, SamplesShowWhatTheSeriesDraws) {
  Chart chart = chart_of({"a"});
  const auto paths = [&] {
    return parse_xml(draw_legend(legend_entries(chart), 0, 0, 500)).all("path").size();
  };
  EXPECT_EQ(paths(), 1u) << "line";
  chart.series[0].markers = true;
  EXPECT_EQ(paths(), 2u) << "line and marker";
  chart.series[0].low = chart.series[0].high = {1, 2};
  EXPECT_EQ(paths(), 3u) << "line, marker and band";
  chart.series[0].line = LineStyle::none;
  EXPECT_EQ(paths(), 2u) << "marker and error bar";
}

TEST(LegendTest, EntriesWrapIntoRowsWithoutOverlap) {
  const Chart chart = chart_of({"one", "two, longer", "three", "four, longer yet", "five"});
  const auto entries = legend_entries(chart);
  EXPECT_EQ(legend_rows({}, 200), 0);
  EXPECT_EQ(legend_rows(entries, 10000), 1);
  const int rows = legend_rows(entries, 200);
  EXPECT_GT(rows, 1);
  const XmlElement legend = parse_xml(draw_legend(entries, 30, 40, 200));
  const auto texts = legend.all("text");
  ASSERT_EQ(texts.size(), entries.size());
  double right = 30, baseline = 0;
  for (const XmlElement* text : texts) {
    if (text->number("y") > baseline) right = 30;
    EXPECT_GE(text->number("x") - 33, right) << "33 for the sample and its gap";
    right = text->number("x") + text_width(text->text, 13);
    baseline = text->number("y");
    EXPECT_LE(right, 30 + 200);
    EXPECT_GT(baseline, 40);
    EXPECT_LT(baseline, 40 + rows * legend_row_height);
  }
}

TEST(LegendTest, LabelsAreEscapedAndShortened) {
  const std::string lengthy(200, 'm');
  const Chart chart = chart_of({"a < b", lengthy});
  const XmlElement legend = parse_xml(draw_legend(legend_entries(chart), 0, 0, 300));
  EXPECT_EQ(legend.all("text")[0]->text, "a < b");
  const std::string shortened = legend.all("text")[1]->text;
  EXPECT_LT(shortened.size(), lengthy.size());
  EXPECT_LE(text_width(shortened, 13), 300);
}

}  // namespace
}  // namespace ultr::svg_legend_test
