#include <fmt/core.h>

#include "commands/command_table.h"
#include "commands/train.h"
#include "experiment/task.h"

namespace ultr {
namespace {

/// The command `train`, which may be left out.
class TrainTask final : public Task {
 public:
  void fields(Fields& f) override {
    f.text("config", config_, "The experiment or study, a YAML file.");
    f.texts("overrides", overrides_, "Options to change, with dotted keys: optimizer.lr=0.01.");
    f.boolean("dry_run", dry_run_, "Check the configuration and print it resolved.");
    f.boolean("check_gradients", check_gradients_,
              "Compare the model's derivatives with finite differences.");
  }
  std::vector<ArgumentForm> argument_forms() const override {
    return {{"config", "CONFIG", ArgumentForm::Kind::required_positional},
            {"overrides", "KEY=VALUE", ArgumentForm::Kind::positional}};
  }
  TaskResults run(const TaskContext& context) override {
    const Action action = check_gradients_ ? Action::check_gradients
                          : dry_run_       ? Action::dry_run
                                           : Action::run;
    return {.exit_code =
                run_experiment(config_, overrides_, action, context.registry, context.processes)};
  }

 private:
  std::string config_;
  std::vector<std::string> overrides_;
  bool dry_run_ = false, check_gradients_ = false;
};

/// The command `resume`, and the option of this name.
class ResumeTask final : public Task {
 public:
  void fields(Fields& f) override {
    f.text("folder", folder_,
           "The folder of a run that was stopped, which resumes from its newest checkpoint, or of "
           "a sweep or a study, whose remaining runs are done.");
  }
  std::vector<ArgumentForm> argument_forms() const override {
    return {{"folder", "FOLDER", ArgumentForm::Kind::required_positional}};
  }
  TaskResults run(const TaskContext& context) override {
    return {.exit_code = resume_experiment(folder_, context.registry, context.processes)};
  }

 private:
  std::string folder_;
};

}  // namespace

std::unique_ptr<Task> make_train(const Registry&) { return std::make_unique<TrainTask>(); }
std::unique_ptr<Task> make_resume(const Registry&) { return std::make_unique<ResumeTask>(); }

}  // namespace ultr
