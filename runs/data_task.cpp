#include "runs/data_task.h"

#include "runs/run_inputs.h"

namespace ultr {

void DataTask::fields(Fields& f) {
  f.choice("data", data_,
           sessions_ == Sessions::training
               ? "Where sessions come from; only training sessions are read."
               : "Where sessions come from.");
  settings(f);
}

void DataTask::check() const { data_.as<DataOptions>().check(); }

void DataTask::locate_files(const std::filesystem::path& config_folder) {
  auto& data = data_.as<DataOptions>();
  if (sessions_ == Sessions::training) data.keep_training_only();
  data.locate_files(config_folder);
}

ExperimentData DataTask::load(const TaskContext& context) const {
  ExperimentData data = load_data(data_.as<DataOptions>(), context.name,
                                  {.seed = context.seed, .threads = context.threads});
  data.dataset.take_single_sessions("analyses count sessions");
  return data;
}

}  // namespace ultr
