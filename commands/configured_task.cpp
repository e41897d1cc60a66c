#include "commands/configured_task.h"

#include <optional>

#include <fmt/core.h>
#include <tbb/global_control.h>

#include "base/log.h"
#include "base/progress_bar.h"
#include "commands/single_configuration.h"
#include "options/config_tree.h"
#include "options/read.h"
#include "runs/single_run.h"

namespace ultr {

ConfiguredTask::ConfiguredTask(const OptionType& type, const std::string& defaults)
    : options_(type.make()), task_(&dynamic_cast<DataTask&>(*options_)) {
  read_options(parse_config(defaults, type.name), *task_);
}

void ConfiguredTask::fields(Fields& f) {
  f.text("config", config_, "An experiment, whose training data are read.");
  f.texts("overrides", overrides_, "Options to change, such as data.max_positions=20.");
  task_->settings(f);
  f.text("output", output_, "A new or empty folder for files; default: none are written.");
}

std::vector<ArgumentForm> ConfiguredTask::argument_forms() const {
  std::vector<ArgumentForm> forms = task_->argument_forms();
  forms.push_back({"output", "FOLDER"});
  return forms;
}

void ConfiguredTask::check() const { task_->check(); }

TaskResults ConfiguredTask::run(const TaskContext& context) {
  ExperimentOptions options = resolve_training_data(config_, overrides_, context.registry);
  task_->data() = std::move(options.data);
  std::optional<RunDirectory> folder;
  if (!output_.empty()) folder.emplace(output_, options.name);

  const int threads = count_threads(options);
  const tbb::global_control limit(tbb::global_control::max_allowed_parallelism,
                                  static_cast<std::size_t>(threads));
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
  fmt::print("{}", results.text);
  if (!folder) return results;
  folder->create();
  results.write_files(*folder);
  fmt::print("{} in {}\n", results.files, folder->path().string());
  return results;
}

}  // namespace ultr
