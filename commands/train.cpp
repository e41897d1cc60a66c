#include "commands/train.h"

#include <algorithm>
#include <optional>

#include <fmt/core.h>
#include <spdlog/spdlog.h>

#include "base/error.h"
#include "base/log.h"
#include "base/standard_output.h"
#include "base/threads/thread_limit.h"
#include "commands/command_table.h"
#include "data/simulation/made_up_signals.h"
#include "distributed/first_process.h"
#include "dsl/programs/model_check.h"
#include "experiment/data_options.h"
#include "experiment/experiment_options.h"
#include "experiment/resolve_options.h"
#include "experiment/shared_run_directory.h"
#include "experiment/task.h"
#include "options/config_tree.h"
#include "options/read.h"
#include "options/write.h"
#include "runs/run_analysis.h"
#include "runs/run_inputs.h"
#include "runs/train_run.h"
#include "studies/choice/choose_models.h"
#include "studies/run_study.h"
#include "studies/study.h"
#include "studies/sweep.h"
#include "training/run_checkpoints.h"
#include "training/run_files.h"

namespace ultr {
namespace {

namespace fs = std::filesystem;

/// Simulates sessions to check gradients on if the configured ones are missing.
ExperimentData simulate_a_few(const DataSetting& setting, const Registry& registry) {
  Choice simulation(registry.data(), "simulation", "format");
  read_options(parse_config("{sessions: 100, valid_sessions: 0, test_sessions: 0}", "simulation"),
               *simulation.options);
  ExperimentData data = simulation.as<DataOptions>().load(setting);
  data.dataset.train = with_made_up_signals(data.dataset.train);
  return data;
}

int report_gradients(const TrainableModel& model, const ExperimentOptions& options,
                     const SessionLog& sessions) {
  const bool words = reads_words(model);
  const std::size_t most_sessions = words ? 2 : 32;
  const std::size_t most_entries = words ? 20 : most_checked_entries;
  std::vector<std::uint32_t> some;
  for (std::size_t i = 0; i < std::min(most_sessions, sessions.sessions()); ++i)
    some.push_back(static_cast<std::uint32_t>(i));
  Shard shard;
  shard.pack(sessions, some);
  const GradientReport report =
      check_model_gradient(model, shard, options.train.mean(), most_entries);
  constexpr double tolerance = 1e-7;
  const bool agree = report.worst.error <= tolerance;
  print_to(stdout, "{}: gradients {} on {} sessions{} (tolerance {:.0e}); {}\n", model.type(),
           agree ? "agree with finite differences" : "DISAGREE with finite differences",
           some.size(),
           words ? fmt::format(", at most {} entries per parameter", most_entries) : "", tolerance,
           report.to_string());
  return agree ? 0 : 1;
}

int check_gradients(const fs::path& config, const std::vector<std::string>& overrides,
                    Registry& registry) {
  const ExperimentOptions options = resolve_options(config, overrides, registry);
  options.expect_model();
  const DataSetting setting{.seed = static_cast<std::uint64_t>(options.seed),
                            .threads = count_threads(options)};
  const ThreadLimit limit(setting.threads);
  auto& data_options = options.data.as<DataOptions>();
  std::optional<ExperimentData> data;
  try {
    options.locate_files(config.parent_path());
    data = data_options.load(setting);
  } catch (const DataError& error) {
    log().warn("{}; checking on simulated sessions instead", error.what());
    data = simulate_a_few(setting, registry);
  }
  int status = 0;
  for (const TrainableModel& stage : build_model(options, data->dataset).stages())
    status = std::max(status, report_gradients(stage, options, data->dataset.train));
  return status;
}

/// Trains, so that signals stop the run with a checkpoint, or runs an analysis, which they end at
/// once.
void run_once(ExperimentOptions& options, RunDirectory& folder, bool resume,
              Communicator* processes) {
  const ThreadLimit limit(count_threads(options));
  if (options.analysis) {
    run_in_first_process(processes, [&] {
      run_analysis(options, folder);
      return 0;
    });
    return;
  }
  std::optional<StopSignals> signals;  // until the data are gone, too: results are there by then
  std::optional<ExperimentData> data;
  run_in_all_processes(processes, [&] { data.emplace(load_data(options)); });
  if (processes != nullptr) log().info("{}: {} processes", options.name, processes->size());
  train_and_evaluate(options, *data, folder,
                     {.stop = [&] { return signals->received(); },
                      .starts = [&] { signals.emplace(); },
                      .resume = resume,
                      .processes = processes});
}

}  // namespace

int run_experiment(const fs::path& config, const std::vector<std::string>& overrides, Action action,
                   Registry& registry, Communicator* processes) {
  bool study = false;
  std::vector<SweepPoint> grid;
  run_in_all_processes(processes, [&] {
    study = is_study(read_config(config));
    if (study && action == Action::check_gradients)
      throw ConfigError(fmt::format("{}: is a study; expected an experiment to check gradients of",
                                    config.string()));
    if (!study) grid = sweep_grid(overrides);
  });
  const auto in_first = [&](const std::function<void()>& print) {
    return run_in_first_process(processes, [&] {
      print();
      return 0;
    });
  };
  if (study) {
    if (action == Action::run) return run_study(config, overrides, registry, processes);
    return in_first([&] { print_study(config, overrides, registry); });
  }
  if (action == Action::check_gradients) {
    return run_in_first_process(processes, [&] {
      int code = 0;
      for (const SweepPoint& point : grid)
        code = std::max(code, check_gradients(config, point.overrides, registry));
      return code;
    });
  }
  if (grid.size() > 1) {
    if (action == Action::run) return run_sweep(config, grid, registry, processes);
    return in_first([&] { print_sweep(config, grid, registry); });
  }

  std::optional<ExperimentOptions> resolved;
  run_in_all_processes(processes, [&] {
    resolved.emplace(resolve_options(config, grid.front().overrides, registry));
  });
  ExperimentOptions& options = *resolved;
  if (processes != nullptr && options.train.partitions == 0)
    options.train.partitions = processes->size();
  RunDirectory folder =
      make_for_all(processes, [&] { return RunDirectory(options.output, options.name); });
  run_in_all_processes(processes, [&] { options.locate_files(config.parent_path()); });
  if (action == Action::dry_run) {
    if (!options.analysis) run_in_all_processes(processes, [&] { expect_trainable(options); });
    print_to(stdout, "{}", write_options(options));
    return 0;
  }
  run_once(options, folder, false, processes);
  return 0;
}

int resume_experiment(const fs::path& folder, Registry& registry, Communicator* processes) {
  std::error_code ignored;
  const auto has = [&](const char* file) { return fs::exists(folder / file, ignored); };
  run_in_all_processes(processes, [&] {
    if (has(study_file) || has(choice_file) || has(sweep_file)) return;
    if (!has(config_file))
      throw DataError(
          fmt::format("{}: has no {}; expected the folder of a run or a sweep that was "
                      "stopped",
                      folder.string(), config_file));
    if (has(results_file))
      throw ConfigError(
          fmt::format("{}: is finished; expected a run that was stopped", folder.string()));
  });
  if (has(study_file)) return resume_study(folder, registry, processes);
  if (has(choice_file)) return resume_choice(folder, registry, processes);
  if (has(sweep_file)) return resume_sweep(folder, registry, processes);
  RunDirectory run = make_for_all(processes, [&] { return RunDirectory::of_run(folder); });
  std::optional<ExperimentOptions> options;
  run_in_all_processes(processes, [&] {
    if (!has_checkpoints(folder))
      throw DataError(
          fmt::format("{}: has no checkpoint; expected one to go on from", folder.string()));
    options.emplace(resolve_saved_options(folder, registry));
    options->locate_files(folder);
  });
  run_once(*options, run, true, processes);
  if (is_first_process(processes))
    fs::remove(folder / failure_file, ignored);  // of a sweep in which it failed
  return 0;
}

namespace {

/// The command `train`, which may be left out.
class TrainTask final : public Task {
 public:
  void fields(Fields& f) override {
    f.text("config", config_, "The experiment or study, a YAML file.");
    f.texts("overrides", overrides_, "Options to change, with dotted keys: optimizer.lr=0.01.");
    f.boolean("dry_run", dry_run_, "Check the configuration and print it resolved.");
    f.boolean("check_gradients", check_gradients_,
              "Compare the model's derivatives with finite differences.");
  }
  void check() const override {
    if (dry_run_ && check_gradients_)
      throw ConfigError("--dry-run and --check-gradients are both given; expected one of them");
  }
  TaskResults run(const TaskContext& context) override {
    const Action action = check_gradients_ ? Action::check_gradients
                          : dry_run_       ? Action::dry_run
                                           : Action::run;
    return {.exit_code =
                run_experiment(config_, overrides_, action, context.registry, context.processes)};
  }

 private:
  std::string config_;
  std::vector<std::string> overrides_;
  bool dry_run_ = false, check_gradients_ = false;
};

/// The command `resume`, and the option of this name.
class ResumeTask final : public Task {
 public:
  void fields(Fields& f) override {
    f.text("folder", folder_,
           "The folder of a run that was stopped, which resumes from its newest checkpoint, or of "
           "a sweep, a study or a choice of models, whose remaining runs are done.");
  }
  std::vector<ArgumentForm> argument_forms() const override {
    return {{"folder", "FOLDER", ArgumentForm::Kind::required_positional}};
  }
  TaskResults run(const TaskContext& context) override {
    return {.exit_code = resume_experiment(folder_, context.registry, context.processes)};
  }

 private:
  std::string folder_;
};

}  // namespace

std::unique_ptr<Task> make_train(const Registry&) { return std::make_unique<TrainTask>(); }
std::unique_ptr<Task> make_resume(const Registry&) { return std::make_unique<ResumeTask>(); }

}  // namespace ultr
