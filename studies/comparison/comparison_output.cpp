#include "studies/comparison/comparison_output.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include <fmt/format.h>

#include "base/files/file.h"
#include "base/text/json_number.h"
#include "base/version.h"
#include "data/text/csv_text.h"
#include "studies/comparison/comparison_report.h"
#include "studies/comparison/comparison_table.h"

namespace ultr {
namespace {

using Json = nlohmann::ordered_json;

std::string csv_number(double value) {
  return std::isfinite(value) ? fmt::format("{}", value) : "";
}

Json json_interval(const ConfidenceInterval& interval) {
  return {json_number(interval.lower), json_number(interval.upper)};
}

Json json_of(const Measurement& measured) {
  Json json = {{"runs", measured.by_seed.size()}, {"mean", json_number(measured.mean)}};
  json["interval"] = measured.interval ? json_interval(*measured.interval) : Json();
  json["by_seed"] = Json::object();
  for (const auto& [seed, value] : measured.by_seed) json["by_seed"][seed] = value;
  json["test"] = nullptr;
  if (measured.test) {
    const DifferenceTest& test = *measured.test;
    json["test"] = {{"over", test.over},
                    {"measure", test.measure},
                    {"pairs", test.pairs},
                    {"mean_difference", json_number(test.t_test.mean_difference)},
                    {"interval", json_interval(test.interval)},
                    {"t", json_number(test.t_test.t)},
                    {"degrees_of_freedom", test.t_test.degrees_of_freedom},
                    {"p", test.t_test.p_value},
                    {"corrected_p", test.corrected_p}};
  }
  return json;
}

}  // namespace

std::string comparison_text(const Comparison& comparison) {
  std::string text;
  for (const MetricComparison& metric : comparison.metrics)
    text += fmt::format("{}, {}\n{}\n", metric.metric, metric_direction(metric.higher_is_better),
                        render_text_table(comparison_table(comparison, metric)));
  if (!comparison.metrics.empty())
    for (const std::string& sentence : comparison_explanations(comparison)) text += sentence + "\n";
  for (const std::string& note : comparison.notes) text += note + "\n";
  if (comparison.selection) text += comparison_selection(comparison) + "\n";
  return text;
}

std::string comparison_csv(const Comparison& comparison) {
  std::string csv = "metric,configuration";
  for (const std::string& key : comparison.configurations.keys) csv += "," + csv_field(key);
  csv +=
      ",runs,failed,mean,lower,upper,verdict,paired_over,measure,pairs,difference,difference_lower,"
      "difference_upper,t,p,corrected_p\n";
  for (const MetricComparison& metric : comparison.metrics)
    for (std::size_t c = 0; c < metric.measurements.size(); ++c) {
      const Measurement& m = metric.measurements[c];
      const Configuration& configuration = comparison.configurations.each[c];
      csv += csv_field(metric.metric) + "," + csv_field(configuration.name);
      for (const std::string& value : configuration.values) csv += "," + csv_field(value);
      const auto failed = std::ranges::count_if(
          configuration.runs, [&](std::size_t r) { return !comparison.runs[r].failure.empty(); });
      csv += fmt::format(",{},{},{}", m.by_seed.size(), failed, csv_number(m.mean));
      csv += m.interval ? fmt::format(",{},{}", csv_number(m.interval->lower),
                                      csv_number(m.interval->upper))
                        : ",,";
      csv += "," + comparison_verdict(comparison, metric, c);
      if (m.test)
        csv +=
            fmt::format(",{},{},{},{},{},{},{},{},{}\n", m.test->over, csv_field(m.test->measure),
                        m.test->pairs, csv_number(m.test->t_test.mean_difference),
                        csv_number(m.test->interval.lower), csv_number(m.test->interval.upper),
                        csv_number(m.test->t_test.t), csv_number(m.test->t_test.p_value),
                        csv_number(m.test->corrected_p));
      else
        csv += ",,,,,,,,,\n";
    }
  return csv;
}

std::string comparison_json(const Comparison& comparison) {
  const auto& configurations = comparison.configurations;
  Json json = {{"version", version()}, {"keys", configurations.keys}, {"tests", comparison.tests}};
  json["correction"] = "bonferroni";
  json["confidence"] = 0.95;
  json["configurations"] = Json::array();
  for (const Configuration& configuration : configurations.each) {
    Json of{{"name", configuration.name}, {"options", Json::object()}, {"runs", Json::array()}};
    for (std::size_t k = 0; k < configurations.keys.size(); ++k)
      of["options"][configurations.keys[k]] = configuration.values[k];
    for (const std::size_t r : configuration.runs) {
      const RunResults& run = comparison.runs[r];
      of["runs"].push_back({{"folder", run.folder.string()},
                            {"seed", run.seed},
                            {"failure", run.failure.empty() ? Json() : Json(run.failure)}});
    }
    json["configurations"].push_back(std::move(of));
  }
  json["metrics"] = Json::array();
  for (const MetricComparison& metric : comparison.metrics) {
    Json of{{"metric", metric.metric}, {"higher_is_better", metric.higher_is_better}};
    of["baseline"] = metric.baseline ? Json(configurations.each[*metric.baseline].name) : Json();
    of["baseline_is"] =
        comparison.baseline == BaselineChoice::given ? "given" : to_string(comparison.baseline);
    of["measurements"] = Json::array();
    for (const Measurement& measured : metric.measurements)
      of["measurements"].push_back(json_of(measured));
    json["metrics"].push_back(std::move(of));
  }
  if (const auto& selection = comparison.selection)
    json["selection"] = {{"metric", selection->metric},
                         {"configuration", configurations.each[selection->configuration].name},
                         {"run", comparison.runs[selection->run].folder.string()}};
  json["notes"] = comparison.notes;
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

void write_comparison(const Comparison& comparison, const std::filesystem::path& folder) {
  write_file(folder / "comparison.csv", comparison_csv(comparison));
  write_file(folder / "comparison.json", comparison_json(comparison));
  write_file(folder / "comparison.html", render_report(comparison_report(comparison, folder)));
}

}  // namespace ultr
