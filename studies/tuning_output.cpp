#include "studies/tuning_output.h"

#include <cmath>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/text/json_number.h"
#include "report/table.h"

namespace ultr {
namespace {

std::vector<std::string> header_of(const StudyTuning& tuning) {
  std::vector<std::string> header = {variant_axis};
  for (const auto* names : {&tuning.per, &tuning.options})
    header.insert(header.end(), names->begin(), names->end());
  header.push_back(tuning.by);
  return header;
}

/// Returns the cells of a place and a candidate, and its result.
std::vector<ReportCell> row_of(const StudyTuning& tuning, const TunedOptions& tuned,
                               const TuningCandidate& candidate) {
  std::vector<ReportCell> row;
  const auto add = [&](const std::string& axis, const StudyCoordinates& values) {
    const std::string* const value = value_on(axis, values);
    row.emplace_back(value == nullptr || value->empty() ? "-" : *value);
  };
  add(variant_axis, tuned.place);
  for (const std::string& axis : tuning.per) add(axis, tuned.place);
  for (const std::string& option : tuning.options) add(option, candidate.options);
  const double mean = candidate.result.mean;
  row.emplace_back(std::isfinite(mean) ? fmt::format("{:.6g}", mean) : "-");
  return row;
}

nlohmann::ordered_json json_of(const StudyCoordinates& values) {
  nlohmann::ordered_json json = nlohmann::ordered_json::object();
  for (const auto& [name, value] : values) json[name] = value;
  return json;
}

}  // namespace

ReportTable tuning_table(const StudyTuning& tuning, const std::vector<TunedOptions>& tuned) {
  ReportTable table{.header = header_of(tuning), .rows = {}};
  table.header.emplace_back("candidates");
  for (const TunedOptions& place : tuned) {
    table.rows.push_back(row_of(tuning, place, place.chosen()));
    table.rows.back().emplace_back(fmt::format("{}", place.candidates.size()));
  }
  table.caption = fmt::format("Options with the {} {}, the mean over seeds {}.",
                              tuning.highest ? "highest" : "lowest", tuning.by,
                              fmt::join(tuning.grid.values_of(seed_axis), ", "));
  return table;
}

ReportTable candidates_table(const StudyTuning& tuning, const std::vector<TunedOptions>& tuned) {
  ReportTable table{.header = header_of(tuning), .rows = {}, .folded_under = "All candidates"};
  table.header.emplace_back("");
  for (const TunedOptions& place : tuned)
    for (const TuningCandidate& candidate : place.candidates) {
      table.rows.push_back(row_of(tuning, place, candidate));
      table.rows.back().push_back(&candidate == &place.chosen() ? marked_cell("chosen", Mark::good)
                                                                : ReportCell(""));
    }
  return table;
}

nlohmann::ordered_json tuning_json(const StudyTuning& tuning,
                                   const std::vector<TunedOptions>& tuned) {
  nlohmann::ordered_json json = {{"by", tuning.by},
                                 {"best", tuning.highest ? "highest" : "lowest"},
                                 {"seeds", tuning.grid.values_of(seed_axis)},
                                 {"places", nlohmann::ordered_json::array()}};
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

}  // namespace ultr
