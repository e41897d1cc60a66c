#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace ultr {

/// Which values of a measure are better.
enum class Better : std::uint8_t { higher, lower, neither };

/// The most prominent place where a measure is shown. It is shown in the places before it as well.
enum class Shown : std::uint8_t {
  files,     // results.json and the other files of a run, and `ultr-run evaluate`
  summary,   // the lines that a run prints when it ends
  progress,  // the table of epochs that a run prints while it trains
};

/// A number that results report. Tables of measures (ranking_measures, click_measures,
/// run_measures) are what everything that reads or prints results goes by.
struct Measure {
  std::string_view name;  // the key in results.json; an ending "@K" stands for any cut-off
  std::string_view help;  // one line
  Better better = Better::neither;
  Shown shown = Shown::files;
};

/// The value of a measure.
struct MetricValue {
  std::string name;  // with the cut-off in place of K
  double value = 0;
};

}  // namespace ultr
