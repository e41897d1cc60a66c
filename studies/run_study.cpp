#include "studies/run_study.h"

#include <algorithm>
#include <chrono>
#include <fstream>
#include <functional>

#include <fmt/core.h>

#include "base/error.h"
#include "base/files/file.h"
#include "base/log.h"
#include "base/standard_output.h"
#include "distributed/first_process.h"
#include "experiment/resolve_options.h"
#include "experiment/shared_run_directory.h"
#include "runs/results/run_results.h"
#include "studies/planned_runs.h"
#include "studies/study_output.h"
#include "studies/study_plan.h"
#include "studies/tuning_output.h"

namespace ultr {
namespace {

namespace fs = std::filesystem;
using StudyClock = std::chrono::steady_clock;

std::string file_text(const fs::path& file) {
  std::ifstream stream(file, std::ios::binary);
  std::string text{std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
  if (!stream.is_open() || stream.bad())
    throw DataError(fmt::format("{}: cannot be read; expected a file of a study", file.string()));
  return text;
}

std::vector<RunResults> read_points(const fs::path& folder, const std::vector<StudyPoint>& points) {
  std::vector<RunResults> runs;
  for (const StudyPoint& point : points) {
    const std::vector<fs::path> one = {folder / point.folder};
    runs.push_back(std::move(read_runs(one).front()));
  }
  return runs;
}

/// Checks all that can be wrong before the first run: the names in claims and figures, and every
/// configuration, with the first of the options to tune in each stage.
void check_runs(Study study, Registry& registry) {
  check_study(study);
  static_cast<void>(plan_first_runs(study, registry));
  static_cast<void>(plan_tuning(study, registry));
  static_cast<void>(plan_points(study, study.points, {}, registry));
}

/// Does the runs of a study in a folder that has the study's file and its overrides.
class StudyRunner {
 public:
  StudyRunner(Study& study, RunDirectory& folder, Registry& registry, Communicator* processes)
      : study_(study), folder_(folder), registry_(registry), processes_(processes) {}

  /// Does what is left of the runs, and returns how many of the points' have failed.
  std::size_t run() {
    const fs::path path = folder_.path();
    std::vector<PlannedRun> runs;
    if (fs::exists(path / sweep_file)) {
      in_all([&] { runs = planned_before(path, registry_); });
      tune();
      in_all([&] { restore_folders(path / points_file, study_, study_.points); });
      return run_planned(runs, folder_, {.processes = processes_});
    }
    do_first_runs();
    tune();
    in_all([&] { runs = plan_points(study_, study_.points, path, registry_); });
    const auto write_points = [&](const RunDirectory& created) {
      created.write(points_file, points_text(study_.points));
    };
    return run_planned(runs, folder_, {.created = write_points, .processes = processes_});
  }

  /// The options that were tuned, by stage.
  const std::vector<std::vector<TunedOptions>>& tuned() const { return tuned_; }

 private:
  void in_all(const std::function<void()>& work) { run_in_all_processes(processes_, work); }

  void do_first_runs() {
    if (study_.first.empty()) return;
    announce("first", study_.first.size());
    const fs::path path = folder_.path() / first_folder;
    run_within(path, [&] { return plan_first_runs(study_, registry_); });
    in_all([&] {
      for (const auto& [name, config] : study_.first) {
        const std::vector<fs::path> one = {path / name};
        if (const std::string failure = read_runs(one).front().failure; !failure.empty())
          throw DataError(
              fmt::format("{}: failed ({}); expected the results of a run that others need",
                          one.front().string(), failure));
      }
    });
  }

  void tune() {
    for (std::size_t stage = 0; stage < study_.tuning.size(); ++stage) tune(stage);
  }

  void tune(std::size_t stage) {
    std::vector<StudyPoint>& points = study_.tuning[stage].points;
    announce(stage_title("tuning", stage, study_.tuning.size()), points.size());
    const fs::path path = folder_.path() / folder_of_stage(stage, study_);
    in_all([&] {
      if (fs::exists(path / sweep_file)) restore_folders(path / points_file, study_, points);
    });
    run_within(
        path, [&] { return plan_points(study_, points, folder_.path(), registry_); },
        [&](const RunDirectory& created) { created.write(points_file, points_text(points)); });
    in_all([&] {
      tuned_.push_back(choose_options(study_.tuning[stage], read_points(path, points)));
      apply_stage(stage, tuned_.back(), study_);
    });
  }

  static void announce(const std::string& what, std::size_t runs) {
    print_to(stdout, "\n{}: {} run{}\n", what, runs, runs == 1 ? "" : "s");
  }

  /// Does the runs of a folder in the study's, or what is left of them.
  void run_within(const fs::path& path, const std::function<std::vector<PlannedRun>()>& plan,
                  const FolderCreated& created = {}) {
    std::vector<PlannedRun> runs;
    if (fs::exists(path / sweep_file)) {
      RunDirectory begun = make_for_all(processes_, [&] { return RunDirectory::of_run(path); });
      in_all([&] { runs = planned_before(path, registry_); });
      run_planned(runs, begun, {.processes = processes_});
      return;
    }
    RunDirectory folder = make_for_all(processes_, [&] {
      fs::remove_all(path);  // the study was stopped while it was being prepared
      return RunDirectory(path.string(), "");
    });
    in_all([&] { runs = plan(); });
    run_planned(runs, folder, {.created = created, .processes = processes_});
  }

  Study& study_;
  RunDirectory& folder_;
  Registry& registry_;
  Communicator* processes_;  // null if there is only one
  std::vector<std::vector<TunedOptions>> tuned_;
};

int finish(const Study& study, const fs::path& folder, std::vector<std::vector<TunedOptions>> tuned,
           std::size_t failed, StudyClock::time_point start) {
  const std::vector<RunResults> runs = read_points(folder, study.points);
  StudyOutcome outcome{{.study = study, .runs = runs}, {}, {}};
  outcome.tuned = std::move(tuned);
  outcome.expectations = evaluate_expectations(outcome);
  create_folder(folder / "figures");
  for (const StudyFigure& figure : study.figures) {
    outcome.pictures.push_back(draw_figure(figure, outcome));
    if (const std::string& svg = outcome.pictures.back().svg; !svg.empty())
      write_file(folder / "figures" / (figure.name + ".svg"), svg);
  }
  outcome.seconds = std::chrono::duration<double>(StudyClock::now() - start).count();
  write_file(folder / "report.html",
             render_report(study_report(outcome, file_text(folder / study_file), folder)));
  write_file(folder / "expectations.md", expectations_markdown(outcome));
  if (!study.tuning.empty()) write_file(folder / "tuning.md", tuning_markdown(outcome));
  for (std::size_t stage = 0; stage < study.tuning.size(); ++stage)
    print_to(stdout, "\n{}",
             render_text_table(tuning_table(study.tuning[stage], outcome.tuned[stage])));
  write_file(folder / results_file, study_json(outcome));
  print_to(stdout, "\n{}results in {}\n", expectations_text(outcome), folder.string());
  if (failed > 0) {
    log().error("error: {} of {} runs failed", failed, runs.size());
    return 1;
  }
  const bool missed = std::ranges::any_of(outcome.expectations, [](const auto& result) {
    return result.status == ExpectationStatus::failed ||
           result.status == ExpectationStatus::unknown;
  });
  return missed ? expectation_failed : 0;
}

/// Writes all that resuming a study takes into its folder.
void write_inputs(const Study& study, const RunDirectory& folder) {
  folder.write(study_file, file_text(study.file));
  folder.write(origin_file, (fs::current_path() / study.folder).string());
  std::string lines;
  for (const std::string& assignment : study.overrides) lines += assignment + "\n";
  folder.write(overrides_file, lines);
}

/// Removes the folder of a study none of whose runs were prepared, because of wrong data.
void remove_unless_begun(const fs::path& folder, const Study& study) {
  std::vector<fs::path> begun = {folder, folder / first_folder};
  if (!study.tuning.empty()) begun.push_back(folder / folder_of_stage(0, study));
  for (const fs::path& runs : begun)
    if (fs::exists(runs / sweep_file)) return;
  fs::remove_all(folder);
}

}  // namespace

void check_study(const Study& study) {
  const StudyTable open{.study = study};
  for (const ExpectationResult& result : evaluate_expectations(open))
    if (result.status == ExpectationStatus::unknown) throw ConfigError(result.note);
  for (const StudyFigure& figure : study.figures) draw_figure(figure, open);
}

int run_study(const fs::path& file, const std::vector<std::string>& overrides, Registry& registry,
              Communicator* processes) {
  const auto start = StudyClock::now();
  Study study;
  run_in_all_processes(processes, [&] {
    study = read_study(file, overrides);
    check_runs(study, registry);
  });
  RunDirectory folder =
      make_for_all(processes, [&] { return RunDirectory(study.output, study.name); });
  create_for_all(folder, processes);
  run_in_all_processes(processes, [&] { write_inputs(study, folder); });
  StudyRunner runner(study, folder, registry, processes);
  std::size_t failed = 0;
  try {
    failed = runner.run();
  } catch (...) {
    if (is_first_process(processes)) remove_unless_begun(folder.path(), study);
    throw;
  }
  return run_in_first_process(
      processes, [&] { return finish(study, folder.path(), runner.tuned(), failed, start); });
}

int resume_study(const fs::path& path, Registry& registry, Communicator* processes) {
  const auto start = StudyClock::now();
  RunDirectory folder = make_for_all(processes, [&] { return RunDirectory::of_run(path); });
  Study study;
  run_in_all_processes(processes, [&] {
    std::vector<std::string> overrides;
    std::ifstream lines(path / overrides_file);
    for (std::string line; std::getline(lines, line);) overrides.push_back(line);
    study = read_study(path / study_file, overrides);
    if (fs::exists(path / origin_file)) study.folder = file_text(path / origin_file);
    check_study(study);
  });
  StudyRunner runner(study, folder, registry, processes);
  const std::size_t failed = runner.run();
  return run_in_first_process(
      processes, [&] { return finish(study, folder.path(), runner.tuned(), failed, start); });
}

void print_study(const fs::path& file, const std::vector<std::string>& overrides,
                 Registry& registry) {
  Study study = read_study(file, overrides);
  check_runs(study, registry);
  std::vector<PlannedRun> runs = plan_first_runs(study, registry);
  std::string before = study.first.empty() ? "" : fmt::format("; {} first", study.first.size());
  std::vector<PlannedRun> tuning = plan_tuning(study, registry);
  if (!tuning.empty()) before += fmt::format("; {} runs of tuning", tuning.size());
  std::ranges::move(tuning, std::back_inserter(runs));
  std::vector<PlannedRun> of_points = plan_points(study, study.points, {}, registry);
  const std::size_t own = of_points.size();
  std::ranges::move(of_points, std::back_inserter(runs));
  print_planned(runs);
  print_to(stdout, "---\n# {}: {} points, {} runs{}; {} expectations\n", study.name,
           study.points.size(), own, before, study.expectations.size());
  for (const StudyExpectation& expectation : study.expectations)
    print_to(stdout, "# expects {}\n", expectation.claim.text);
}

}  // namespace ultr
