#include "commands/command_table.h"

#include <algorithm>
#include <optional>

#include <fmt/core.h>

#include "base/log.h"
#include "base/progress_bar.h"
#include "base/standard_output.h"
#include "base/threads/thread_limit.h"
#include "commands/single_configuration.h"
#include "options/config_tree.h"
#include "options/read.h"
#include "runs/data_task.h"

namespace ultr {
namespace {

/// An analysis of the registry as a command: `CONFIG [KEY=VALUE ...]` names the data, the seed and
/// the threads, options set the other fields of the analysis. Prints the text of its results, with
/// progress on standard error, and writes its files into a new or empty folder if there is an
/// `output`.
class ConfiguredTask final : public Task {
 public:
  /// `type` is that of a DataTask. `defaults` has the fields whose defaults differ from those of
  /// the analysis, in YAML.
  ConfiguredTask(const OptionType& type, const std::string& defaults)
      : options_(type.make()), task_(&dynamic_cast<DataTask&>(*options_)) {
    read_options(parse_config(defaults, type.name), *task_);
  }

  void fields(Fields& f) override {
    f.text("config", config_, "An experiment, whose training data are read.");
    f.texts("overrides", overrides_, "Options to change, such as data.max_positions=20.");
    task_->settings(f);
    f.text("output", output_, "A new or empty folder for files; default: none are written.");
  }
  std::vector<ArgumentForm> argument_forms() const override {
    std::vector<ArgumentForm> forms = task_->argument_forms();
    forms.push_back({"output", "FOLDER"});
    return forms;
  }
  void check() const override { task_->check(); }
  TaskResults run(const TaskContext& context) override {
    ExperimentOptions options = resolve_training_data(config_, overrides_, context.registry);
    task_->data() = std::move(options.data);
    std::optional<RunDirectory> folder;
    if (!output_.empty()) folder.emplace(output_, options.name);

    const int threads = count_threads(options);
    const ThreadLimit limit(threads);
    std::optional<ProgressBars> bars(std::in_place);
    TaskResults results = task_->run({.registry = context.registry,
                                      .name = options.name,
                                      .seed = static_cast<std::uint64_t>(options.seed),
                                      .threads = threads,
                                      .progress = [&](std::string_view work, std::string_view unit,
                                                      std::uint64_t done, std::uint64_t all) {
                                        if (all == 0)
                                          log().info("{}", work);
                                        else
                                          (*bars)(work, unit, done, all);
                                      }});
    bars.reset();  // clears the terminal
    for (const std::string& note : results.notes) log().warn("{}", note);
    print_to(stdout, "{}", results.text);
    if (!folder) return results;
    folder->create();
    results.write_files(*folder);
    print_to(stdout, "{} in {}\n", results.files, folder->path().string());
    return results;
  }

 private:
  std::string config_, output_;
  std::vector<std::string> overrides_;
  std::unique_ptr<Options> options_;
  DataTask* task_;
};

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
      {"choose", "train", "Fit all click models to a log and say which to use, and why",
       make_choose, true},
      {"convert", "data", "Write data of any format as a folder of .npy columns", make_convert},
      {"simulate", "data",
       "Write the sessions or lists that a configuration makes as .npy columns or CSV",
       make_simulate},
      {"diagnose", "bias", "Say whether training sessions tell position bias from relevance",
       analysis("diagnosis")},
      {"estimate-bias", "bias", "Estimate position bias from training sessions, without a ranker",
       analysis("position_bias", "resamples: 200")},
      {"predict", "use", "Write relevance and click probabilities by a trained run, as CSV",
       make_predict, true},
      {"relevance", "use",
       "Write the relevance of all query-document pairs that a run has learned, as CSV",
       make_relevance},
      {"labels", "use",
       "Write graded labels for rankers, made of the relevance that a run has learned",
       make_labels},
      {"evaluate", "use", "Print how well a trained run ranks and predicts clicks on further files",
       make_evaluate, true},
      {"compare", "compare",
       "Compare runs: a table, and whether the differences are more than chance", make_compare},
  };
  return table;
}

}  // namespace ultr
