#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <variant>
#include <vector>

#include "metrics/click_metrics.h"
#include "metrics/measure.h"

/// The quality of a model's click predictions on a log, and the table of its measures.
namespace ultr {

struct ClickEvaluation;

/// A measure of click predictions: one number, one number per displayed rank, or a count.
struct ClickMeasure : Measure {
  using Number = double (*)(const ClickEvaluation&);
  using PerRank = std::vector<double> (*)(const ClickEvaluation&);
  using Count = std::uint64_t (*)(const ClickEvaluation&);

  std::variant<Number, PerRank, Count> compute;
  /// The column of test_queries.csv by which `ultr-run compare` pairs runs query by query; empty:
  /// it cannot.
  std::string_view query_column = {};
};

/// Returns the measures of each split in results.json. A row added here appears in every file and
/// table, in the order of the rows.
std::span<const ClickMeasure> click_measures();

/// Returns the measures with one number in the order of files: those of the summary come first.
std::vector<ClickMeasure> numbers_in_files(std::span<const ClickMeasure> table = click_measures());

/// Bins of click calibration. Logarithmic, since click probabilities are small and more documents
/// have smaller ones.
inline constexpr CalibrationOptions click_calibration = {.bins = 20,
                                                         .spacing = BinSpacing::logarithmic};

/// Returns a calibration with these bins and no documents.
Calibration empty_click_calibration();

/// The quality of a model's click predictions on a log. The metrics have no documents, and only the
/// loss is set, if the model predicts no clicks or the log has targets in place of clicks.
struct ClickEvaluation {
  ClickMetrics conditional, unconditional;
  Calibration calibration = empty_click_calibration();  // of the conditional predictions
  double loss = 0;                                      // the mean that training minimises
  std::vector<double>
      examination{};  // mean P(examined) of the documents at each displayed position
  std::size_t sessions = 0;
  std::size_t impossible_clicks = 0;  // with probability 0; they score min_log_prob
  std::span<const ClickMeasure> measures = click_measures();  // under which it is reported

  /// Returns the measures with one number that are shown at `least` or more prominently, in the
  /// order of files.
  std::vector<MetricValue> values(Shown least = Shown::files) const;
};

}  // namespace ultr
