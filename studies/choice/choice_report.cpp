#include "studies/choice/choice_report.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/version.h"
#include "report/markup.h"
#include "runs/report_link.h"
#include "studies/choice/choice_words.h"

namespace ultr {
namespace {

std::string difference_of(const FittedModel& model) {
  if (!model.against_best) return "-";
  const SeedTest& test = *model.against_best;
  return fmt::format("{:+.5f} [{:+.5f}, {:+.5f}]", test.t_test.mean_difference, test.interval.lower,
                     test.interval.upper);
}

std::string p_of(const FittedModel& model) {
  if (!model.against_best) return "-";
  return model.corrected_p < 1e-4 ? "<0.0001" : fmt::format("{:.4f}", model.corrected_p);
}

/// Returns the icon of the verdict on model number `m`.
Mark verdict_mark(const FittedModel& model, std::size_t m) {
  if (m == 0) return Mark::chosen;
  if (!model.against_best) return Mark::missing;
  return model.as_good ? Mark::even : Mark::bad;
}

std::vector<std::string> how_to_read(const ModelChoice& choice) {
  std::vector<std::string> texts = {fmt::format(
      "cond_ppl is the perplexity of the {} validation sessions given the clicks above, ppl that "
      "without them; lower is better. The difference is that of the log-likelihood to the best "
      "model, averaged for each of the {}, with a 95% interval; p is of a two-sided paired t-test, "
      "corrected for {} tests (Bonferroni). A model is as good if p is at least 0.05.",
      group_digits(choice.sessions), choice.pairs_name(),
      std::max<std::size_t>(choice.models.size(), 1) - 1)};
  texts.emplace_back(
      "Relevance: whether the model tells documents apart, free of the rank at which they were "
      "shown.");
  return texts;
}

/// Returns the table of a pattern: a column of what was observed, and one per model.
ReportTable pattern_table(const ModelChoice& choice, std::size_t p) {
  const ClickPattern& pattern = click_patterns()[p];
  ReportTable table{.header = {std::string(pattern.axis), "cases", "observed"}, .rows = {}};
  for (const FittedModel& model : choice.models) table.header.push_back(model.type);
  const auto rate = [&](const ClickPatternCounts& counts, std::size_t i) {
    return i < counts[p].size() ? number_or_dash(counts[p][i].rate()) : std::string("-");
  };
  for (std::size_t i = 0; i < choice.observed[p].size(); ++i) {
    auto& row = table.rows.emplace_back(std::vector<ReportCell>{
        pattern.label(i), group_digits(choice.observed[p][i].cases), rate(choice.observed, i)});
    for (const FittedModel& model : choice.models) row.emplace_back(rate(model.patterns, i));
  }
  auto& gaps = table.rows.emplace_back(std::vector<ReportCell>{"mean gap", "", ""});
  for (const FittedModel& model : choice.models)
    gaps.emplace_back(number_or_dash(mean_gap(choice.observed[p], model.patterns[p])));
  table.folded_under = fmt::format("Numbers of all models: {}", pattern.title);
  return table;
}

Series series_of(std::string label, const EventRates& rates, int first) {
  Series series{.label = std::move(label), .x = std::vector<double>(rates.size())};
  std::iota(series.x.begin(), series.x.end(), first);
  for (const EventRate& rate : rates) series.y.push_back(rate.rate());
  series.markers = true;
  return series;
}

/// Returns the numbers of the models that charts show: those to use, the next that is worse, and
/// the others in their order, up to six.
std::vector<std::size_t> shown_models(const ModelChoice& choice) {
  std::vector<std::size_t> shown;
  const auto add = [&](std::optional<std::size_t> m) {
    if (m && shown.size() < 6 && std::ranges::count(shown, *m) == 0) shown.push_back(*m);
  };
  add(choice.for_prediction);
  add(choice.for_relevance);
  for (std::size_t m = 0; m < choice.models.size(); ++m)
    if (!choice.models[m].as_good) {
      add(m);
      break;
    }
  for (std::size_t m = 0; m < choice.models.size(); ++m) add(m);
  std::ranges::sort(shown);
  return shown;
}

Chart pattern_chart(const ModelChoice& choice, std::size_t p) {
  const ClickPattern& pattern = click_patterns()[p];
  Chart chart{.title = std::string(pattern.title)};
  chart.x = {.label = std::string(pattern.axis), .integer = true};
  chart.y = {.label = "share", .include_zero = true};
  Series observed = series_of("observed", choice.observed[p], pattern.first);
  for (const EventRate& rate : choice.observed[p]) {
    const double r = rate.rate();
    const double spread = 1.96 * std::sqrt(r * (1 - r) / static_cast<double>(rate.cases));
    observed.low.push_back(r - spread);
    observed.high.push_back(r + spread);
  }
  observed.line = LineStyle::none;
  observed.color = SeriesColor::black;
  chart.series.push_back(std::move(observed));
  for (const std::size_t m : shown_models(choice))
    chart.series.push_back(
        series_of(choice.models[m].type, choice.models[m].patterns[p], pattern.first));
  use_log_axis(chart);
  return chart;
}

Chart examination_chart(const ModelChoice& choice) {
  const std::size_t first = choice.first_shown();
  const std::string relative = fmt::format("relative to rank {}", first + 1);
  Chart chart{.title = "Examination by rank, " + relative};
  chart.x = {.label = "rank", .integer = true};
  chart.y = {.label = relative, .include_zero = true};
  const auto add = [&](std::string label, const std::vector<double>& values) -> Series& {
    Series series{.label = std::move(label), .x = std::vector<double>(values.size())};
    std::iota(series.x.begin(), series.x.end(), 1.0);
    for (const double value : values) series.y.push_back(value / values.at(first));
    series.markers = true;
    return chart.series.emplace_back(std::move(series));
  };
  if (choice.examination && first == 0) {  // the estimate is relative to rank 1
    Series& estimate = add("all_pairs, 99.7% intervals", choice.examination->estimated);
    for (const auto& interval : choice.examination->intervals) {
      estimate.low.push_back(interval ? interval->lower : std::nan(""));
      estimate.high.push_back(interval ? interval->upper : std::nan(""));
    }
    estimate.line = LineStyle::none;
    estimate.color = SeriesColor::black;
  }
  for (const std::size_t m : shown_models(choice))
    if (!choice.models[m].examination.empty())
      add(choice.models[m].type, choice.models[m].examination);
  use_log_axis(chart);
  return chart;
}

DotPlot perplexity_plot(const ModelChoice& choice) {
  DotPlot plot{.title = "Perplexity by model",
               .x = {.label = "cond_ppl of validation sessions (lower is better)"}};
  for (std::size_t m = 0; m < choice.models.size(); ++m)
    plot.dots.push_back({.label = choice.models[m].type,
                         .value = choice.models[m].cond_ppl,
                         .mark = choice_verdict(choice, m),
                         .emphasized = m == choice.for_prediction});
  leave_out_far_values(plot);
  return plot;
}

ReportTable assumptions_table(const ModelChoice& choice, const std::filesystem::path& folder) {
  ReportTable table{.header = {"model", "assumption"}, .rows = {}};
  for (const FittedModel& model : choice.models)
    table.rows.push_back({linked_cell(model.type, report_link(model.folder, folder)), model.help});
  return table;
}

/// Returns the table of models for a page: each links to its run, and the verdict is beside the
/// perplexities.
ReportTable page_table(const ModelChoice& choice, const std::filesystem::path& folder) {
  ReportTable table = choice_table(choice);
  for (std::size_t m = 0; m < table.rows.size(); ++m)
    table.rows[m].front().link = report_link(choice.models[m].folder, folder);
  const auto verdict = std::ranges::find(table.header, "verdict") - table.header.begin();
  move_column(table, static_cast<std::size_t>(verdict), 2);
  return table;
}

ReportText paragraphs(const std::vector<std::string>& texts, Mark mark = Mark::none) {
  return {fmt::format("{}", fmt::join(texts, "\n\n")), mark};
}

ReportTable refused_table(const ModelChoice& choice) {
  ReportTable table{.header = {"model", "reason"}, .rows = {}};
  for (const RefusedModel& model : choice.refused) table.rows.push_back({model.type, model.reason});
  return table;
}

}  // namespace

std::string choice_verdict(const ModelChoice& choice, std::size_t m) {
  const FittedModel& model = choice.models[m];
  return m == 0 ? "best" : !model.against_best ? "not tested" : model.as_good ? "as good" : "worse";
}

ReportTable choice_table(const ModelChoice& choice) {
  const bool tested = std::ranges::any_of(
      choice.models, [](const FittedModel& model) { return model.test_cond_ppl.has_value(); });
  ReportTable table{.header = {"model", "cond_ppl", "ppl", "difference", "corrected p", "verdict",
                               "relevance", "parameters", "epochs"},
                    .rows = {}};
  if (tested) table.header.emplace_back("test cond_ppl");
  if (!choice.ranking_metric.empty()) table.header.push_back(choice.ranking_metric);
  for (std::size_t m = 0; m < choice.models.size(); ++m) {
    const FittedModel& model = choice.models[m];
    auto& row = table.rows.emplace_back(std::vector<ReportCell>{
        model.type, fmt::format("{:.5f}", model.cond_ppl), fmt::format("{:.5f}", model.ppl),
        difference_of(model), p_of(model),
        marked_cell(choice_verdict(choice, m), verdict_mark(model, m)),
        marked_cell(model.separates_relevance ? "yes" : "no",
                    model.separates_relevance ? Mark::good : Mark::missing),
        group_digits(model.parameters), fmt::format("{:.0f}", model.epochs)});
    if (tested)
      row.emplace_back(model.test_cond_ppl ? fmt::format("{:.5f}", *model.test_cond_ppl) : "-");
    if (!choice.ranking_metric.empty())
      row.emplace_back(model.ranking ? fmt::format("{:.4f}", *model.ranking) : "-");
  }
  return table;
}

Report choice_report(const ModelChoice& choice, const std::filesystem::path& folder) {
  Report report{
      .title = fmt::format("Which click model fits? {}", choice.name),
      .summary = fmt::format("{} models on {} training and {} validation sessions. ultr {}.",
                             choice.models.size(), group_digits(choice.train_sessions),
                             group_digits(choice.sessions), version()),
      .sections = {{"Choice", {paragraphs(answer_of(choice))}, Mark::chosen}}};
  if (const auto warnings = warnings_of(choice); !warnings.empty())
    report.sections.push_back({"Warnings", {paragraphs(warnings, Mark::warning)}});
  if (!choice.models.empty()) {
    report.sections.push_back({"Models",
                               {ReportDotPlot{perplexity_plot(choice)}, page_table(choice, folder),
                                paragraphs(how_to_read(choice))}});
    report.sections.push_back(
        {"What the clicks say about the users", {paragraphs(users_of(choice))}});
    ReportSection patterns{
        "Where models differ",
        {ReportText{"Clicks of the validation sessions, with 95% intervals, beside "
                    "those that each model samples for the same lists. Charts show "
                    "up to six models, tables all."}}};
    for (std::size_t p = 0; p < click_pattern_count; ++p) {
      patterns.blocks.emplace_back(
          figure_of_curves(pattern_chart(choice, p), {"model", "other models"}));
      patterns.blocks.emplace_back(pattern_table(choice, p));
    }
    report.sections.push_back(std::move(patterns));
    report.sections.push_back(
        {"Examination",
         {figure_of_curves(
             examination_chart(choice), {"model", "other models"},
             "Mean probability that the user examines a rank, beside the estimate from "
             "pairs shown at several ranks (all_pairs), which assumes that it depends on "
             "the rank alone.")}});
    report.sections.push_back({"What the models assume", {assumptions_table(choice, folder)}});
  }
  if (!choice.refused.empty()) report.sections.push_back({"Not fitted", {refused_table(choice)}});
  return report;
}

}  // namespace ultr
