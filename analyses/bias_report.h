#pragma once

#include <string>

#include "experiment/bias_estimation.h"
#include "report/html.h"

namespace ultr {

/// The contents of a page about position bias.
struct BiasPage {
  std::string name{};  // of the configuration
  std::size_t sessions = 0, documents = 0;
  BiasEstimation estimation{};
  /// Mean examination by position, relative to the first, of the model that simulated the sessions;
  /// empty if they are not simulated.
  Propensities truth{};
};

/// Returns a table with one row per rank and one column per method, with intervals if there are
/// any.
ReportTable bias_table(const BiasPage& page);
/// Returns a chart with one curve per method, on a log axis if estimates are far apart.
Chart bias_chart(const BiasPage& page);
/// Returns the curves in panels, because methods that agree would hide each other.
ReportFigure bias_figure(const BiasPage& page);
/// Draws the panels as an SVG picture.
std::string draw_bias(const BiasPage& page);
Report bias_report(const BiasPage& page);

}  // namespace ultr
