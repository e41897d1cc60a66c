#include "commands/diagnose.h"

#include <array>
#include <optional>

#include <fmt/core.h>
#include <tbb/global_control.h>

#include "analyses/diagnosis_output.h"
#include "analyses/diagnosis_report.h"
#include "base/log.h"
#include "commands/single_configuration.h"
#include "experiment/run_directory.h"
#include "experiment/saved_model.h"
#include "experiment/single_run.h"
#include "report/svg.h"
#include "report/text_table.h"

namespace ultr {

void diagnose(const DiagnoseCommand& command, Registry& registry) {
  const ExperimentOptions options =
      resolve_training_data(command.config, command.overrides, registry);
  std::optional<RunDirectory> folder;
  if (!command.output.empty()) folder.emplace(command.output, options.name);

  std::optional<SavedModel> run;
  if (!command.run.empty()) run.emplace(command.run, registry);

  const int threads = count_threads(options);
  const tbb::global_control limit(tbb::global_control::max_allowed_parallelism,
                                  static_cast<std::size_t>(threads));
  const ExperimentData data = load_data(options);
  DiagnosisPage page{.name = options.name,
                     .diagnosis = diagnose(data,
                                           {.run = run ? &*run : nullptr,
                                            .sample = command.sample,
                                            .seed = static_cast<std::uint64_t>(options.seed),
                                            .threads = threads},
                                           [](std::string_view work) { log().info("{}", work); })};
  page.verdict = verdict_of(page.diagnosis);

  fmt::print("{}{}", render_text_table(rank_table(page.diagnosis)), diagnosis_text(page));
  if (!folder) return;
  folder->create();
  folder->write("diagnosis.json", diagnosis_json(page.diagnosis, page.verdict).dump(2) + "\n");
  folder->write("rank_graph.svg", render_arc_diagram(rank_graph_picture(page.diagnosis.graph)));
  const std::array residuals = {mean_residual_chart(page.diagnosis.residuals),
                                residual_correlation_chart(page.diagnosis.residuals)};
  folder->write("residuals.svg", render_panels(residuals, 2));
  if (page.diagnosis.overlap)
    folder->write("feature_overlap.svg", render_chart(overlap_chart(*page.diagnosis.overlap)));
  folder->write("report.html", render_report(diagnosis_report(page)));
  fmt::print("\ndiagnosis.json, report.html and pictures in {}\n", folder->path().string());
}

}  // namespace ultr
