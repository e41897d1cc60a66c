#include "runs/results/run_report.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/text/formatted_number.h"
#include "base/version.h"
#include "report/markup.h"
#include "runs/results/tree_report.h"

namespace ultr {
namespace {

/// Divides by the first value: models fix examination and attraction up to a factor only.
std::vector<double> over_the_first(std::vector<double> values) {
  const double first = values.empty() ? 1 : values.front();
  for (double& value : values) value /= first;
  return values;
}

/// Returns a curve of values by rank: learned ones, or the truth beside them.
Series by_rank(std::string label, std::vector<double> values, bool is_truth = false) {
  Series series{.label = std::move(label), .x = std::vector<double>(values.size())};
  std::iota(series.x.begin(), series.x.end(), 1.0);
  series.y = std::move(values);
  series.line = is_truth ? LineStyle::dashed : LineStyle::solid;
  series.markers = !is_truth;
  series.color = is_truth ? SeriesColor::black : SeriesColor::blue;
  return series;
}

Chart learning_curve(const TrainingResult& training, std::string title) {
  Series train{.label = "train", .markers = true}, valid{.label = "validation", .markers = true};
  for (const EpochResult& epoch : training.epochs) {
    train.x.push_back(static_cast<double>(epoch.epoch));
    train.y.push_back(epoch.train_loss);
    if (!epoch.valid) continue;
    valid.x.push_back(static_cast<double>(epoch.epoch));
    valid.y.push_back(epoch.valid->loss());
  }
  Chart chart{.title = std::move(title)};
  chart.x = {.label = "epoch", .integer = true};
  chart.y = {.label = "loss"};
  chart.series.push_back(train);
  if (!valid.x.empty()) chart.series.push_back(valid);
  return chart;
}

/// Returns true if the learned position bias is the learned examination of ranks, relative to the
/// first, so that one chart shows both.
bool bias_is_examination(const RunResult& result) {
  if (!result.position_bias || result.position_bias->additive) return false;
  const std::vector<double> examination = over_the_first(result.last_split().examination);
  return std::ranges::equal(examination, result.position_bias->by_rank, [](double a, double b) {
    return std::abs(a - b) <= 1e-3 * std::abs(b);
  });
}

/// Adds the intervals of the learned position bias to its curve.
void add_intervals(const RunResult& result, Series& learned) {
  constexpr double unknown = std::numeric_limits<double>::quiet_NaN();
  for (const ConfidenceInterval& interval : result.position_bias_intervals) {
    const bool bounded = std::isfinite(interval.lower) && std::isfinite(interval.upper);
    learned.low.push_back(bounded ? interval.lower : unknown);
    learned.high.push_back(bounded ? interval.upper : unknown);
  }
}

/// Adds the estimate of examination from pairs shown at several ranks, if there is one.
void add_estimate(const RunResult& result, Chart& chart) {
  if (!result.examination_check) return;
  Series estimate = by_rank("all_pairs, 99.7% intervals", result.examination_check->estimated);
  for (const auto& interval : result.examination_check->intervals) {
    estimate.low.push_back(interval ? interval->lower : std::nan(""));
    estimate.high.push_back(interval ? interval->upper : std::nan(""));
  }
  estimate.line = LineStyle::none;
  estimate.color = SeriesColor::green;
  chart.series.push_back(std::move(estimate));
}

Chart examination_chart(const RunResult& result) {
  const ClickEvaluation& split = result.last_split();
  Chart chart{.title = "Examination by rank, relative to rank 1"};
  chart.x = {.label = "rank", .integer = true};
  chart.y = {.label = "relative to rank 1", .include_zero = true};
  chart.series.push_back(by_rank("learned examination", over_the_first(split.examination)));
  if (bias_is_examination(result)) add_intervals(result, chart.series.back());
  if (!result.true_examination.empty())
    chart.series.push_back(
        by_rank("true examination", over_the_first(result.true_examination), true));
  chart.series.push_back(
      by_rank("click rate", over_the_first(split.conditional.click_rate_per_rank())));
  chart.series.back().color = SeriesColor::vermillion;
  if (bias_is_examination(result)) add_estimate(result, chart);
  return chart;
}

Chart position_bias_chart(const RunResult& result) {
  const bool additive = result.position_bias->additive;
  Chart chart{.title = "Position bias"};
  chart.x = {.label = "rank", .integer = true};
  chart.y = {.label = additive ? "logit, 0 at rank 1" : "relative to rank 1", .include_zero = true};
  chart.series.push_back(by_rank("learned", result.position_bias->by_rank));
  add_intervals(result, chart.series.back());
  add_estimate(result, chart);
  if (result.knows_bias_error())
    chart.series.push_back(by_rank("true", result.true_position_bias->by_rank, true));
  return chart;
}

Chart calibration_chart(const RunResult& result) {
  Series observed{.label = "observed", .line = LineStyle::none, .markers = true};
  for (const CalibrationBin& bin : result.last_split().calibration.bins()) {
    if (bin.documents == 0) continue;
    observed.x.push_back(bin.mean_prediction);
    observed.y.push_back(bin.click_rate);
    // A 95% interval for the click rate of so many documents.
    const double spread = 1.96 * std::sqrt(bin.click_rate * (1 - bin.click_rate) /
                                           static_cast<double>(bin.documents));
    observed.low.push_back(std::max(0.0, bin.click_rate - spread));
    observed.high.push_back(std::min(1.0, bin.click_rate + spread));
  }
  Chart chart{.title = "Calibration"};
  chart.x = {.label = "predicted click probability", .scale = AxisScale::log};
  chart.y = {.label = "click rate", .scale = AxisScale::log};
  chart.series.push_back(observed);
  chart.identity_line = true;
  return chart;
}

ReportTable click_table(const RunResult& result) {
  ReportTable table{.header = {"split", "sessions"}, .rows = {}};
  for (const MetricValue& value : result.last_split().values()) table.header.push_back(value.name);
  const auto add = [&](const std::string& name, const std::optional<ClickEvaluation>& split) {
    if (!split) return;
    std::string sessions = group_digits(split->sessions);
    if (name == "training" && result.train_ll_interval)
      sessions += fmt::format(" of {}", group_digits(result.train_sessions));
    auto& row = table.rows.emplace_back(std::vector<ReportCell>{name, sessions});
    for (const MetricValue& value : split->values()) row.emplace_back(number_or_dash(value.value));
  };
  add("training", result.train);
  add("validation", result.valid);
  add("test", result.test);
  return table;
}

/// Returns the measures by rank: first those that describe users, then those with a direction.
std::vector<ClickMeasure> measures_by_rank(const ClickEvaluation& evaluation) {
  std::vector<ClickMeasure> measures;
  for (const ClickMeasure& measure : evaluation.measures)
    if (std::holds_alternative<ClickMeasure::PerRank>(measure.compute)) measures.push_back(measure);
  std::stable_partition(measures.begin(), measures.end(),
                        [](const Measure& measure) { return measure.better == Better::neither; });
  return measures;
}

/// Returns "click rate" for click_rate_per_rank and "cond_ppl" for cond_ppl_per_rank: only measures
/// with a direction are known by their name in results.json.
std::string rank_column(const Measure& measure) {
  constexpr std::string_view ending = "_per_rank";
  std::string title(measure.name);
  if (title.ends_with(ending)) title.resize(title.size() - ending.size());
  if (measure.better == Better::neither) std::replace(title.begin(), title.end(), '_', ' ');
  return title;
}

ReportTable rank_table(const RunResult& result) {
  const ClickEvaluation& split = result.last_split();
  ReportTable table{.header = {"rank"}, .rows = {}};
  for (std::size_t k = 0; k < split.conditional.ranks(); ++k)
    table.rows.push_back({fmt::format("{}", k + 1)});
  for (const ClickMeasure& measure : measures_by_rank(split)) {
    table.header.push_back(rank_column(measure));
    const std::vector<double> by_rank = std::get<ClickMeasure::PerRank>(measure.compute)(split);
    for (std::size_t k = 0; k < table.rows.size(); ++k)
      table.rows[k].emplace_back(k < by_rank.size() ? number_or_dash(by_rank[k]) : "-");
  }
  table.caption = fmt::format("By displayed rank, on the {} sessions.", result.last_split_name());
  return table;
}

ReportTable ranking_table(const RankingMetrics& metrics) {
  ReportTable table{.header = {"metric", "mean"}, .rows = {}};
  for (const MetricValue& metric : metrics.values())
    table.rows.push_back({metric.name, number_or_dash(metric.value)});
  table.caption = fmt::format(
      "Ranking by the model's relevance on {} judged lists; {} have no relevant document, {} no "
      "judged one.",
      group_digits(metrics.lists()), group_digits(metrics.lists_without_relevant()),
      group_digits(metrics.lists_without_judged()));
  return table;
}

/// Returns sentences about the intervals and the error of the position bias.
std::string bias_notes(const RunResult& result) {
  std::string text;
  if (!result.position_bias_intervals.empty())
    text += " Bands are 95% intervals from the likelihood.";
  if (result.examination_check)
    text += " all_pairs: the estimate from pairs that were shown at several ranks.";
  if (result.knows_bias_error())
    text += fmt::format(" The mean squared error is {:.4g}.",
                        mean_squared_error(*result.position_bias, *result.true_position_bias));
  return text;
}

/// Adds the sections of a model that predicts clicks: examination and calibration.
void add_click_sections(const RunResult& result, Report& report) {
  report.sections.push_back(
      {"Examination",
       {ReportFigure{
            .charts = {examination_chart(result)},
            .caption = fmt::format(
                "Mean probability that the user examines a rank, on the {} sessions, "
                "beside the share of documents clicked there. Both relative to rank 1: "
                "models know examination up to a factor.{}",
                result.last_split_name(), bias_is_examination(result) ? bias_notes(result) : "")},
        rank_table(result)}});
  report.sections.push_back(
      {"Calibration",
       {ReportFigure{.charts = {calibration_chart(result)},
                     .caption = fmt::format(
                         "Documents of the {} sessions grouped by their predicted click "
                         "probability given the clicks above; bars are 95% intervals. A calibrated "
                         "model lies on the line.",
                         result.last_split_name())}}});
}

/// Adds the section of the position bias, if another chart does not show it.
void add_bias_section(const RunResult& result, Report& report) {
  const bool clicks = result.last_split().conditional.documents() > 0;
  if (!result.position_bias || (clicks && bias_is_examination(result))) return;
  std::string caption = result.position_bias->additive
                            ? "What a rank adds to the logit of a click, beside the first."
                            : "What a rank multiplies clicks by, beside the first.";
  report.sections.push_back({"Position bias",
                             {ReportFigure{.charts = {position_bias_chart(result)},
                                           .caption = std::move(caption) + bias_notes(result)}}});
}

}  // namespace

Report run_report(const RunResult& result) {
  Report report;
  report.title = result.title;
  report.summary = fmt::format(
      "{}: {} sessions, {} documents; {} epochs in {}, the best is number {}. Seed {}, ultr {}.",
      result.model_type, group_digits(result.train_sessions), group_digits(result.train_documents),
      result.training.epochs.size(), format_duration(result.total_seconds()),
      result.training.best_epoch, result.seed, version());
  if (!result.warnings.empty())
    report.sections.push_back(
        {"Warnings",
         {ReportText{fmt::format("{}", fmt::join(result.warnings, "\n\n")), Mark::warning}}});
  ReportFigure curves;
  for (const TrainingResult& stage : result.earlier_stages)
    curves.charts.push_back(learning_curve(stage, stage.epochs.front().stage));
  curves.charts.push_back(learning_curve(
      result.training, result.earlier_stages.empty() ? "Learning curve" : result.model_type));
  report.sections.push_back({"Results", {click_table(result), curves}});
  if (result.last_split().conditional.documents() > 0) add_click_sections(result, report);
  add_bias_section(result, report);
  if (result.ranking) report.sections.push_back({"Ranking", {ranking_table(*result.ranking)}});
  if (!result.words.empty()) report.sections.push_back(words_section(result.words));
  if (!result.importance.empty()) report.sections.push_back(importance_section(result.importance));
  ReportSection configuration{"Configuration", {}};
  for (const std::string& note : result.notes) configuration.blocks.emplace_back(ReportText{note});
  configuration.blocks.emplace_back(ReportDetails{"config.yaml", result.config});
  report.sections.push_back(std::move(configuration));
  return report;
}

}  // namespace ultr
