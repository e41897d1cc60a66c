// A command of ultr-run in one file; docs/cookbook/command.md explains it.
#include <algorithm>

#include <fmt/core.h>

#include "commands/command_table.h"
#include "commands/single_configuration.h"
#include "experiment/task.h"
#include "runs/run_inputs.h"

namespace ultr {
namespace {

class ClickRateTask final : public Task {
 public:
  void fields(Fields& f) override {
    f.text("config", config_, "An experiment, whose training data are read.");
    f.texts("overrides", overrides_, "Options to change, such as data.max_positions=20.");
    f.integer("ranks", ranks_, "Number of ranks to print, from the top.", at_least(1));
    f.boolean("percent", percent_, "Print percentages.");
  }
  TaskResults run(const TaskContext& context) override;

 private:
  std::string config_;
  std::vector<std::string> overrides_;
  std::int64_t ranks_ = 10;
  bool percent_ = false;
};

TaskResults ClickRateTask::run(const TaskContext& context) {
  const ExperimentData data =
      load_data(resolve_training_data(config_, overrides_, context.registry));
  const SessionLog& log = data.dataset.train;
  std::vector<double> shown(data.dataset.positions), clicked(data.dataset.positions);
  for (std::size_t i = 0; i < log.sessions(); ++i) {
    const SessionView session = log[i];
    for (std::size_t k = 0; k < session.clicks.size(); ++k) {
      shown[session.positions[k]] += 1;
      clicked[session.positions[k]] += session.clicks[k];
    }
  }
  const std::size_t ranks = std::min(static_cast<std::size_t>(ranks_), shown.size());
  for (std::size_t k = 0; k < ranks; ++k) {
    const double rate = clicked[k] / shown[k];
    fmt::print("{:>4}  {}\n", k + 1,
               percent_ ? fmt::format("{:.2f} %", 100 * rate) : fmt::format("{:.4f}", rate));
  }
  return {};
}

}  // namespace

std::unique_ptr<Task> make_click_rate(const Registry&) { return std::make_unique<ClickRateTask>(); }

}  // namespace ultr
