#include <filesystem>

#include <fmt/core.h>

#include "base/error.h"
#include "base/standard_output.h"
#include "commands/command_table.h"
#include "experiment/task.h"
#include "runs/results/run_results.h"
#include "studies/comparison/comparison.h"
#include "studies/comparison/comparison_output.h"

namespace ultr {
namespace {

class CompareTask final : public Task {
 public:
  void fields(Fields& f) override {
    f.texts("runs", runs_, "Folders of runs, or of sweeps for all their runs.");
    f.texts("metrics", options_.metrics, "Paths in results.json, such as test.cond_ppl.");
    f.text("baseline", options_.baseline,
           "What to test against: a run's folder, or a row such as model.type=pbm; default: the "
           "best.");
    f.text("output", output_, "A folder for comparison.html, .csv and .json; default: none.");
  }
  std::vector<ArgumentForm> argument_forms() const override {
    return {{"runs", "RUN", ArgumentForm::Kind::required_positional},
            {"metrics", "PATH"},
            {"baseline", "RUN"},
            {"output", "FOLDER"}};
  }
  TaskResults run(const TaskContext& context) override;

 private:
  std::vector<std::string> runs_;
  ComparisonOptions options_;
  std::string output_;
};

TaskResults CompareTask::run(const TaskContext&) {
  const Comparison comparison =
      compare(read_runs(std::vector<std::filesystem::path>(runs_.begin(), runs_.end())), options_);
  const std::filesystem::path output = output_;
  if (!output.empty()) {
    std::error_code error, ignored;
    std::filesystem::create_directories(output, error);
    if (!std::filesystem::is_directory(output, ignored))
      throw ConfigError(fmt::format("output {} cannot be created ({}); expected a folder",
                                    output.string(), error ? error.message() : "it is a file"));
    write_comparison(comparison, output);
  }
  print_to(stdout, "{}", comparison_text(comparison));
  if (!output.empty())
    print_to(stdout, "comparison in {}\n", (output / "comparison.html").string());
  return {.json = nlohmann::ordered_json::parse(comparison_json(comparison))};
}

}  // namespace

std::unique_ptr<Task> make_compare(const Registry&) { return std::make_unique<CompareTask>(); }

}  // namespace ultr
