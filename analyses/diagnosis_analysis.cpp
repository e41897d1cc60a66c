#include <optional>

#include <fmt/format.h>

#include "analyses/analyses.h"
#include "analyses/diagnosis_report.h"
#include "report/svg.h"
#include "runs/data_task.h"

namespace ultr {
namespace {

void write_diagnosis(const std::string& name, const Diagnosis& diagnosis, const Verdict& verdict,
                     const RunDirectory& folder) {
  folder.write("diagnosis.json", diagnosis_json(diagnosis, verdict).dump(2) + "\n");
  folder.write("rank_graph.svg", render_arc_diagram(rank_graph_picture(diagnosis.graph)));
  folder.write("residuals.svg", render_panels(residual_charts(diagnosis.residuals), 2));
  if (diagnosis.overlap)
    folder.write("feature_overlap.svg", render_chart(overlap_chart(*diagnosis.overlap)));
  folder.write("report.html", render_report(diagnosis_report(name, diagnosis, verdict)));
}

/// The contents of diagnosis.json for the training sessions of a source of data.
class DiagnosisAnalysis final : public DataTask {
 public:
  explicit DiagnosisAnalysis(const std::vector<OptionType>& data)
      : DataTask(data, "simulation", Sessions::training) {}

  void settings(Fields& f) override {
    f.text("run", run_,
           "Folder of a run trained on these data, whose residuals are measured; default: those of "
           "an additive model that is fitted.");
    f.integer("sample", sample_,
              "Approximate number of documents on which features and residuals are measured.",
              between(100, 1e9));
    f.integer(
        "bias_groups", bias_groups_,
        "Number of groups, of about equally many impressions, into which the values of a bias "
        "feature are divided that has more.",
        between(1, 1000));
  }
  std::vector<ArgumentForm> argument_forms() const override {
    return {{"run", "RUN"}, {"sample", "COUNT"}, {"bias_groups", "COUNT"}};
  }
  void locate_files(const std::filesystem::path& config_folder) override {
    DataTask::locate_files(config_folder);
    if (!run_.empty()) run_ = find_data_file(run_, config_folder).string();
  }
  TaskResults run(const TaskContext& context) override {
    std::optional<SavedModel> saved;
    if (!run_.empty()) saved.emplace(run_, context.registry);
    const Diagnosis diagnosis = diagnose(load(context),
                                         {.run = saved ? &*saved : nullptr,
                                          .sample = static_cast<std::size_t>(sample_),
                                          .bias_groups = static_cast<std::size_t>(bias_groups_),
                                          .seed = context.seed,
                                          .threads = context.threads},
                                         [&](std::string_view work) {
                                           if (context.progress) context.progress(work, "", 0, 0);
                                         });
    const Verdict verdict = verdict_of(diagnosis);
    return {.json = diagnosis_json(diagnosis, verdict),
            .notes = diagnosis.residuals.notes,
            .text = render_text_table(rank_table(diagnosis)) + diagnosis_text(diagnosis, verdict),
            .write_files =
                [=, name = context.name](const RunDirectory& folder) {
                  write_diagnosis(name, diagnosis, verdict, folder);
                },
            .files = "diagnosis.json, report.html and pictures"};
  }

 private:
  std::string run_;
  std::int64_t sample_ = 50000;
  std::int64_t bias_groups_ = 10;
};

}  // namespace

OptionType diagnosis_analysis_type(const std::vector<OptionType>& data) {
  return {
      "diagnosis", "Says whether training sessions tell position bias from relevance.",
      [&data]() -> std::unique_ptr<Options> { return std::make_unique<DiagnosisAnalysis>(data); }};
}

}  // namespace ultr
