#include "studies/comparison_output.h"

#include <cmath>
#include <nlohmann/json.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/files/file.h"
#include "base/json_number.h"
#include "base/version.h"

namespace ultr {
namespace {

using Json = nlohmann::ordered_json;

std::string shown_metric(double value) {
  if (!std::isfinite(value)) return "-";
  return std::abs(value) < 1e4 ? fmt::format("{:.5f}", value) : fmt::format("{:.6g}", value);
}

/// Shows the sign, and the digits of small differences.
std::string shown_difference(double value) {
  const double size = std::abs(value);
  return size >= 1e-3 && size < 1e4 ? fmt::format("{:+.5f}", value) : fmt::format("{:+.2e}", value);
}

std::string shown_p(double p) { return p < 1e-4 ? "<0.0001" : fmt::format("{:.4f}", p); }

/// Returns the usual stars for a corrected p.
std::string stars(double p) { return p < 0.001 ? "***" : p < 0.01 ? "**" : p < 0.05 ? "*" : ""; }

std::string mean_with_interval(const Measurement& measured) {
  const std::string mean = shown_metric(measured.mean);
  return !measured.interval
             ? mean
             : fmt::format("{} [{}, {}]", mean, shown_metric(measured.interval->lower),
                           shown_metric(measured.interval->upper));
}

std::string verdict(const Comparison& comparison, const MetricComparison& metric, std::size_t c) {
  const Measurement& measured = metric.measurements[c];
  if (measured.by_seed.empty()) return "no result";
  if (metric.baseline == c) return to_string(comparison.baseline);
  if (!measured.test) return "not tested";
  const std::string mark = stars(measured.test->corrected_p);
  return mark.empty() ? "not significant" : mark;
}

ReportTable table_of(const Comparison& comparison, const MetricComparison& metric) {
  const auto& configurations = comparison.configurations.each;
  const bool single = configurations.size() < 2;
  ReportTable table{.header = comparison.configurations.keys, .rows = {}};
  if (single) table.header.emplace_back("experiment");
  table.header.insert(table.header.end(), {"runs", metric.metric});
  if (!single)
    table.header.insert(table.header.end(), {"difference", "pairs", "p", "corrected p", "verdict"});
  for (std::size_t c = 0; c < configurations.size(); ++c) {
    const Measurement& measured = metric.measurements[c];
    std::vector<std::string> row = configurations[c].values;
    if (single) row.push_back(configurations[c].name);
    row.push_back(fmt::format("{}", measured.by_seed.size()));
    row.push_back(mean_with_interval(measured));
    if (!single && measured.test) {
      const DifferenceTest& test = *measured.test;
      row.push_back(fmt::format("{} [{}, {}]", shown_difference(test.t_test.mean_difference),
                                shown_difference(test.interval.lower),
                                shown_difference(test.interval.upper)));
      row.push_back(fmt::format("{} {}", test.pairs, test.over));
      row.push_back(shown_p(test.t_test.p_value));
      row.push_back(shown_p(test.corrected_p));
    } else if (!single) {
      row.insert(row.end(), 4, "-");
    }
    if (!single) row.push_back(verdict(comparison, metric, c));
    table.rows.push_back(std::move(row));
  }
  return table;
}

const char* direction(const MetricComparison& metric) {
  return metric.higher_is_better ? "higher is better" : "lower is better";
}

/// Returns a line that names the selected run and its values of the metrics that are compared;
/// empty if none was selected.
std::string selection_text(const Comparison& comparison) {
  if (!comparison.selection) return "";
  const auto& [selecting, c, r] = *comparison.selection;
  const RunResults& run = comparison.runs[r];
  std::string text =
      fmt::format("Selected on validation sessions: {}. Its best run: {}, with {} {}",
                  comparison.configurations.each[c].name, run.folder.string(), selecting,
                  shown_metric(run.metrics.at(selecting)));
  for (const MetricComparison& metric : comparison.metrics)
    if (const auto found = run.metrics.find(metric.metric);
        found != run.metrics.end() && metric.metric != selecting)
      text += fmt::format(", {} {}", metric.metric, shown_metric(found->second));
  return text + ".";
}

/// Returns sentences that explain the numbers of the tables.
std::vector<std::string> explanations(const Comparison& comparison) {
  std::vector<std::string> sentences = {
      "Means are over runs that differ in their seed alone, with 95% bootstrap intervals."};
  if (comparison.tests == 0) return sentences;
  sentences.push_back(
      fmt::format("Differences from the {} are tested by two-sided paired t-tests over seeds and "
                  "over queries, of which the larger p counts, corrected for {} test{} "
                  "(Bonferroni).",
                  comparison.baseline == BaselineChoice::given      ? "baseline"
                  : comparison.baseline == BaselineChoice::selected ? "selected configuration"
                                                                    : "best",
                  comparison.tests, comparison.tests == 1 ? "" : "s"));
  sentences.emplace_back("Corrected p: * below 0.05, ** below 0.01, *** below 0.001.");
  for (const MetricComparison& metric : comparison.metrics)
    for (const Measurement& measured : metric.measurements) {
      if (!measured.test || measured.test->over == "seeds") continue;
      sentences.push_back(
          fmt::format("{} over queries: the difference is that of {}, averaged for each query.",
                      metric.metric, measured.test->measure));
      break;
    }
  return sentences;
}

DotPlot plot_of(const Comparison& comparison, const MetricComparison& metric) {
  DotPlot plot{.title = {},
               .x = {.label = fmt::format("{} ({})", metric.metric, direction(metric))}};
  for (std::size_t c = 0; c < metric.measurements.size(); ++c) {
    const Measurement& measured = metric.measurements[c];
    Dot dot{.label = comparison.configurations.each[c].name, .value = measured.mean};
    if (measured.interval) {
      dot.low = measured.interval->lower;
      dot.high = measured.interval->upper;
      for (const auto& [seed, value] : measured.by_seed) dot.parts.push_back(value);
    }
    dot.emphasized = metric.baseline == c;
    dot.mark = dot.emphasized || measured.by_seed.empty() ? verdict(comparison, metric, c)
               : measured.test                            ? stars(measured.test->corrected_p)
                                                          : "";
    plot.dots.push_back(std::move(dot));
  }
  return plot;
}

ReportTable runs_table(const Comparison& comparison) {
  ReportTable table{.header = {"folder", "configuration", "seed", "result"}, .rows = {}};
  for (const Configuration& configuration : comparison.configurations.each)
    for (const std::size_t r : configuration.runs) {
      const RunResults& run = comparison.runs[r];
      table.rows.push_back({run.folder.string(), configuration.name, fmt::format("{}", run.seed),
                            run.failure.empty() ? "finished" : "failed: " + run.failure});
    }
  return table;
}

/// Quotes a cell as in RFC 4180 if it needs quotes.
std::string csv_cell(const std::string& text) {
  if (text.find_first_of(",\"\n\r") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? "\"\"" : std::string(1, c);
  return quoted + "\"";
}

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
    text += fmt::format("{}, {}\n{}\n", metric.metric, direction(metric),
                        render_text_table(table_of(comparison, metric)));
  if (!comparison.metrics.empty())
    for (const std::string& sentence : explanations(comparison)) text += sentence + "\n";
  for (const std::string& note : comparison.notes) text += note + "\n";
  if (comparison.selection) text += selection_text(comparison) + "\n";
  return text;
}

Report comparison_report(const Comparison& comparison) {
  std::vector<std::string> names;
  for (const RunResults& run : comparison.runs)
    if (std::ranges::count(names, run.name) == 0) names.push_back(run.name);
  Report report;
  report.title = fmt::format("Comparison of {}", fmt::join(names, ", "));
  const auto count = [](std::size_t n, const char* what) {
    return fmt::format("{} {}{}", n, what, n == 1 ? "" : "s");
  };
  report.summary = fmt::format("{} of {}, {}. ultr {}.", count(comparison.runs.size(), "run"),
                               count(comparison.configurations.each.size(), "configuration"),
                               count(comparison.tests, "test"), version());
  if (comparison.selection) report.summary += " " + selection_text(comparison);
  for (const MetricComparison& metric : comparison.metrics)
    report.sections.push_back(
        {metric.metric,
         {ReportDotPlot{plot_of(comparison, metric)}, table_of(comparison, metric)}});
  if (!comparison.metrics.empty())
    report.sections.push_back(
        {"How to read this",
         {ReportText{fmt::format("{}", fmt::join(explanations(comparison), " "))}}});
  report.sections.push_back({"Runs",
                             {ReportText{fmt::format("{}", fmt::join(comparison.notes, "\n\n"))},
                              runs_table(comparison)}});
  return report;
}

std::string comparison_csv(const Comparison& comparison) {
  std::string csv = "metric,configuration";
  for (const std::string& key : comparison.configurations.keys) csv += "," + csv_cell(key);
  csv +=
      ",runs,failed,mean,lower,upper,verdict,paired_over,measure,pairs,difference,difference_lower,"
      "difference_upper,t,p,corrected_p\n";
  for (const MetricComparison& metric : comparison.metrics)
    for (std::size_t c = 0; c < metric.measurements.size(); ++c) {
      const Measurement& m = metric.measurements[c];
      const Configuration& configuration = comparison.configurations.each[c];
      csv += csv_cell(metric.metric) + "," + csv_cell(configuration.name);
      for (const std::string& value : configuration.values) csv += "," + csv_cell(value);
      const auto failed = std::ranges::count_if(
          configuration.runs, [&](std::size_t r) { return !comparison.runs[r].failure.empty(); });
      csv += fmt::format(",{},{},{}", m.by_seed.size(), failed, csv_number(m.mean));
      csv += m.interval ? fmt::format(",{},{}", csv_number(m.interval->lower),
                                      csv_number(m.interval->upper))
                        : ",,";
      csv += "," + verdict(comparison, metric, c);
      if (m.test)
        csv += fmt::format(",{},{},{},{},{},{},{},{},{}\n", m.test->over, csv_cell(m.test->measure),
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
  write_file(folder / "comparison.html", render_report(comparison_report(comparison)));
}

}  // namespace ultr
