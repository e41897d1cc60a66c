#include "runs/run_analysis.h"

#include <chrono>

#include <fmt/core.h>

#include "base/log.h"
#include "base/standard_output.h"
#include "base/version.h"
#include "experiment/resolve_options.h"
#include "experiment/task.h"
#include "runs/analysis_report.h"
#include "training/run_files.h"

namespace ultr {

void run_analysis(ExperimentOptions& options, RunDirectory& folder) {
  const auto start = std::chrono::steady_clock::now();
  const TaskResults found =
      options.analysis->as<Task>().run({.registry = *options.known_types,
                                        .name = options.name,
                                        .seed = static_cast<std::uint64_t>(options.seed),
                                        .threads = count_threads(options)});
  const double seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  for (const std::string& note : found.notes) log().warn("{}", note);
  nlohmann::ordered_json results = {{"name", options.name},
                                    {"analysis", options.analysis->type},
                                    {"version", version()},
                                    {"seed", options.seed},
                                    {"seconds", seconds}};
  results.update(found.json);

  const std::string config = saved_config(options);
  folder.create();
  folder.write(config_file, config);
  if (options.report.enabled) {
    const std::string& title = options.report.title;
    folder.write("report.html", render_report(analysis_report(title.empty() ? options.name : title,
                                                              results, config)));
  }
  for (const auto& [file, content] : found.run_files) folder.write(file, content);
  folder.finish(results.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) +
                "\n");
  print_to(stdout, "results in {}\n", folder.path().string());
}

}  // namespace ultr
