#include "studies/choice/choose_models.h"

#include <algorithm>
#include <fstream>
#include <map>
#include <mutex>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/error.h"
#include "base/log.h"
#include "base/standard_output.h"
#include "base/text/formatted_number.h"
#include "base/text/quote.h"
#include "base/threads/thread_limit.h"
#include "base/threads/usable_threads.h"
#include "distributed/first_process.h"
#include "experiment/resolve_options.h"
#include "experiment/shared_run_directory.h"
#include "options/config_tree.h"
#include "runs/run_inputs.h"
#include "studies/choice/choice_output.h"
#include "studies/study.h"
#include "studies/sweep_grid.h"

namespace ultr {
namespace {

namespace fs = std::filesystem;

/// Prints a line when a model is fitted.
class FittingLines final : public PlannedRunObserver {
 public:
  explicit FittingLines(std::size_t models) : models_(models) {}

  void epoch(const PlannedRun& run, const EpochResult& result) override {
    const std::scoped_lock lock(mutex_);
    State& state = states_[run.name];
    state.epochs = result.epoch;
    state.seconds += result.seconds;
    if (result.valid) state.perplexity = std::min(state.perplexity, (*result.valid)["cond_ppl"]);
  }
  void end(const PlannedRun& run, const std::string& failure) override {
    const std::scoped_lock lock(mutex_);
    const State& state = states_[run.name];
    const std::string number = fmt::format("{}/{}", ++done_, models_);
    if (failure.empty())
      print_to(stdout, "{:>5} {:<12} {:>4} epochs in {}, validation cond_ppl {:.5f}\n", number,
               run.name, state.epochs, format_duration(state.seconds), state.perplexity);
    else
      print_to(stdout, "{:>5} {:<12} not fitted: {}\n", number, run.name, failure);
    std::fflush(stdout);
  }

 private:
  struct State {
    std::int64_t epochs = 0;
    double seconds = 0, perplexity = std::numeric_limits<double>::infinity();
  };

  std::mutex mutex_;
  std::size_t models_, done_ = 0;
  std::map<std::string, State> states_;
};

/// The runs of a choice, and the models that have none.
struct PlannedChoice {
  std::vector<PlannedRun> runs;
  std::vector<RefusedModel> refused;
};

std::vector<std::string> chosen_types(const std::vector<std::string>& given,
                                      const Registry& registry) {
  std::vector<std::string> known;
  for (const OptionType& type : registry.models()) known.push_back(type.name);
  if (given.empty()) return known;
  for (const std::string& type : given) {
    if (std::ranges::count(given, type) > 1)
      throw ConfigError(fmt::format("model {} is given twice; expected each once", quote(type)));
    if (std::ranges::count(known, type) > 0) continue;
    const std::string near = nearest_name(type, known);
    throw ConfigError(fmt::format("there is no model {}; {}", quote(type),
                                  near.empty()
                                      ? fmt::format("expected one of {}", fmt::join(known, ", "))
                                      : fmt::format("did you mean '{}'?", near)));
  }
  return given;
}

/// Returns the overrides of a request. Throws ConfigError if they make a sweep or the configuration
/// is a study.
std::vector<std::string> single_overrides(const ChoiceRequest& request) {
  if (is_study(read_config(request.config)))
    throw ConfigError(fmt::format("{}: is a study; expected an experiment to fit click models to",
                                  request.config.string()));
  const std::vector<SweepPoint> grid = sweep_grid(request.overrides);
  if (grid.size() > 1)
    throw ConfigError(fmt::format(
        "the overrides make a sweep of {} runs; expected one value for each key", grid.size()));
  std::vector<std::string> overrides = grid.front().overrides;
  if (!request.output.empty()) overrides.push_back("output=" + request.output);
  return overrides;
}

PlannedChoice plan_choice(const ChoiceRequest& request, Registry& registry) {
  const std::vector<std::string> overrides = single_overrides(request);
  const ExperimentOptions own = resolve_options(request.config, overrides, registry);
  own.expect_model();
  if (!own.trains_click_model())
    throw ConfigError(
        fmt::format("loss.type is {}, which replaces the click model; expected {} to choose one",
                    quote(own.loss.type), likelihood_loss));
  own.data.as<DataOptions>().locate_files(request.config.parent_path());
  PlannedChoice plan;
  for (const std::string& type : chosen_types(request.models, registry)) {
    std::vector<std::string> with_model = overrides;
    if (type != own.model.type) with_model.push_back("model=" + type);
    try {
      PlannedRun run{type, sweep_folder_name(type),
                     resolve_options(request.config, with_model, registry)};
      run.options.locate_files(request.config.parent_path());
      expect_trainable(run.options);
      plan.runs.push_back(std::move(run));
    } catch (const ConfigError& error) {
      if (type == own.model.type) throw;
      plan.refused.push_back({type, error.what()});
    }
  }
  if (plan.runs.empty())
    throw ConfigError(fmt::format("no model can be fitted: {}: {}", plan.refused.front().type,
                                  plan.refused.front().reason));
  return plan;
}

ExperimentData load_with_validation(const ExperimentOptions& options) {
  ExperimentData data = load_data(options);
  data.dataset.take_single_sessions("models are compared by what single sessions show");
  if (data.dataset.valid.sessions() == 0)
    throw DataError(
        fmt::format("{}: there are no validation sessions, on which models are compared; expected "
                    "some, such as "
                    "data.split.valid: 0.1",
                    options.name));
  return data;
}

std::string refusals_text(const std::vector<RefusedModel>& refused) {
  std::string lines;
  for (const RefusedModel& model : refused) {
    std::string reason = model.reason;
    std::ranges::replace(reason, '\n', ' ');
    lines += fmt::format("{}\t{}\n", model.type, reason);
  }
  return lines;
}

std::vector<RefusedModel> read_refusals(const fs::path& file) {
  std::vector<RefusedModel> refused;
  std::ifstream lines(file);
  for (std::string line; std::getline(lines, line);)
    if (const std::size_t tab = line.find('\t'); tab != std::string::npos)
      refused.push_back({line.substr(0, tab), line.substr(tab + 1)});
  return refused;
}

/// Returns how many of the models to fit at the same time: as many as are wanted, or one if the
/// system does not start the threads of more.
std::size_t fitted_at_once(std::int64_t wanted, std::size_t models, int threads) {
  const int most = static_cast<int>(models);
  const int runs = std::min(wanted > 0 ? static_cast<int>(wanted) : threads, most);
  // A thread per model, those of its training, and those of TBB, which all share. Two are tried for
  // each that is asked for.
  const int needed = 1 + (runs + (runs + 1) * (threads - 1)) / 2;
  const int usable =
      usable_threads(needed, [](const std::function<void()>& work) { return std::thread(work); });
  return usable < needed ? 1 : static_cast<std::size_t>(runs);
}

/// Fits the models: so many at the same time, or one at a time in each of several processes.
void fit(PlannedChoice& plan, RunDirectory& folder, const ExperimentData& data, std::size_t at_once,
         Communicator* processes) {
  PlannedRunSetting setting{.created =
                                [&](const RunDirectory& created) {
                                  created.write(choice_file, refusals_text(plan.refused));
                                },
                            .data = &data,
                            .at_once = at_once,
                            .processes = processes};
  FittingLines lines(plan.runs.size());
  if (processes == nullptr) setting.observer = &lines;
  run_planned(plan.runs, folder, setting);
}

int report_choice(const ModelChoice& choice, const fs::path& folder) {
  write_choice(choice, folder);
  print_to(stdout, "\n{}\nreport in {}\n", choice_text(choice), (folder / "report.html").string());
  if (choice.for_prediction) return 0;
  log().error("error: no model could be fitted");
  return 1;
}

int fit_and_measure(PlannedChoice plan, RunDirectory& folder, std::int64_t at_once,
                    Registry& registry, Communicator* processes) {
  const ExperimentOptions& options = plan.runs.front().options;
  const int threads = count_threads(options);
  const ThreadLimit limit(threads);
  ExperimentData data;
  run_in_all_processes(processes, [&] { data = load_with_validation(options); });
  fit(plan, folder, data,
      processes == nullptr ? fitted_at_once(at_once, plan.runs.size(), threads) : 1, processes);
  return run_in_first_process(processes, [&] {
    return report_choice(
        measure_choice(plan.runs, std::move(plan.refused), folder.path(), data, registry),
        folder.path());
  });
}

}  // namespace

int choose_models(const ChoiceRequest& request, Registry& registry, Communicator* processes) {
  PlannedChoice plan;
  run_in_all_processes(processes, [&] {
    if (processes != nullptr && request.at_once > 1)
      throw ConfigError(fmt::format(
          "at_once is {}; expected none with mpirun, where each process fits one model at a time",
          request.at_once));
    plan = plan_choice(request, registry);
  });
  RunDirectory folder = make_for_all(processes, [&] {
    const ExperimentOptions& options = plan.runs.front().options;
    return RunDirectory(options.output, options.name);
  });
  return fit_and_measure(std::move(plan), folder, request.at_once, registry, processes);
}

int resume_choice(const fs::path& path, Registry& registry, Communicator* processes) {
  RunDirectory folder = make_for_all(processes, [&] { return RunDirectory::of_run(path); });
  PlannedChoice plan;
  run_in_all_processes(processes, [&] {
    plan = {planned_before(path, registry), read_refusals(path / choice_file)};
  });
  return fit_and_measure(std::move(plan), folder, 0, registry, processes);
}

void print_choice(const ChoiceRequest& request, Registry& registry) {
  PlannedChoice plan = plan_choice(request, registry);
  const ExperimentOptions& options = plan.runs.front().options;
  const RunDirectory usable(options.output, options.name);
  print_planned(plan.runs);
  for (const RefusedModel& model : plan.refused)
    print_to(stdout, "---\n# {} cannot be fitted: {}\n", model.type, model.reason);
}

}  // namespace ultr
