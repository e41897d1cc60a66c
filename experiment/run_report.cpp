#include "experiment/run_report.h"

#include <cmath>
#include <nlohmann/json.hpp>

#include <fmt/core.h>

#include "base/duration.h"
#include "base/version.h"

namespace ultr {
namespace {

using Json = nlohmann::ordered_json;

Json split_json(const ClickEvaluation& e) {
  return {{"loss", e.loss},
          {"ll", e.conditional.log_likelihood()},
          {"ppl", e.unconditional.perplexity()},
          {"cond_ppl", e.conditional.perplexity()},
          {"ppl_rank_mean", e.unconditional.perplexity_rank_mean()},
          {"cond_ppl_rank_mean", e.conditional.perplexity_rank_mean()},
          {"ppl_per_rank", e.unconditional.perplexity_per_rank()},
          {"cond_ppl_per_rank", e.conditional.perplexity_per_rank()},
          {"click_rate_per_rank", e.conditional.click_rate_per_rank()},
          {"examination_per_rank", e.examination},
          {"sessions", e.sessions},
          {"documents", e.conditional.documents()},
          {"impossible_clicks", e.impossible_clicks}};
}

Json ranking_json(const RankingMetrics& metrics) {
  Json json;
  for (const MetricValue& metric : metrics.values()) json[metric.name] = metric.value;
  json["lists"] = metrics.lists();
  json["lists_without_relevant"] = metrics.lists_without_relevant();
  json["lists_without_judged"] = metrics.lists_without_judged();
  return json;
}

/// True if the learned position bias and the true one can be compared.
bool have_one_scale(const RunResult& result) {
  return result.position_bias && result.true_position_bias &&
         result.position_bias->additive == result.true_position_bias->additive;
}

Json position_bias_json(const RunResult& result) {
  const PositionBias& learned = *result.position_bias;
  Json json = {{"scale", learned.additive ? "logit" : "relative"}, {"estimated", learned.by_rank}};
  if (have_one_scale(result)) {
    json["true"] = result.true_position_bias->by_rank;
    json["error"] = mean_squared_error(learned, *result.true_position_bias);
  }
  return json;
}

std::vector<double> ranks(std::size_t count) {
  std::vector<double> numbers(count);
  for (std::size_t k = 0; k < count; ++k) numbers[k] = static_cast<double>(k + 1);
  return numbers;
}

/// Divides by the first value: models fix examination and attraction up to a factor only.
std::vector<double> relative_to_first(std::vector<double> values) {
  const double first = values.empty() ? 1 : values.front();
  for (double& value : values) value /= first;
  return values;
}

Chart learning_curve(const TrainingResult& training, std::string title) {
  Series train{.label = "train", .markers = true}, valid{.label = "validation", .markers = true};
  for (const EpochResult& epoch : training.epochs) {
    train.x.push_back(static_cast<double>(epoch.epoch));
    train.y.push_back(epoch.train_loss);
    if (!epoch.valid) continue;
    valid.x.push_back(static_cast<double>(epoch.epoch));
    valid.y.push_back(epoch.valid->loss);
  }
  Chart chart{.title = std::move(title)};
  chart.x = {.label = "epoch", .integer = true};
  chart.y = {.label = "loss"};
  chart.series.push_back(train);
  if (!valid.x.empty()) chart.series.push_back(valid);
  return chart;
}

Chart examination_chart(const RunResult& result) {
  const ClickEvaluation& split = result.last_split();
  Chart chart{.title = "Examination by rank, relative to rank 1"};
  chart.x = {.label = "rank", .integer = true};
  chart.y = {.label = "relative to rank 1", .include_zero = true};
  const auto add = [&](std::string label, const std::vector<double>& values, LineStyle line,
                       bool markers, SeriesColor color) {
    chart.series.push_back({.label = std::move(label),
                            .x = ranks(values.size()),
                            .y = relative_to_first(values),
                            .line = line,
                            .markers = markers,
                            .color = color});
  };
  add("learned examination", split.examination, LineStyle::solid, true, SeriesColor::blue);
  if (!result.true_examination.empty())
    add("true examination", result.true_examination, LineStyle::dashed, false, SeriesColor::black);
  add("click rate", split.conditional.click_rate_per_rank(), LineStyle::solid, true,
      SeriesColor::vermillion);
  return chart;
}

Chart position_bias_chart(const RunResult& result) {
  const bool additive = result.position_bias->additive;
  Chart chart{.title = "Position bias"};
  chart.x = {.label = "rank", .integer = true};
  chart.y = {.label = additive ? "logit, 0 at rank 1" : "relative to rank 1", .include_zero = true};
  const auto add = [&](std::string label, const PositionBias& bias, bool learned) {
    chart.series.push_back({.label = std::move(label),
                            .x = ranks(bias.by_rank.size()),
                            .y = bias.by_rank,
                            .line = learned ? LineStyle::solid : LineStyle::dashed,
                            .markers = learned,
                            .color = learned ? SeriesColor::blue : SeriesColor::black});
  };
  add("learned", *result.position_bias, true);
  if (have_one_scale(result)) add("true", *result.true_position_bias, false);
  return chart;
}

Chart calibration_chart(const RunResult& result) {
  Series observed{.label = "observed"};
  observed.line = LineStyle::none;
  observed.markers = true;
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
  ReportTable table{.header = {"split", "sessions", "loss", "ll", "ppl", "cond_ppl",
                               "ppl_rank_mean", "cond_ppl_rank_mean"},
                    .rows = {}};
  const auto add = [&](const std::string& name, const std::optional<ClickEvaluation>& e) {
    if (!e) return;
    table.rows.push_back({name, fmt::format("{}", e->sessions), number_or_dash(e->loss),
                          number_or_dash(e->conditional.log_likelihood()),
                          number_or_dash(e->unconditional.perplexity()),
                          number_or_dash(e->conditional.perplexity()),
                          number_or_dash(e->unconditional.perplexity_rank_mean()),
                          number_or_dash(e->conditional.perplexity_rank_mean())});
  };
  add("training", result.train);
  add("validation", result.valid);
  add("test", result.test);
  return table;
}

ReportTable rank_table(const RunResult& result) {
  const ClickEvaluation& e = result.last_split();
  ReportTable table{.header = {"rank", "click rate", "examination", "ppl", "cond_ppl"}, .rows = {}};
  const auto rate = e.conditional.click_rate_per_rank();
  const auto ppl = e.unconditional.perplexity_per_rank();
  const auto cond_ppl = e.conditional.perplexity_per_rank();
  for (std::size_t k = 0; k < rate.size(); ++k)
    table.rows.push_back({fmt::format("{}", k + 1), number_or_dash(rate[k]),
                          number_or_dash(e.examination[k]), number_or_dash(ppl[k]),
                          number_or_dash(cond_ppl[k])});
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
      metrics.lists(), metrics.lists_without_relevant(), metrics.lists_without_judged());
  return table;
}

/// Adds the sections of a model that predicts clicks: examination and calibration.
void add_click_sections(const RunResult& result, Report& report) {
  report.sections.push_back(
      {"Examination",
       {ReportFigure{.charts = {examination_chart(result)},
                     .caption = fmt::format(
                         "Mean probability that the user examines a rank, on the {} sessions, "
                         "beside the share of documents clicked there. Both relative to rank 1: "
                         "models know examination up to a factor.",
                         result.last_split_name())},
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

/// Returns the seconds of all stages of training.
double total_seconds(const RunResult& result) {
  double seconds = result.training.seconds;
  for (const TrainingResult& stage : result.earlier_stages) seconds += stage.seconds;
  return seconds;
}

}  // namespace

const ClickEvaluation& RunResult::last_split() const {
  return test ? *test : valid ? *valid : *train;
}

std::string RunResult::last_split_name() const {
  return test ? "test" : valid ? "validation" : "training";
}

std::string results_json(const RunResult& result) {
  Json json = {{"name", result.name},
               {"model", result.model_type},
               {"version", version()},
               {"seed", result.seed},
               {"processes", result.processes},
               {"epochs", result.training.epochs.size()},
               {"best_epoch", result.training.best_epoch},
               {"sessions", result.train_sessions},
               {"documents", result.train_documents}};
  double seconds = 0;
  for (const EpochResult& epoch : result.training.epochs) seconds += epoch.seconds;
  json["seconds"] = total_seconds(result);
  json["cpu_seconds"] = result.cpu_seconds;
  json["sessions_per_second"] = static_cast<double>(result.train_sessions) *
                                static_cast<double>(result.training.epochs.size()) / seconds;
  if (result.peak_memory)
    json["peak_memory_megabytes"] = static_cast<double>(*result.peak_memory) / 1e6;
  for (const TrainingResult& stage : result.earlier_stages)
    json["earlier_stages"].push_back({{"name", stage.epochs.front().stage},
                                      {"epochs", stage.epochs.size()},
                                      {"best_epoch", stage.best_epoch},
                                      {"seconds", stage.seconds}});
  if (result.train) json["train"] = split_json(*result.train);
  if (result.valid) json["valid"] = split_json(*result.valid);
  if (result.test) json["test"] = split_json(*result.test);
  if (result.ranking) json["test"]["ranking"] = ranking_json(*result.ranking);
  if (result.policy_ranking) json["logging_policy"] = ranking_json(*result.policy_ranking);
  if (result.position_bias) json["position_bias"] = position_bias_json(result);
  if (!result.true_examination.empty())
    json["truth"] = {{"examination_per_rank", result.true_examination}};
  return json.dump(2) + "\n";
}

Report run_report(const RunResult& result) {
  Report report;
  report.title = result.title;
  report.summary = fmt::format(
      "{}: {} sessions, {} documents; {} epochs in {}, the best is number {}. Seed {}, ultr {}.",
      result.model_type, result.train_sessions, result.train_documents,
      result.training.epochs.size(), format_duration(total_seconds(result)),
      result.training.best_epoch, result.seed, version());
  ReportFigure curves;
  for (const TrainingResult& stage : result.earlier_stages)
    curves.charts.push_back(learning_curve(stage, stage.epochs.front().stage));
  curves.charts.push_back(learning_curve(
      result.training, result.earlier_stages.empty() ? "Learning curve" : result.model_type));
  report.sections.push_back({"Results", {click_table(result), curves}});
  if (result.last_split().conditional.documents() > 0) add_click_sections(result, report);
  if (result.position_bias) {
    std::string caption = result.position_bias->additive
                              ? "What a rank adds to the logit of a click, beside the first."
                              : "What a rank multiplies clicks by, beside the first.";
    if (have_one_scale(result))
      caption += fmt::format(" The mean squared error is {:.4g}.",
                             mean_squared_error(*result.position_bias, *result.true_position_bias));
    report.sections.push_back(
        {"Position bias",
         {ReportFigure{.charts = {position_bias_chart(result)}, .caption = std::move(caption)}}});
  }
  if (result.ranking) report.sections.push_back({"Ranking", {ranking_table(*result.ranking)}});
  ReportSection configuration{"Configuration", {}};
  for (const std::string& note : result.notes) configuration.blocks.emplace_back(ReportText{note});
  configuration.blocks.emplace_back(ReportDetails{"config.yaml", result.config});
  report.sections.push_back(std::move(configuration));
  return report;
}

}  // namespace ultr
