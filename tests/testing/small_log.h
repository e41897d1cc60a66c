#pragma once

#include <span>
#include <string>
#include <vector>

#include "models/model_fixture.h"
#include "sources/simulation.h"

namespace ultr::testing {

/// The data that a simulation with the given options (YAML) makes; without sessions for validation
/// and test unless they say how many.
inline ExperimentData simulate(const std::string& yaml, const DataSetting& setting = {}) {
  SimulationOptions options(registry().models());
  configure(options, "{valid_sessions: 0, test_sessions: 0}");
  configure(options, yaml);
  return options.load(setting);
}

/// A few hundred sessions in several shards, of lists that all have five documents, with made-up
/// signals.
inline ExperimentData small_simulation() {
  ExperimentData data = simulate(
      "{sessions: 900, valid_sessions: 300, test_sessions: 300, queries: 8, candidates: 7, "
      "positions: 5}");
  for (SessionLog* log : {&data.dataset.train, &data.dataset.valid, &data.dataset.test})
    *log = with_made_up_signals(*log);
  return data;
}

/// A model of a registered type for a dataset, at a start that breaks symmetry.
inline TrainableModel model_for(const std::string& type, const Dataset& dataset) {
  TrainableModel model =
      build_model(type, {.rows = dataset.dictionary.rows(),
                         .positions = static_cast<std::int64_t>(dataset.positions)});
  randomise(model, -1.5, 0.5, 7);
  return model;
}

/// All numbers of all parameters.
inline std::vector<std::vector<float>> values_of(const TrainableModel& model) {
  std::vector<std::vector<float>> values;
  for (const Parameter* parameter : model.parameters()) values.push_back(parameter->values());
  return values;
}

/// A session of a log, for comparisons.
struct LoggedSession {
  std::vector<std::uint32_t> rows;
  std::vector<std::uint16_t> positions;
  std::vector<std::uint8_t> clicks;

  friend bool operator==(const LoggedSession&, const LoggedSession&) = default;
};
inline std::vector<LoggedSession> sessions_of(const SessionLog& log) {
  std::vector<LoggedSession> sessions;
  for (std::size_t i = 0; i < log.sessions(); ++i) {
    const SessionView view = log[i];
    sessions.push_back({{view.rows.begin(), view.rows.end()},
                        {view.positions.begin(), view.positions.end()},
                        {view.clicks.begin(), view.clicks.end()}});
  }
  return sessions;
}

}  // namespace ultr::testing
