#include "report/svg_style.h"

#include <algorithm>
#include <cmath>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ultr::svg_style_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr int colors = 7;

Chart chart_of(int count) {
  Chart chart;
  chart.series.resize(static_cast<std::size_t>(count));
  return chart;
}

std::vector<SeriesColor> colors_of(const Chart& chart) {
  std::vector<SeriesColor> result;
  for (const SeriesStyle& style : series_styles(chart)) result.push_back(style.color);
  return result;
}

TEST(SeriesStyleTest, AutomaticColorsFollowTheEnumeration) {
  EXPECT_THAT(colors_of(chart_of(colors)),
              ElementsAre(SeriesColor::blue, SeriesColor::vermillion, SeriesColor::green,
                          SeriesColor::purple, SeriesColor::orange, SeriesColor::sky_blue,
                          SeriesColor::black));
}

TEST(SeriesStyleTest, AutomaticColorsLeaveOutNamedOnes) {
  Chart chart = chart_of(4);
  chart.series[1].color = SeriesColor::black;
  chart.series[3].color = SeriesColor::blue;
  EXPECT_THAT(colors_of(chart), ElementsAre(SeriesColor::vermillion, SeriesColor::black,
                                            SeriesColor::green, SeriesColor::blue));
}

TEST(SeriesStyleTest, GreyIsNeverAutomatic) {
  Chart chart = chart_of(2 * colors);
  chart.series[0].color = SeriesColor::gray;
  const std::vector<SeriesColor> all = colors_of(chart);
  EXPECT_EQ(std::ranges::count(all, SeriesColor::gray), 1);
  EXPECT_EQ(all[1], SeriesColor::blue);
}

TEST(SeriesStyleTest, RepeatedColorsLookDifferent) {
  const auto styles = series_styles(chart_of(2 * colors));
  for (int i = 0; i < colors; ++i) {
    const auto first = styles[static_cast<std::size_t>(i)];
    const auto second = styles[static_cast<std::size_t>(i + colors)];
    EXPECT_EQ(first.color, second.color);
    EXPECT_FALSE(first.repeated);
    EXPECT_TRUE(second.repeated);
    EXPECT_NE(marker_path(first.marker, 0, 0), marker_path(second.marker, 0, 0));
  }
  EXPECT_NE(marker_group(false), marker_group(true));
  const std::set<std::string> dashes = {
      dash_attributes(LineStyle::solid, false), dash_attributes(LineStyle::solid, true),
      dash_attributes(LineStyle::dashed, false), dash_attributes(LineStyle::dashed, true)};
  EXPECT_EQ(dashes.size(), 4u);
}

TEST(SeriesStyleTest, SeriesMayNameAllColors) {
  Chart chart = chart_of(colors + 1);
  for (int i = 0; i < colors; ++i) {
    chart.series[static_cast<std::size_t>(i)].color = static_cast<SeriesColor>(i + 1);
  }
  EXPECT_NE(series_styles(chart).back().color, SeriesColor::automatic);
}

TEST(SeriesStyleTest, EveryColorHasADarkVariant) {
  const std::string css(chart_stylesheet);
  const std::string dark = css.substr(css.find("prefers-color-scheme:dark"));
  for (const char* name : {"blue", "vermillion", "green", "purple", "orange", "sky-blue"}) {
    EXPECT_THAT(dark, HasSubstr(std::string(".ultr-chart .") + name + "{color:#"));
  }
  EXPECT_EQ(color_attributes(SeriesColor::sky_blue), "class=\"sky-blue\" color=\"#56B4E9\"");
  EXPECT_EQ(color_attributes(SeriesColor::black), "class=\"black\"") << "takes the text colour";
}

/// Relative luminance of "#rrggbb" (WCAG 2.1).
double luminance(const std::string& color) {
  const double weights[] = {0.2126, 0.7152, 0.0722};
  double sum = 0;
  for (std::size_t i = 0; i < 3; ++i) {
    const double c = std::stoi(color.substr(1 + 2 * i, 2), nullptr, 16) / 255.0;
    sum += weights[i] * (c <= 0.04045 ? c / 12.92 : std::pow((c + 0.055) / 1.055, 2.4));
  }
  return sum;
}

TEST(SeriesStyleTest, DarkVariantsStandOutFromThePage) {
  const std::string css(chart_stylesheet);
  const std::string page = "--halo:var(--page,", color = "{color:#";
  const double background = luminance(css.substr(css.rfind(page) + page.size(), 7));
  int count = 0;
  for (std::size_t at = 0; (at = css.find(color, at)) != std::string::npos; ++at) {
    const double lightness = luminance(css.substr(at + color.size() - 1, 7));
    EXPECT_GE((lightness + 0.05) / (background + 0.05), 4.5) << css.substr(at, 15);
    ++count;
  }
  EXPECT_EQ(count, colors + 1) << "and grey";
}

}  // namespace
}  // namespace ultr::svg_style_test
