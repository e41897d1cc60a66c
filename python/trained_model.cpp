#include "python/trained_model.h"

#include <algorithm>
#include <ctime>
#include <fstream>
#include <sstream>

#include <fmt/format.h>

#include "base/error.h"
#include "base/log.h"
#include "base/peak_memory.h"
#include "base/threads/thread_limit.h"
#include "dsl/programs/start.h"
#include "experiment/resolve_options.h"
#include "runs/evaluate_run.h"
#include "runs/results/run_report.h"
#include "runs/run_inputs.h"
#include "training/fitters.h"
#include "training/run_files.h"

namespace ultr::python {
namespace {

namespace fs = std::filesystem;

std::string read_text(const fs::path& file) {
  std::ifstream stream(file, std::ios::binary);
  std::ostringstream text;
  text << stream.rdbuf();
  if (!stream)
    throw DataError(fmt::format("{}: cannot be read; expected a finished run", file.string()));
  return text.str();
}

/// Throws ConfigError if a folder is that of a run, or below it.
void expect_outside(const fs::path& folder, const fs::path& run) {
  const fs::path inner = fs::weakly_canonical(folder), outer = fs::weakly_canonical(run);
  if (std::mismatch(outer.begin(), outer.end(), inner.begin(), inner.end()).first == outer.end())
    throw ConfigError(
        fmt::format("{}: is within the folder {} of the run itself; expected one outside of it",
                    folder.string(), run.string()));
}

/// Returns true if no id of a column of a dictionary stands for a text (IdNames).
bool are_numbers(const PairDictionary& dictionary,
                 std::vector<std::uint64_t> (PairDictionary::*column)() const) {
  if (dictionary.is_hashed() || dictionary.names().empty()) return true;
  const std::vector<std::uint64_t> ids = (dictionary.*column)();
  return std::ranges::none_of(ids, [](std::uint64_t id) { return id >> 63 != 0; });
}

}  // namespace

TrainedModel::TrainedModel(std::shared_ptr<Registry> types, ExperimentOptions options,
                           std::shared_ptr<const ExperimentData> data,
                           const TrainingCallbacks& callbacks)
    : types_(std::move(types)), data_(std::move(data)), options_(std::move(options)) {
  set_numbered(are_numbers(dictionary(), &PairDictionary::queries),
               are_numbers(dictionary(), &PairDictionary::documents));
  const ThreadLimit limit(threads());
  model_.emplace(build_model(*options_, data_->dataset));
  taught_ = taught_data(*model_, *options_, *data_);
  result_ = described_run(*options_, *model_, data_->dataset);
  train(callbacks);
}

TrainedModel::TrainedModel(std::shared_ptr<Registry> types, const fs::path& run)
    : types_(std::move(types)), saved_(std::in_place, run, *types_) {
  set_numbered(are_numbers(dictionary(), &PairDictionary::queries),
               are_numbers(dictionary(), &PairDictionary::documents));
}

std::size_t TrainedModel::features() const {
  if (saved_) return saved_->features();
  return data_->scaling ? data_->scaling->features() : 0;
}

FeatureTable TrainedModel::scaled(const FeatureTable& features) const {
  const FeatureScaling& scaling = saved_ ? *saved_->scaling() : *data_->scaling;
  const BiasColumns& bias = saved_ ? saved_->bias_columns() : data_->bias_columns;
  const auto count = static_cast<std::size_t>(features.count());
  std::vector<float> rows;
  for (std::int64_t row = 0; row < features.rows(); ++row)
    rows.insert(rows.end(), features.row(row).begin(), features.row(row).end());
  scaling.apply(rows);
  bias.move_last(rows);
  std::fill_n(rows.begin(), count, 0.F);  // row 0
  return {std::move(rows), features.count(), static_cast<std::int64_t>(bias.count())};
}

void TrainedModel::train(const TrainingCallbacks& callbacks) {
  forget_peak_memory();
  const std::clock_t begins = std::clock();
  const std::vector<TrainableModel> stages = model_->stages();
  for (std::size_t i = 0; i < stages.size(); ++i) {
    TrainingState state;
    train_stage(stages[i], callbacks, state);
    if (i + 1 == stages.size()) {
      result_.training = std::move(state.done);
    } else {
      if (stopped_) throw Stopped{};  // later stages have learned nothing
      if (!state.done.divergence.empty()) throw Diverged(state.done.divergence);
      result_.earlier_stages.push_back(std::move(state.done));
    }
  }
  result_.cpu_seconds = static_cast<double>(std::clock() - begins) / CLOCKS_PER_SEC;
  if (const std::string& divergence = result_.training.divergence; !divergence.empty()) {
    result_.notes.push_back(divergence);
    log().warn("{}", divergence);
  }
}

void TrainedModel::train_stage(const TrainableModel& stage, const TrainingCallbacks& callbacks,
                               TrainingState& state) {
  const Dataset& dataset = lessons().dataset;
  if (stage.story().predicts_clicks() && !dataset.train.target_above_one())
    start_at_click_rate(stage, dataset.train);
  const auto fitter = make_fitter(options_->optimizer.as<FitOptions>(),
                                  {.model = stage,
                                   .train = dataset.train,
                                   .options = options_->train,
                                   .seed = static_cast<std::uint64_t>(options_->seed),
                                   .threads = threads()});
  try {
    train_model(stage, *fitter, options_->train, dataset, threads(),
                {.step = callbacks.step, .epoch = callbacks.epoch}, state);
  } catch (const Stopped&) {
    if (state.done.epochs.empty()) throw;
    const std::vector<Parameter*> parameters = stage.parameters();
    for (std::size_t i = 0; i < state.best.size(); ++i) parameters[i]->assign(state.best[i]);
    stopped_ = true;
  }
}

void TrainedModel::evaluate_into(const RunDirectory* folder) {
  evaluate_run(
      *model_, *options_, lessons(), dictionary().names(), folder, [] {}, result_);
  if (taught_) result_.teacher = agreement_with_teacher(*model_, *taught_, threads());
  if (!evaluated_) result_.peak_memory = peak_memory_bytes();  // of training, not of saving later
  evaluated_ = true;
}

void TrainedModel::evaluate() {
  if (evaluated_) return;
  const ThreadLimit limit(threads());
  evaluate_into(nullptr);
}

std::string TrainedModel::config() const {
  return saved_ ? read_text(saved_->run() / config_file) : result_.config;
}

void TrainedModel::save(const fs::path& folder) {
  RunDirectory run(folder.string(), options().name);
  if (saved_) {
    expect_outside(folder, saved_->run());
    run.create();
    fs::copy(saved_->run(), folder,
             fs::copy_options::recursive | fs::copy_options::overwrite_existing);
    return;
  }
  const std::scoped_lock lock(evaluating_);
  const ThreadLimit limit(threads());
  run.create();
  run.write(config_file, saved_config(*options_));
  run.write_metrics(all_epochs(result_.earlier_stages, result_.training));
  evaluate_into(&run);
  write_trained_model(run, *model_, *data_);
  if (options_->report.enabled) run.write("report.html", render_report(run_report(result_)));
  run.finish(results_json(result_));
}

std::string TrainedModel::report() {
  if (saved_) return read_text(saved_->run() / "report.html");
  const std::scoped_lock lock(evaluating_);
  evaluate();
  return render_report(run_report(result_));
}

std::string TrainedModel::results() {
  if (saved_) return read_text(saved_->run() / results_file);
  const std::scoped_lock lock(evaluating_);
  evaluate();
  return results_json(result_);
}

}  // namespace ultr::python
