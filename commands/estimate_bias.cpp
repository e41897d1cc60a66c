#include "commands/estimate_bias.h"

#include <fmt/core.h>
#include <tbb/global_control.h>

#include "analyses/bias_report.h"
#include "base/log.h"
#include "base/progress_bar.h"
#include "commands/single_configuration.h"
#include "experiment/bias_estimation.h"
#include "experiment/run_directory.h"
#include "experiment/single_run.h"
#include "options/config_tree.h"
#include "report/svg.h"
#include "report/text_table.h"

namespace ultr {

void estimate_bias(const BiasCommand& command, Registry& registry) {
  check_bias_methods(command.methods);
  const ExperimentOptions options =
      resolve_training_data(command.config, command.overrides, registry);
  std::optional<RunDirectory> folder;
  if (!command.output.empty()) folder.emplace(command.output, options.name);

  const int threads = count_threads(options);
  const tbb::global_control limit(tbb::global_control::max_allowed_parallelism,
                                  static_cast<std::size_t>(threads));
  const ExperimentData data = load_data(options);
  BiasPage page{.name = options.name,
                .sessions = data.dataset.train.sessions(),
                .documents = data.dataset.train.documents()};
  {
    ProgressBars bars;
    page.estimation =
        estimate_bias(data.dataset,
                      {.methods = command.methods,
                       .pivot = command.pivot,
                       .resamples = command.resamples,
                       .most_passes = command.passes,
                       .seed = static_cast<std::uint64_t>(options.seed),
                       .threads = threads},
                      [&](std::string_view work, std::string_view unit, std::uint64_t done,
                          std::uint64_t all) { bars(work, unit, done, all); });
  }
  page.truth = true_position_bias(data, threads);

  for (const std::string& note : page.estimation.notes) log().warn("{}", note);
  fmt::print("{}", render_text_table(bias_table(page)));
  if (!folder) return;
  folder->create();
  for (const BiasEstimate& estimate : page.estimation.estimates)
    write_propensities(folder->path() / fmt::format("propensities_{}.csv", estimate.method),
                       estimate.method, estimate.propensities);
  folder->write("position_bias.svg", render_chart(bias_chart(page)));
  folder->write("report.html", render_report(bias_report(page)));
  fmt::print("propensities, position_bias.svg and report.html in {}\n", folder->path().string());
}

}  // namespace ultr
