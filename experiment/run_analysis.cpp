#include "experiment/run_analysis.h"

#include <chrono>

#include <fmt/core.h>

#include "base/version.h"
#include "experiment/analysis.h"
#include "experiment/analysis_report.h"
#include "experiment/resolve_options.h"
#include "experiment/run_results.h"

namespace ultr {

void run_analysis(ExperimentOptions& options, RunDirectory& folder) {
  const auto start = std::chrono::steady_clock::now();
  const auto found = options.analysis->as<Analysis>().results(
      static_cast<std::uint64_t>(options.seed), count_threads(options));
  const double seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  nlohmann::ordered_json results = {{"name", options.name},
                                    {"analysis", options.analysis->type},
                                    {"version", version()},
                                    {"seed", options.seed},
                                    {"seconds", seconds}};
  results.update(found);

  const std::string config = saved_config(options);
  folder.create();
  folder.write(config_file, config);
  if (options.report.enabled) {
    const std::string& title = options.report.title;
    folder.write("report.html", render_report(analysis_report(title.empty() ? options.name : title,
                                                              results, config)));
  }
  folder.write(results_file, results.dump(2) + "\n");
  fmt::print("results in {}\n", folder.path().string());
}

}  // namespace ultr
