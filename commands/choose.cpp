#include "commands/command_table.h"
#include "experiment/task.h"
#include "studies/choice/choose_models.h"

namespace ultr {
namespace {

/// The command `choose`.
class ChooseTask final : public Task {
 public:
  void fields(Fields& f) override {
    f.text("config", config_, "An experiment with a click model, whose model is replaced.");
    f.texts("overrides", request_.overrides, "Options to change, such as optimizer=em.");
    f.texts("models", request_.models, "Models to choose from; default: all that --list prints.");
    f.integer("at_once", request_.at_once,
              "Models to fit at the same time, each with its own memory; 0: one per thread.",
              between(0, 1024));
    f.boolean("dry_run", dry_run_, "Check the configurations and print them resolved.");
    f.text("output", request_.output,
           "A new or empty folder for runs and report; default: as the configuration says.");
  }
  std::vector<ArgumentForm> argument_forms() const override {
    return {{"models", "TYPE"}, {"output", "FOLDER"}};
  }
  TaskResults run(const TaskContext& context) override {
    request_.config = config_;
    if (!dry_run_)
      return {.exit_code = choose_models(request_, context.registry, context.processes)};
    print_choice(request_, context.registry);
    return {};
  }

 private:
  std::string config_;
  ChoiceRequest request_;
  bool dry_run_ = false;
};

}  // namespace

std::unique_ptr<Task> make_choose(const Registry&) { return std::make_unique<ChooseTask>(); }

}  // namespace ultr
