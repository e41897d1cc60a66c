#include <fmt/format.h>
#include <pybind11/numpy.h>
#include <pybind11/stl.h>
#include <pybind11/stl/filesystem.h>

#include "base/error.h"
#include "base/threads/thread_limit.h"
#include "experiment/resolve_options.h"
#include "options/config_tree.h"
#include "python/bindings.h"
#include "python/config_values.h"
#include "python/logs/click_log.h"
#include "python/predictions.h"
#include "python/python_registry.h"
#include "python/trained_model.h"
#include "python/training_progress.h"
#include "runs/evaluate_run.h"
#include "runs/run_inputs.h"
#include "sources/feature_list_data.h"

namespace ultr::python {
namespace {

namespace py = pybind11;
namespace fs = std::filesystem;

using SharedModel = std::shared_ptr<TrainedModel>;

/// The data that a configuration names, read or simulated.
struct LoadedData {
  std::shared_ptr<const ExperimentData> data;
  std::int64_t seed = 1;

  ClickLog log(SessionLog Dataset::*part) const {
    const Dataset& dataset = data->dataset;
    const bool numbered = dataset.dictionary.names().empty();
    return {.pairs = {data, &dataset.dictionary},
            .sessions = {data, &(dataset.*part)},
            .numbered_queries = numbered,
            .numbered_documents = numbered};
  }
};

ExperimentOptions options_of(const PythonRegistry& registry, const py::dict& config,
                             const std::string& where) {
  const ConfigNode tree = config_of(config, where);
  ExperimentOptions options = resolve_options(tree, fs::current_path(), "fit", *registry.types());
  options.expect_model();
  return options;
}

/// Finds the files of the model, not those of its data.
void locate_model_files(ExperimentOptions& options) {
  options.trained().locate_files(
      [](const std::string& file) { return find_data_file(file, fs::current_path()).string(); });
}

/// Calls a function without the GIL. If Python stops it, throws Python's exception.
template <class Work>
void run_until_stopped(const TrainingProgress& progress, const Work& work) {
  bool stopped = false;
  {
    const py::gil_scoped_release other_threads_run;
    try {
      work();
    } catch (const Stopped&) {
      stopped = true;
    }
  }
  if (stopped) progress.rethrow();
}

using SharedData = std::shared_ptr<const ExperimentData>;
using Loader = std::function<SharedData(const ExperimentOptions&, const Progress&)>;

SharedModel train(const PythonRegistry& registry, ExperimentOptions options, const Loader& load,
                  const py::object& observer) {
  TrainingProgress progress(observer);
  SharedModel trained;
  run_until_stopped(progress, [&] {
    SharedData data = load(options, progress.loading());
    trained = std::make_shared<TrainedModel>(registry.types(), std::move(options), std::move(data),
                                             progress.callbacks());
  });
  return trained;
}

/// Returns what logs in memory are for an experiment. Those with features go through
/// `feature_lists`.
SharedData data_of(const ExperimentOptions& options, const ClickLog& train, const ClickLog* valid,
                   const ClickLog* test) {
  auto data = std::make_shared<ExperimentData>();
  if (train.features.empty()) {
    data->dataset = dataset_of(train, valid, test);
    return data;
  }
  ListGenerator::Parts parts;
  parts.train = lists_of(train);
  IdNames names;
  names.add(train.pairs->names());
  for (const auto& [log, part] : {std::pair(valid, &parts.valid), {test, &parts.test}}) {
    if (log == nullptr || log->sessions->sessions() == 0) continue;
    *part = lists_of(*log);
    names.add(log->pairs->names());
  }
  *data = load_lists(
      options.data.as<DataOptions>(), std::move(parts), names,
      {.seed = static_cast<std::uint64_t>(options.seed), .threads = count_threads(options)});
  return data;
}

SharedModel fit(const PythonRegistry& registry, const py::dict& config, const ClickLog& train_log,
                const std::optional<ClickLog>& valid, const std::optional<ClickLog>& test,
                const py::object& observer) {
  expect_clicks(train_log, "train");
  for (const auto& [log, name] : {std::pair(&valid, "valid"), {&test, "test"}}) {
    if (!*log) continue;
    expect_clicks(**log, name);
    if (!train_log.features.empty()) expect_features(**log, train_log.features, name);
  }
  ExperimentOptions options = options_of(registry, config, "fit");
  locate_model_files(options);
  SharedModel trained = train(
      registry, std::move(options),
      [&](const ExperimentOptions& of, const Progress&) {
        return data_of(of, train_log, valid ? &*valid : nullptr, test ? &*test : nullptr);
      },
      observer);
  trained->set_numbered(train_log.numbered_queries, train_log.numbered_documents);
  return trained;
}

SharedModel fit_loaded(const PythonRegistry& registry, const py::dict& config,
                       const LoadedData& data, const py::object& observer) {
  ExperimentOptions options = options_of(registry, config, "fit");
  if (options.seed != data.seed && options.data.as<DataOptions>().depends_on_seed())
    throw ConfigError(fmt::format(
        "fit: seed is {}, but the data were read with seed {}; expected the same, since "
        "the data of a saved run are read again with its seed",
        options.seed, data.seed));
  options.locate_files(fs::current_path());
  return train(
      registry, std::move(options),
      [&](const ExperimentOptions&, const Progress&) { return data.data; }, observer);
}

SharedData loaded(const ExperimentOptions& options, const Progress& progress) {
  const int threads = count_threads(options);
  const ThreadLimit limit(threads);
  return std::make_shared<const ExperimentData>(
      load_data(options.data.as<DataOptions>(), options.name,
                {.seed = static_cast<std::uint64_t>(options.seed),
                 .threads = threads,
                 .progress = progress}));
}

LoadedData read(const PythonRegistry& registry, const py::dict& config,
                const py::object& observer) {
  ExperimentOptions options = options_of(registry, config, "read");
  options.locate_files(fs::current_path());
  TrainingProgress progress(observer);
  LoadedData data{.data = nullptr, .seed = options.seed};
  run_until_stopped(progress, [&] { data.data = loaded(options, progress.loading()); });
  return data;
}

/// Trains as ultr-run does and fills the run's folder, after Ctrl-C with the best epoch so far.
std::pair<SharedModel, fs::path> run(
    const PythonRegistry& registry, const fs::path& config,
    const std::vector<std::pair<std::string, py::object>>& overrides, const py::object& observer) {
  ConfigNode tree = read_config(config);
  for (const auto& [key, value] : overrides)
    override_config(tree, key, config_of(value, fmt::format("override {}", key)),
                    fmt::format("override {}", key));
  ExperimentOptions options =
      resolve_options(tree, config.parent_path(), config.stem().string(), *registry.types());
  options.expect_model();
  const fs::path folder = RunDirectory(options.output, options.name).path();
  options.locate_files(config.parent_path());
  SharedModel trained = train(registry, std::move(options), loaded, observer);
  const py::gil_scoped_release other_threads_run;
  trained->save(folder);
  return {trained, folder};
}

py::list epochs_of(const TrainedModel& trained) {
  py::list epochs;
  for (const EpochResult& epoch :
       all_epochs(trained.result().earlier_stages, trained.result().training))
    epochs.append(to_python(epoch));
  return epochs;
}

}  // namespace

void bind_training(py::module_& m) {
  py::class_<LoadedData>(m, "LoadedData")
      .def_property_readonly("train",
                             [](const LoadedData& self) { return self.log(&Dataset::train); })
      .def_property_readonly("valid",
                             [](const LoadedData& self) { return self.log(&Dataset::valid); })
      .def_property_readonly("test",
                             [](const LoadedData& self) { return self.log(&Dataset::test); })
      .def_property_readonly(
          "labels", [](const LoadedData& self) { return self.data->dataset.labels.size(); });

  const auto without_gil = py::call_guard<py::gil_scoped_release>();
  py::class_<TrainedModel, SharedModel>(m, "TrainedModel")
      .def("evaluate", &evaluate)
      .def("predict", &predict)
      .def("relevance", &relevance)
      .def("sample", &sample)
      .def("position_bias", &position_bias)
      .def("parameters", &parameters)
      .def("save", &TrainedModel::save, without_gil)
      .def("report", &TrainedModel::report, without_gil)
      .def("results", &TrainedModel::results, without_gil)
      .def_property_readonly("config", &TrainedModel::config)
      .def_property_readonly("model_type",
                             [](const TrainedModel& self) { return self.model().type(); })
      .def_property_readonly("epochs", &epochs_of)
      .def_property_readonly(
          "best_epoch", [](const TrainedModel& self) { return self.result().training.best_epoch; })
      .def_property_readonly("seconds",
                             [](const TrainedModel& self) { return self.result().total_seconds(); })
      .def_property_readonly("was_stopped", &TrainedModel::was_stopped);

  m.def("fit", &fit);
  m.def("fit_loaded", &fit_loaded);
  m.def("read", &read);
  m.def("run", &run);
  m.def("load", [](const PythonRegistry& registry, const fs::path& folder) {
    const py::gil_scoped_release other_threads_run;
    return std::make_shared<TrainedModel>(registry.types(), fs::absolute(folder));
  });
}

}  // namespace ultr::python
