#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "distributed/communicator.h"
#include "experiment/registry.h"

/// Fits all click models to a log, each as a run, and chooses.
namespace ultr {

/// In the folder of a choice: the models that could not be planned with their reasons, one per
/// line.
inline constexpr const char* choice_file = "choice.txt";

/// The models to choose from, and the experiment that each of them replaces the model of.
struct ChoiceRequest {
  std::filesystem::path config{};
  std::vector<std::string> overrides{};
  std::vector<std::string> models{};  // types; empty: all of the registry
  std::string output{};               // the folder; empty: as the configuration says
  std::int64_t at_once = 0;           // models to fit at the same time; 0: one per thread
};

/// Runs the experiment with every model, each in its own folder below that of the choice (`output`,
/// or runs/<name>/<n>), prints a line when one is done, and ends in the report, tables and
/// results.json of the choice (measure_choice). The model that the configuration names keeps its
/// options; others have their defaults. Models whose configuration or fit is refused are listed
/// with the reason. Everything is checked before a folder is created. Returns the exit code: 0, or
/// 1 if no model could be fitted. Throws ConfigError for a wrong configuration, an unknown model, a
/// ranking loss, a sweep or a study; DataError for missing files or without validation sessions;
/// Interrupted as run_planned does. Several processes share the models, and the first one reports.
int choose_models(const ChoiceRequest& request, Registry& registry,
                  Communicator* processes = nullptr);

/// Resumes a choice that was stopped, or makes the report of a finished one again. Returns and
/// throws as choose_models.
int resume_choice(const std::filesystem::path& folder, Registry& registry,
                  Communicator* processes = nullptr);

/// Prints the resolved configurations, each behind a comment that names the model. Throws as
/// choose_models does before it loads anything; creates nothing.
void print_choice(const ChoiceRequest& request, Registry& registry);

}  // namespace ultr
