#include "analyses/bias_report.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/version.h"
#include "report/markup.h"
#include "report/svg.h"

namespace ultr {
namespace {

constexpr double unknown_bound = std::numeric_limits<double>::quiet_NaN();

std::size_t positions_of(const BiasPage& page) {
  std::size_t positions = page.truth.size();
  for (const BiasEstimate& estimate : page.estimation.estimates)
    positions = std::max(positions, estimate.propensities.size());
  return positions;
}

Series curve(std::string label, const Propensities& propensities) {
  Series series{.label = std::move(label), .y = propensities};
  for (std::size_t k = 0; k < propensities.size(); ++k)
    series.x.push_back(static_cast<double>(k + 1));
  return series;
}

}  // namespace

ReportTable bias_table(const BiasPage& page) {
  ReportTable table{.header = {"rank"},
                    .rows = {},
                    .caption =
                        "Relative to rank 1, with 95% intervals of a bootstrap over "
                        "sessions where there are; - is unknown."};
  for (const BiasEstimate& estimate : page.estimation.estimates)
    table.header.push_back(estimate.method);
  if (!page.truth.empty()) table.header.emplace_back("truth");
  for (std::size_t k = 0; k < positions_of(page); ++k) {
    std::vector<ReportCell> row = {fmt::format("{}", k + 1)};
    for (const BiasEstimate& estimate : page.estimation.estimates) {
      std::string cell =
          k < estimate.propensities.size() ? number_or_dash(estimate.propensities[k]) : "-";
      if (k > 0 && k < estimate.intervals.size() && estimate.intervals[k])
        cell += fmt::format(" [{}, {}]", number_or_dash(estimate.intervals[k]->lower),
                            number_or_dash(estimate.intervals[k]->upper));
      row.emplace_back(std::move(cell));
    }
    if (!page.truth.empty())
      row.emplace_back(k < page.truth.size() ? number_or_dash(page.truth[k]) : "-");
    table.rows.push_back(std::move(row));
  }
  return table;
}

Chart bias_chart(const BiasPage& page) {
  Chart chart{.title = "Examination by rank, relative to rank 1"};
  chart.x = {.label = "rank", .integer = true};
  chart.y = {.label = "relative to rank 1", .include_zero = true};
  for (const BiasEstimate& estimate : page.estimation.estimates) {
    Series series = curve(estimate.method, estimate.propensities);
    series.markers = true;
    if (!estimate.intervals.empty())
      for (const auto& interval : estimate.intervals) {
        series.low.push_back(interval ? interval->lower : unknown_bound);
        series.high.push_back(interval ? interval->upper : unknown_bound);
      }
    chart.series.push_back(std::move(series));
  }
  if (!page.truth.empty()) {
    Series truth = curve("truth", page.truth);
    truth.line = LineStyle::dashed;
    truth.color = SeriesColor::black;
    chart.series.push_back(std::move(truth));
  }
  use_log_axis(chart);
  return chart;
}

ReportFigure bias_figure(const BiasPage& page) {
  return figure_of_curves(bias_chart(page), {"estimate", "other methods"},
                          "With 95% intervals where there are.");
}

std::string draw_bias(const BiasPage& page) {
  const ReportFigure figure = bias_figure(page);
  return render_panels(figure.charts, figure.columns,
                       {.width = 720, .plot_height = figure.columns > 1 ? 150.0 : 300.0});
}

Report bias_report(const BiasPage& page) {
  Report report;
  report.title = fmt::format("Position bias of {}", page.name);
  report.summary =
      fmt::format("{} training sessions, {} documents. ultr {}.", group_digits(page.sessions),
                  group_digits(page.documents), version());
  report.sections.push_back({"Estimates", {bias_figure(page), bias_table(page)}});
  if (const std::vector<std::string>& notes = page.estimation.notes; !notes.empty())
    report.sections.push_back(
        {"What the sessions do not say",
         {ReportText{fmt::format("{}", fmt::join(notes, "\n\n")), Mark::warning}}});
  return report;
}

}  // namespace ultr
