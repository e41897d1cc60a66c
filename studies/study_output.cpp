#include "studies/study_output.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <nlohmann/json.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/text/formatted_number.h"
#include "base/text/json_number.h"
#include "base/version.h"
#include "metrics/seed_summary.h"
#include "report/markup.h"
#include "runs/report_link.h"
#include "studies/tuning_output.h"

namespace ultr {
namespace {

using StudyJson = nlohmann::ordered_json;

Mark mark_of(ExpectationStatus status) {
  constexpr std::array<Mark, 4> marks = {Mark::good, Mark::bad, Mark::missing, Mark::warning};
  return marks[static_cast<std::size_t>(status)];
}

std::string shown_number(double value) {
  return std::isfinite(value) ? fmt::format("{:.5g}", value) : "-";
}

std::string shown_comparison(const StudyComparison& made) {
  std::vector<std::string> sides;
  for (const double value : made.values) sides.push_back(shown_number(value));
  std::string text = sides.front();
  for (std::size_t i = 1; i < sides.size(); ++i)
    text += fmt::format(" {} {}", made.part.orders[i - 1], sides[i]);
  if (made.corrected_p)
    text +=
        *made.corrected_p < 1e-4 ? ", p < 0.0001" : fmt::format(", p = {:.4f}", *made.corrected_p);
  return made.scope.empty() ? text : text + " at " + made.scope;
}

/// The points that differ in their seed alone.
struct Place {
  StudyCoordinates coordinates;  // without the seed
  std::vector<std::size_t> points;
};

std::vector<Place> places_of(const Study& study) {
  std::vector<Place> places;
  for (std::size_t p = 0; p < study.points.size(); ++p) {
    StudyCoordinates coordinates = study.points[p].coordinates;
    coordinates.pop_back();
    auto same = std::ranges::find(places, coordinates, &Place::coordinates);
    if (same == places.end()) same = places.insert(same, Place{std::move(coordinates), {}});
    same->points.push_back(p);
  }
  return places;
}

/// Returns entry `rank`, from 0, of a cell over seeds; empty if a seed has none.
SeedSummary over_seeds(const StudyCell& cell, std::size_t rank) {
  SeedValues numbers;
  for (const auto& [seed, entries] : cell.by_seed)
    if (rank < entries.size()) numbers.emplace_back(seed, entries[rank]);
  if (numbers.size() < cell.by_seed.size()) numbers.clear();
  return summarize_seeds(std::move(numbers));
}

StudyJson json_of_cell(const StudyCell& cell) {
  StudyJson means = StudyJson::array(), intervals = StudyJson::array();
  std::size_t length = 0;
  for (const auto& [seed, entries] : cell.by_seed) length = std::max(length, entries.size());
  for (std::size_t rank = 0; rank < length; ++rank) {
    const SeedSummary summary = over_seeds(cell, rank);
    means.push_back(json_number(summary.mean));
    intervals.push_back(summary.interval
                            ? StudyJson{summary.interval->lower, summary.interval->upper}
                            : StudyJson());
  }
  StudyJson json = {{"mean", nullptr}, {"interval", nullptr}, {"by_seed", StudyJson::object()}};
  if (cell.list) {
    json["mean"] = means;
    json["interval"] = intervals;
  } else if (length == 1) {
    json["mean"] = means.front();
    json["interval"] = intervals.front();
  }
  for (const auto& [seed, entries] : cell.by_seed) {
    const StudyJson numbers = json_numbers(entries);
    json["by_seed"][seed.empty() ? "experiment" : seed] = cell.list ? numbers : numbers.front();
  }
  return json;
}

StudyJson json_of_place(const StudyTable& table, const Place& place) {
  const std::string& variant = place.coordinates.front().second;
  StudyJson json = {{"variant", variant.empty() ? StudyJson() : StudyJson(variant)},
                    {"axes", StudyJson::object()},
                    {"runs", StudyJson::array()},
                    {"measures", StudyJson::object()}};
  for (const auto& [axis, value] : place.coordinates)
    if (axis != variant_axis) json["axes"][axis] = value;
  for (const std::size_t p : place.points) {
    const RunResults& run = table.runs[p];
    json["runs"].push_back(
        {{"folder", table.study.points[p].folder},
         {"seed", run.seed},
         {"failure", run.failure.empty() ? StudyJson() : StudyJson(run.failure)}});
  }
  for (const StudyMeasure& measure : table.study.measures)
    json["measures"][measure.name] = json_of_cell(table.cell(measure, place.points));
  return json;
}

StudyJson json_of_expectation(const StudyExpectation& expectation,
                              const ExpectationResult& result) {
  StudyJson json = {{"that", expectation.claim.text},
                    {"why", expectation.why},
                    {"verdict", verdict(result.status)},
                    {"comparisons", StudyJson::array()}};
  for (const StudyComparison& made : result.comparisons) {
    StudyJson comparison = {{"that", made.part.text},
                            {"at", made.scope},
                            {"values", json_numbers(made.values)},
                            {"held", made.held}};
    if (made.corrected_p) comparison["corrected_p"] = *made.corrected_p;
    json["comparisons"].push_back(std::move(comparison));
  }
  if (!result.note.empty()) json["note"] = result.note;
  return json;
}

ReportTable expectations_table(const StudyOutcome& outcome, bool with_reasons) {
  ReportTable table{.header = {"expectation", "verdict", "numbers"}, .rows = {}};
  if (with_reasons) table.header.emplace_back("why");
  for (std::size_t i = 0; i < outcome.expectations.size(); ++i) {
    const StudyExpectation& expectation = outcome.study.expectations[i];
    const ExpectationResult& result = outcome.expectations[i];
    std::vector<ReportCell>& row = table.rows.emplace_back();
    row.emplace_back(expectation.claim.text);
    row.push_back(marked_cell(verdict(result.status), mark_of(result.status)));
    row.emplace_back(shown_comparisons(result));
    if (with_reasons) row.emplace_back(expectation.why);
  }
  return table;
}

ReportTable measures_table(const StudyTable& results) {
  const Study& study = results.study;
  const std::vector<Place> places = places_of(study);
  std::vector<std::string> axes = study.grid.axis_names();
  std::erase(axes, seed_axis);
  const bool variants = study.grid.variants.size() > 1 || !study.grid.variants[0].name.empty();
  if (variants) axes.insert(axes.begin(), variant_axis);
  ReportTable table{
      .header = axes, .rows = {}, .caption = "Means over seeds with 95% bootstrap intervals."};
  table.header.emplace_back("runs");
  for (const Place& place : places) {
    std::vector<ReportCell>& row = table.rows.emplace_back();
    for (const std::string& axis : axes) {
      const std::string* const value = value_on(axis, place.coordinates);
      row.emplace_back(value == nullptr ? "-" : *value);
    }
    row.emplace_back(fmt::format("{}", place.points.size()));
  }
  for (const StudyMeasure& measure : study.measures) {
    std::vector<StudyCell> cells;
    for (const Place& place : places) cells.push_back(results.cell(measure, place.points));
    if (std::ranges::all_of(cells, [](const StudyCell& c) { return c.list || c.by_seed.empty(); }))
      continue;
    table.header.push_back(measure.label);
    for (std::size_t i = 0; i < cells.size(); ++i) {
      const SeedSummary found = over_seeds(cells[i].list ? StudyCell() : cells[i], 0);
      std::string& shown = table.rows[i].emplace_back(shown_number(found.mean)).text;
      if (found.interval)
        shown += fmt::format(" [{}, {}]", shown_number(found.interval->lower),
                             shown_number(found.interval->upper));
    }
  }
  return table;
}

ReportTable runs_of(const StudyTable& results, const std::filesystem::path& folder) {
  ReportTable table{.header = {"run", "result", "folder"}, .rows = {}};
  for (std::size_t p = 0; p < results.runs.size(); ++p) {
    const StudyPoint& point = results.study.points[p];
    const std::string& failure = results.runs[p].failure;
    table.rows.push_back({linked_cell(point.name, report_link(folder / point.folder, folder)),
                          failure.empty() ? marked_cell("finished", Mark::good)
                                          : marked_cell("failed: " + failure, Mark::bad),
                          point.folder});
  }
  return table;
}

std::string counts(const StudyOutcome& outcome) {
  std::vector<std::string> parts;
  for (const ExpectationStatus status : {ExpectationStatus::held, ExpectationStatus::failed,
                                         ExpectationStatus::unknown, ExpectationStatus::not_run})
    if (const auto count =
            std::ranges::count(outcome.expectations, status, &ExpectationResult::status))
      parts.push_back(fmt::format("{} {}", count, verdict(status)));
  return parts.empty() ? "none" : fmt::format("{}", fmt::join(parts, ", "));
}

}  // namespace

const char* verdict(ExpectationStatus status) {
  constexpr std::array<const char*, 4> names = {"held", "failed", "not run", "unknown"};
  return names[static_cast<std::size_t>(status)];
}

std::string shown_comparisons(const ExpectationResult& result) {
  if (!result.note.empty()) return result.note;
  std::vector<StudyComparison> ordered = result.comparisons;
  std::ranges::stable_partition(ordered, std::logical_not<>(), &StudyComparison::held);
  constexpr std::size_t most = 3;
  std::vector<std::string> shown;
  for (std::size_t i = 0; i < std::min(most, ordered.size()); ++i)
    shown.push_back(shown_comparison(ordered[i]));
  if (ordered.size() > most) shown.push_back(fmt::format("{} more", ordered.size() - most));
  return fmt::format("{}", fmt::join(shown, "; "));
}

std::string expectations_text(const StudyOutcome& outcome) {
  if (outcome.expectations.empty()) return "";
  return fmt::format("{}\nexpectations: {}\n",
                     render_text_table(expectations_table(outcome, false)), counts(outcome));
}

std::string study_json(const StudyOutcome& outcome) {
  StudyJson json = {{"study", outcome.study.name},          {"title", outcome.study.title},
                    {"paper", outcome.study.paper},         {"version", version()},
                    {"overrides", outcome.study.overrides}, {"seconds", outcome.seconds},
                    {"points", StudyJson::array()},         {"expectations", StudyJson::array()}};
  for (const Place& place : places_of(outcome.study))
    json["points"].push_back(json_of_place(outcome, place));
  if (!outcome.study.tuning.empty())
    json["tuning"] = tuning_json(outcome.study.tuning, outcome.tuned);
  for (std::size_t i = 0; i < outcome.expectations.size(); ++i)
    json["expectations"].push_back(
        json_of_expectation(outcome.study.expectations[i], outcome.expectations[i]));
  return json.dump(2, ' ', false, StudyJson::error_handler_t::replace) + "\n";
}

Report study_report(const StudyOutcome& outcome, const std::string& study_text,
                    const std::filesystem::path& folder) {
  const Study& study = outcome.study;
  Report report;
  report.title = study.title;
  const auto failed = std::ranges::count_if(
      outcome.runs, [](const RunResults& run) { return !run.failure.empty(); });
  report.summary = fmt::format("{}{}{} runs{} in {}; expectations: {}. ultr {}.",
                               study.paper.empty() ? "" : study.paper + ". ",
                               study.fresh == 0 ? "" : fmt::format("Fresh run {}. ", study.fresh),
                               group_digits(outcome.runs.size()),
                               failed == 0 ? "" : fmt::format(", {} failed,", failed),
                               format_duration(outcome.seconds), counts(outcome), version());
  if (!study.expectations.empty())
    report.sections.push_back({"Expectations", {expectations_table(outcome, true)}});
  for (std::size_t f = 0; f < study.figures.size(); ++f)
    report.sections.push_back(
        {study.figures[f].title.empty() ? study.figures[f].name : study.figures[f].title,
         outcome.pictures[f].blocks});
  for (std::size_t s = 0; s < study.tuning.size(); ++s)
    report.sections.push_back({stage_title("Tuning", s, study.tuning.size()),
                               {tuning_table(study.tuning[s], outcome.tuned[s]),
                                candidates_table(study.tuning[s], outcome.tuned[s])}});
  if (!study.measures.empty()) report.sections.push_back({"Measures", {measures_table(outcome)}});
  report.sections.push_back({"Runs", {runs_of(outcome, folder)}});
  report.sections.push_back({"Study", {ReportDetails{"study.yaml", study_text}}});
  return report;
}

}  // namespace ultr
