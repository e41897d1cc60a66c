#include "studies/run_study.h"

#include <algorithm>
#include <chrono>
#include <fstream>
#include <map>

#include <fmt/core.h>

#include "base/error.h"
#include "base/files/file.h"
#include "base/log.h"
#include "base/standard_output.h"
#include "distributed/first_process.h"
#include "experiment/resolve_options.h"
#include "experiment/shared_run_directory.h"
#include "runs/run_results.h"
#include "studies/planned_runs.h"
#include "studies/study_output.h"

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

/// Returns the runs that the points of a study need. Points with the same configuration and seed,
/// such as those without compression for two methods of compression, share a run and its folder.
/// Errors in a configuration name its run.
std::vector<PlannedRun> plan_study(Study& study, Registry& registry) {
  const fs::path folder = study.file.parent_path();
  std::vector<PlannedRun> runs;
  std::map<std::pair<OptionValues, std::int64_t>, std::string> folders;
  for (StudyPoint& point : study.points) {
    const ConfigNode config = study.configuration(point);
    try {
      ExperimentOptions options = resolve_options(config, folder, study.name, registry);
      options.locate_files(folder);
      const auto [same, is_new] = folders.emplace(result_identity(options), point.folder);
      point.folder = same->second;
      if (is_new) runs.push_back({point.name, point.folder, std::move(options)});
    } catch (const ConfigError& error) {
      throw ConfigError(fmt::format("{} (run {})", error.what(), point.name));
    }
  }
  return runs;
}

/// Gives the points the folders that they had when the study was begun.
void restore_folders(const fs::path& file, std::vector<StudyPoint>& points) {
  std::ifstream lines(file);
  for (StudyPoint& point : points) {
    std::string line;
    std::getline(lines, line);
    const std::size_t tab = line.find('\t');
    if (tab == std::string::npos || line.substr(0, tab) != point.name)
      throw ConfigError(fmt::format(
          "{}: run {} is not one of those that were begun; expected the same axes and variants",
          (file.parent_path() / study_file).string(), point.name));
    point.folder = line.substr(tab + 1);
  }
}

int finish(const Study& study, const fs::path& folder, std::size_t failed,
           StudyClock::time_point start) {
  std::vector<RunResults> runs;
  for (const StudyPoint& point : study.points) {
    const std::vector<fs::path> one = {folder / point.folder};
    runs.push_back(std::move(read_runs(one).front()));
  }
  StudyOutcome outcome{{.study = study, .runs = runs}, {}, {}};
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
  std::vector<PlannedRun> runs;
  run_in_all_processes(processes, [&] {
    study = read_study(file, overrides);
    check_study(study);
    runs = plan_study(study, registry);
  });
  RunDirectory folder =
      make_for_all(processes, [&] { return RunDirectory(study.output, study.name); });
  const auto write_files = [&](const RunDirectory& created) {
    created.write(study_file, file_text(file));
    std::string lines, points;
    for (const std::string& assignment : overrides) lines += assignment + "\n";
    for (const StudyPoint& point : study.points)
      points += fmt::format("{}\t{}\n", point.name, point.folder);
    created.write(overrides_file, lines);
    created.write(points_file, points);
  };
  const std::size_t failed =
      run_planned(runs, folder, {.created = write_files, .processes = processes});
  return run_in_first_process(processes,
                              [&] { return finish(study, folder.path(), failed, start); });
}

int resume_study(const fs::path& path, Registry& registry, Communicator* processes) {
  const auto start = StudyClock::now();
  RunDirectory folder = make_for_all(processes, [&] { return RunDirectory::of_run(path); });
  Study study;
  std::vector<PlannedRun> runs;
  run_in_all_processes(processes, [&] {
    std::vector<std::string> overrides;
    std::ifstream lines(path / overrides_file);
    for (std::string line; std::getline(lines, line);) overrides.push_back(line);
    study = read_study(path / study_file, overrides);
    check_study(study);
    restore_folders(path / points_file, study.points);
    runs = planned_before(path, registry);
  });
  const std::size_t failed = run_planned(runs, folder, {.processes = processes});
  return run_in_first_process(processes,
                              [&] { return finish(study, folder.path(), failed, start); });
}

void print_study(const fs::path& file, const std::vector<std::string>& overrides,
                 Registry& registry) {
  Study study = read_study(file, overrides);
  check_study(study);
  std::vector<PlannedRun> runs = plan_study(study, registry);
  const RunDirectory usable(study.output, study.name);
  print_planned(runs);
  print_to(stdout, "---\n# {}: {} points, {} runs; {} expectations\n", study.name,
           study.points.size(), runs.size(), study.expectations.size());
  for (const StudyExpectation& expectation : study.expectations)
    print_to(stdout, "# expects {}\n", expectation.claim.text);
}

}  // namespace ultr
