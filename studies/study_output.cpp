#include "studies/study_output.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <nlohmann/json.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/duration.h"
#include "base/json_number.h"
#include "base/version.h"
#include "metrics/seed_summary.h"
#include "report/text_table.h"

namespace ultr {
namespace {

using StudyJson = nlohmann::ordered_json;

const char* to_string(ExpectationStatus status) {
  constexpr std::array<const char*, 4> names = {"held", "failed", "not run", "unknown"};
  return names[static_cast<std::size_t>(status)];
}

std::string shown_number(double value) {
  return std::isfinite(value) ? fmt::format("{:.5g}", value) : "-";
}

std::string shown_comparison(const StudyComparison& made) {
  std::vector<std::string> sides;
  for (const double value : made.values) sides.push_back(shown_number(value));
  std::string text = sides.front();
  for (std::size_t i = 1; i < sides.size(); ++i)
    text += fmt::format(" {} {}", made.orders[i - 1], sides[i]);
  if (made.corrected_p)
    text +=
        *made.corrected_p < 1e-4 ? ", p < 0.0001" : fmt::format(", p = {:.4f}", *made.corrected_p);
  return made.scope.empty() ? text : text + " at " + made.scope;
}

/// The points that differ in their seed alone.
struct Place {
  std::size_t variant = 0;
  StudyCoordinates coordinates;
  std::vector<std::size_t> points;
};

std::vector<Place> places_of(std::span<const StudyPoint> points) {
  std::vector<Place> places;
  for (std::size_t p = 0; p < points.size(); ++p) {
    const auto same = std::find_if(places.begin(), places.end(), [&](const Place& place) {
      return place.variant == points[p].variant && place.coordinates == points[p].coordinates;
    });
    if (same == places.end())
      places.push_back({points[p].variant, points[p].coordinates, {p}});
    else
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

StudyJson json_of_place(const StudyOutcome& outcome, const Place& place) {
  const StudyVariant& variant = outcome.study.grid.variants[place.variant];
  StudyJson json = {{"variant", variant.name.empty() ? StudyJson() : StudyJson(variant.name)},
                    {"axes", StudyJson::object()},
                    {"runs", StudyJson::array()},
                    {"measures", StudyJson::object()}};
  for (const auto& [axis, value] : place.coordinates) json["axes"][axis] = value;
  for (const std::size_t p : place.points) {
    const RunResults& run = outcome.runs[p];
    json["runs"].push_back(
        {{"folder", outcome.points[p].folder},
         {"seed", run.seed},
         {"failure", run.failure.empty() ? StudyJson() : StudyJson(run.failure)}});
  }
  for (const StudyMeasure& measure : outcome.study.measures)
    json["measures"][measure.name] = json_of_cell(outcome.table.cell(measure, place.points));
  return json;
}

StudyJson json_of_expectation(const StudyExpectation& expectation,
                              const ExpectationResult& result) {
  StudyJson json = {{"that", expectation.claim.text},
                    {"why", expectation.why},
                    {"verdict", to_string(result.status)},
                    {"comparisons", StudyJson::array()}};
  for (const StudyComparison& made : result.comparisons) {
    StudyJson comparison = {{"that", made.claim},
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
  ReportTable table{.header = {"expectation"}, .rows = {}};
  if (with_reasons) table.header.emplace_back("why");
  table.header.insert(table.header.end(), {"verdict", "numbers"});
  for (std::size_t i = 0; i < outcome.expectations.size(); ++i) {
    const StudyExpectation& expectation = outcome.study.expectations[i];
    const ExpectationResult& result = outcome.expectations[i];
    std::vector<std::string>& row = table.rows.emplace_back();
    row.push_back(expectation.claim.text);
    if (with_reasons) row.push_back(expectation.why);
    row.emplace_back(to_string(result.status));
    row.push_back(shown_comparisons(result));
  }
  return table;
}

ReportTable measures_table(const StudyOutcome& outcome) {
  const Study& study = outcome.study;
  ReportTable table{.header = {}, .rows = {}};
  const bool variants = study.grid.variants.size() > 1 || !study.grid.variants[0].name.empty();
  if (variants) table.header.emplace_back("variant");
  std::vector<std::string> axes;
  for (const std::string& axis : study.grid.axis_names())
    if (axis != seed_axis) axes.push_back(axis);
  table.header.insert(table.header.end(), axes.begin(), axes.end());
  table.header.emplace_back("runs");
  std::vector<const StudyMeasure*> measures;
  const std::vector<Place> places = places_of(outcome.points);
  for (const StudyMeasure& measure : study.measures) {
    const bool single = std::any_of(places.begin(), places.end(), [&](const Place& place) {
      const StudyCell cell = outcome.table.cell(measure, place.points);
      return !cell.list && !cell.by_seed.empty();
    });
    if (!single) continue;
    measures.push_back(&measure);
    table.header.push_back(measure.label);
  }
  for (const Place& place : places) {
    std::vector<std::string>& row = table.rows.emplace_back();
    if (variants) row.push_back(study.grid.variants[place.variant].name);
    for (const std::string& axis : axes) {
      const std::string* const value = value_on(axis, place.coordinates);
      row.push_back(value == nullptr ? "-" : *value);
    }
    row.push_back(fmt::format("{}", place.points.size()));
    for (const StudyMeasure* measure : measures) {
      const StudyCell cell = outcome.table.cell(*measure, place.points);
      const SeedSummary found = over_seeds(cell.list ? StudyCell() : cell, 0);
      row.push_back(shown_number(found.mean));
      if (found.interval)
        row.back() += fmt::format(" [{}, {}]", shown_number(found.interval->lower),
                                  shown_number(found.interval->upper));
    }
  }
  table.caption = "Means over seeds with 95% bootstrap intervals.";
  return table;
}

ReportTable runs_of(const StudyOutcome& outcome) {
  ReportTable table{.header = {"run", "folder", "result"}, .rows = {}};
  for (std::size_t p = 0; p < outcome.points.size(); ++p)
    table.rows.push_back(
        {outcome.points[p].name, outcome.points[p].folder,
         outcome.runs[p].failure.empty() ? "finished" : "failed: " + outcome.runs[p].failure});
  return table;
}

std::string escaped_markdown(const std::string& text) {
  std::string escaped;
  for (const char c : text) {
    if (c == '|') escaped += '\\';
    escaped += c == '\n' ? ' ' : c;
  }
  return escaped;
}

std::string counts(const StudyOutcome& outcome) {
  std::vector<std::string> parts;
  for (const ExpectationStatus status : {ExpectationStatus::held, ExpectationStatus::failed,
                                         ExpectationStatus::unknown, ExpectationStatus::not_run}) {
    const auto count =
        std::count_if(outcome.expectations.begin(), outcome.expectations.end(),
                      [&](const ExpectationResult& result) { return result.status == status; });
    if (count > 0) parts.push_back(fmt::format("{} {}", count, to_string(status)));
  }
  return parts.empty() ? "none" : fmt::format("{}", fmt::join(parts, ", "));
}

}  // namespace

std::string shown_comparisons(const ExpectationResult& result) {
  if (!result.note.empty()) return result.note;
  std::vector<const StudyComparison*> ordered;
  for (const bool held : {false, true})
    for (const StudyComparison& made : result.comparisons)
      if (made.held == held) ordered.push_back(&made);
  constexpr std::size_t most = 3;
  std::vector<std::string> shown;
  for (std::size_t i = 0; i < std::min(most, ordered.size()); ++i)
    shown.push_back(shown_comparison(*ordered[i]));
  if (ordered.size() > most) shown.push_back(fmt::format("{} more", ordered.size() - most));
  return fmt::format("{}", fmt::join(shown, "; "));
}

std::string expectations_text(const StudyOutcome& outcome) {
  if (outcome.expectations.empty()) return "";
  return fmt::format("{}\nexpectations: {}\n",
                     render_text_table(expectations_table(outcome, false)), counts(outcome));
}

std::string expectations_markdown(const StudyOutcome& outcome) {
  std::string text;
  for (std::size_t i = 0; i < outcome.expectations.size(); ++i)
    text += fmt::format("| `{}` | {} | `{}` | {} | {} |\n", outcome.study.name,
                        escaped_markdown(outcome.study.paper),
                        escaped_markdown(outcome.study.expectations[i].claim.text),
                        to_string(outcome.expectations[i].status),
                        escaped_markdown(shown_comparisons(outcome.expectations[i])));
  return text;
}

std::string study_json(const StudyOutcome& outcome) {
  StudyJson json = {{"study", outcome.study.name},          {"title", outcome.study.title},
                    {"paper", outcome.study.paper},         {"version", version()},
                    {"overrides", outcome.study.overrides}, {"seconds", outcome.seconds},
                    {"points", StudyJson::array()},         {"expectations", StudyJson::array()}};
  for (const Place& place : places_of(outcome.points))
    json["points"].push_back(json_of_place(outcome, place));
  for (std::size_t i = 0; i < outcome.expectations.size(); ++i)
    json["expectations"].push_back(
        json_of_expectation(outcome.study.expectations[i], outcome.expectations[i]));
  return json.dump(2, ' ', false, StudyJson::error_handler_t::replace) + "\n";
}

Report study_report(const StudyOutcome& outcome, const std::string& study_text) {
  const Study& study = outcome.study;
  Report report;
  report.title = study.title;
  const auto failed = std::count_if(outcome.runs.begin(), outcome.runs.end(),
                                    [](const RunResults& run) { return !run.failure.empty(); });
  report.summary = fmt::format("{}{} runs{} in {}; expectations: {}. ultr {}.",
                               study.paper.empty() ? "" : study.paper + ". ", outcome.runs.size(),
                               failed == 0 ? "" : fmt::format(", {} failed,", failed),
                               format_duration(outcome.seconds), counts(outcome), version());
  if (!study.expectations.empty())
    report.sections.push_back({"Expectations", {expectations_table(outcome, true)}});
  for (std::size_t f = 0; f < study.figures.size(); ++f)
    report.sections.push_back(
        {study.figures[f].title.empty() ? study.figures[f].name : study.figures[f].title,
         outcome.pictures[f].blocks});
  if (!study.measures.empty()) report.sections.push_back({"Measures", {measures_table(outcome)}});
  report.sections.push_back({"Runs", {runs_of(outcome)}});
  report.sections.push_back({"Study", {ReportDetails{"study.yaml", study_text}}});
  return report;
}

}  // namespace ultr
