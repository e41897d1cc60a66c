#include "commands/command_table.h"

#include <algorithm>

#include "commands/configured_task.h"
#include "options/config_tree.h"
#include "options/read.h"

namespace ultr {
namespace {

/// Returns a maker of the command that runs an analysis on the data of a configuration. `defaults`
/// has the fields whose defaults differ from those of the analysis, in YAML.
std::function<std::unique_ptr<Task>(const Registry&)> analysis(const std::string& type,
                                                               const std::string& defaults = "") {
  return [=](const Registry& registry) {
    const std::vector<OptionType>& types = registry.analyses();
    const auto found = std::find_if(types.begin(), types.end(),
                                    [&](const OptionType& known) { return known.name == type; });
    if (found == types.end()) throw Error("there is no analysis '" + type + "'");
    return std::make_unique<ConfiguredTask>(*found, defaults);
  };
}

}  // namespace

const std::vector<Command>& command_table() {
  static const std::vector<Command> table = {
      {"train", "train", "Train a model, evaluate it and draw a report; the same as without a name",
       make_train, true},
      {"resume", "train", "Resume a run, sweep or study that was stopped; the same as --resume",
       make_resume, true},
      {"convert", "data", "Write data of any format as a folder of .npy columns", make_convert},
      {"simulate", "data",
       "Write the sessions that a configuration simulates as .npy columns or CSV", make_simulate},
      {"diagnose", "bias", "Say whether training sessions tell position bias from relevance",
       analysis("diagnosis")},
      {"estimate-bias", "bias", "Estimate position bias from training sessions, without a ranker",
       analysis("position_bias", "resamples: 200")},
      {"predict", "use", "Write relevance and click probabilities by a trained run, as CSV",
       make_predict},
      {"relevance", "use",
       "Write the relevance of all query-document pairs that a run has learned, as CSV",
       make_relevance},
      {"evaluate", "use", "Print how well a trained run ranks and predicts clicks on further files",
       make_evaluate},
      {"compare", "compare",
       "Compare runs: a table, and whether the differences are more than chance", make_compare},
  };
  return table;
}

}  // namespace ultr
