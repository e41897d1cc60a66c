#pragma once

#include <string>

#include "experiment/bias_estimation.h"
#include "report/html.h"

namespace ultr {

/// What a page of position bias shows.
struct BiasPage {
  std::string name{};  // of the configuration
  std::size_t sessions = 0, documents = 0;
  BiasEstimation estimation{};
  /// Where simulated sessions come with the model that made them: its mean examination by position,
  /// relative to the first. Else empty.
  Propensities truth{};
};

/// A row for each rank, a column for each method, with intervals where there are.
ReportTable bias_table(const BiasPage& page);
/// A curve for each method.
Chart bias_chart(const BiasPage& page);
Report bias_report(const BiasPage& page);

}  // namespace ultr
