#include "studies/tuning_output.h"

#include <cmath>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/text/json_number.h"
#include "report/table.h"

namespace ultr {
namespace {

std::vector<std::string> header_of(const TuningStage& stage) {
  std::vector<std::string> header = {variant_axis};
  for (const auto* names : {&stage.per, &stage.options})
    header.insert(header.end(), names->begin(), names->end());
  header.push_back(stage.by);
  return header;
}

/// Returns the cells of a place and a candidate, and its result.
std::vector<ReportCell> row_of(const TuningStage& stage, const TunedOptions& tuned,
                               const TuningCandidate& candidate) {
  std::vector<ReportCell> row;
  const auto add = [&](const std::string& axis, const StudyCoordinates& values) {
    const std::string* const value = value_on(axis, values);
    row.emplace_back(value == nullptr || value->empty() ? "-" : *value);
  };
  add(variant_axis, tuned.place);
  for (const std::string& axis : stage.per) add(axis, tuned.place);
  for (const std::string& option : stage.options) add(option, candidate.options);
  const double mean = candidate.result.mean;
  row.emplace_back(std::isfinite(mean) ? fmt::format("{:.6g}", mean) : "-");
  return row;
}

nlohmann::ordered_json json_of(const StudyCoordinates& values) {
  nlohmann::ordered_json json = nlohmann::ordered_json::object();
  for (const auto& [name, value] : values) json[name] = value;
  return json;
}

nlohmann::ordered_json json_of(const TuningStage& stage, const std::vector<TunedOptions>& tuned) {
  nlohmann::ordered_json json = {{"by", stage.by},
                                 {"best", stage.highest ? "highest" : "lowest"},
                                 {"seeds", stage.grid.values_of(seed_axis)},
                                 {"places", nlohmann::ordered_json::array()}};
  if (!stage.of.empty()) {
    json["of"] = stage.of;
    json["adopted_by"] = stage.adopters;
  }
  for (const TunedOptions& place : tuned) {
    nlohmann::ordered_json candidates = nlohmann::ordered_json::array();
    for (const TuningCandidate& candidate : place.candidates) {
      nlohmann::ordered_json by_seed = nlohmann::ordered_json::object();
      for (const auto& [seed, value] : candidate.result.by_seed) by_seed[seed] = json_number(value);
      candidates.push_back({{"options", json_of(candidate.options)},
                            {"mean", json_number(candidate.result.mean)},
                            {"by_seed", by_seed}});
    }
    json["places"].push_back({{"place", json_of(place.place)},
                              {"chosen", json_of(place.chosen().options)},
                              {"candidates", candidates}});
  }
  return json;
}

}  // namespace

ReportTable tuning_table(const TuningStage& stage, const std::vector<TunedOptions>& tuned) {
  ReportTable table{.header = header_of(stage), .rows = {}};
  table.header.emplace_back("candidates");
  for (const TunedOptions& place : tuned) {
    table.rows.push_back(row_of(stage, place, place.chosen()));
    if (!stage.of.empty()) table.rows.back().front().text += " for all";
    table.rows.back().emplace_back(fmt::format("{}", place.candidates.size()));
  }
  table.caption = fmt::format("Options with the {} {}, the mean over seeds {}.",
                              stage.highest ? "highest" : "lowest", stage.by,
                              fmt::join(stage.grid.values_of(seed_axis), ", "));
  if (!stage.of.empty())
    table.caption += fmt::format(
        " Those of {} hold for all variants that are tuned, but where a later stage tunes them.",
        stage.of);
  return table;
}

ReportTable candidates_table(const TuningStage& stage, const std::vector<TunedOptions>& tuned) {
  ReportTable table{.header = header_of(stage), .rows = {}, .folded_under = "All candidates"};
  table.header.emplace_back("");
  for (const TunedOptions& place : tuned)
    for (const TuningCandidate& candidate : place.candidates) {
      table.rows.push_back(row_of(stage, place, candidate));
      table.rows.back().push_back(&candidate == &place.chosen() ? marked_cell("chosen", Mark::good)
                                                                : ReportCell(""));
    }
  return table;
}

nlohmann::ordered_json tuning_json(const std::vector<TuningStage>& stages,
                                   const std::vector<std::vector<TunedOptions>>& tuned) {
  if (stages.size() == 1) return json_of(stages.front(), tuned.front());
  nlohmann::ordered_json json = nlohmann::ordered_json::array();
  for (std::size_t s = 0; s < stages.size(); ++s) json.push_back(json_of(stages[s], tuned[s]));
  return json;
}

std::string stage_title(std::string_view what, std::size_t stage, std::size_t stages) {
  return stages == 1 ? std::string(what)
                     : fmt::format("{}, stage {} of {}", what, stage + 1, stages);
}

}  // namespace ultr
