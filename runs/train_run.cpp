#include "runs/train_run.h"

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <numeric>

#include <fmt/ranges.h>

#include "base/log.h"
#include "base/peak_memory.h"
#include "base/standard_output.h"
#include "base/text/formatted_number.h"
#include "base/text/text_hash.h"
#include "distributed/measured_communicator.h"
#include "dsl/programs/start.h"
#include "experiment/resolve_options.h"
#include "experiment/shared_run_directory.h"
#include "runs/evaluate_run.h"
#include "runs/results/results_json.h"
#include "runs/results/run_report.h"
#include "runs/results/run_results.h"
#include "runs/run_inputs.h"
#include "runs/teacher.h"
#include "training/fitters.h"
#include "training/progress_table.h"
#include "training/run_checkpoints.h"

namespace ultr {
namespace {

/// Returns the sum of a number over the processes of a run; `own` if `processes` is null.
double sum_of_all(Communicator* processes, double own) {
  if (processes == nullptr) return own;
  const auto all = gather_all(*processes, std::span<const double>(&own, 1));
  return std::accumulate(all.begin(), all.end(), 0.0);
}

/// Returns the largest of the numbers that the processes know; nothing if none knows any.
std::optional<std::uint64_t> largest_of_all(Communicator* processes,
                                            std::optional<std::uint64_t> own) {
  if (processes == nullptr) return own;
  const std::uint64_t known = own.value_or(0);
  const auto all = gather_all(*processes, std::span<const std::uint64_t>(&known, 1));
  const std::uint64_t largest = std::ranges::max(all);
  return largest > 0 ? std::optional(largest) : std::nullopt;
}

/// Returns the options and data that the checkpoints of a run depend on.
RunFingerprint run_fingerprint(ExperimentOptions& options, const Dataset& dataset) {
  RunFingerprint fingerprint;
  fingerprint.options = result_options(parse_config(saved_config(options), config_file));
  fingerprint.options.emplace_back("seed", std::to_string(options.seed));
  fingerprint.data = fmt::format(
      "{} training sessions of {} documents with {} clicks, {} validation sessions of {}, {} "
      "query-document pairs at {} positions",
      dataset.train.sessions(), dataset.train.documents(), dataset.train.clicked(),
      dataset.valid.sessions(), dataset.valid.documents(), dataset.dictionary.rows() - 1,
      dataset.positions);
  if (dataset.train.has_weights() || dataset.valid.has_weights())
    fingerprint.data +=
        fmt::format(", which stand for {} and {} sessions", dataset.train.weighted_sessions(),
                    dataset.valid.weighted_sessions());
  return fingerprint;
}

/// Throws DataError, in all processes, if they did not read the same configuration and data: query-
/// document pairs would then have other rows in each of them.
void expect_same_data(Communicator& processes, const RunFingerprint& fingerprint,
                      const Dataset& dataset) {
  std::vector<std::string> texts;
  for (const auto& [name, value] : fingerprint.options)
    texts.push_back(fmt::format("{}={}", name, value));
  texts.push_back(fingerprint.data);
  texts.push_back(fmt::format("{} test sessions of {} documents and {} judged lists",
                              dataset.test.sessions(), dataset.test.documents(),
                              dataset.labels.size()));
  texts.push_back(fmt::format("the dictionary {:016x}", dataset.dictionary.id()));
  expect_same(processes, texts);
}

/// Builds the model in all processes, after checking that they have the same data.
TrainableModel build_together(const ExperimentOptions& options, const Dataset& dataset,
                              const RunFingerprint& fingerprint, Communicator* processes) {
  if (processes != nullptr) expect_same_data(*processes, fingerprint, dataset);
  std::optional<TrainableModel> model;
  run_in_all_processes(processes, [&] { model.emplace(build_model(options, dataset, processes)); });
  return std::move(*model);
}

/// Returns the data that a model with a teacher learns from, in all processes; nothing if it has
/// none. Checkpoints depend on the teacher's scores, too.
std::optional<TaughtData> taught_together(const TrainableModel& model,
                                          const ExperimentOptions& options,
                                          const ExperimentData& data, const RunControl& control,
                                          RunFingerprint& fingerprint) {
  std::optional<TaughtData> taught;
  run_in_all_processes(control.processes, [&] { taught = taught_data(model, options, data); });
  if (!taught) return taught;
  const auto bytes = std::as_bytes(std::span(taught->scores));
  fingerprint.data +=
      fmt::format(", a teacher's scores {:016x}",
                  hash_text({reinterpret_cast<const char*>(bytes.data()), bytes.size()}));
  if (!control.epoch)
    log().info("{}: learns the relevance by {} of {} query-document pairs, from {}", model.type(),
               taught->model_type, taught->scores.size() - 1, taught->teacher);
  return taught;
}

void log_model(const TrainableModel& model, const ExperimentOptions& options,
               const RunResult& described) {
  if (const Propensities& estimated = model.setting().estimated_propensities; !estimated.empty())
    log().info("{}: propensities by {} {:.3g}", model.type(),
               options.trained().propensity_estimator(), fmt::join(estimated, " "));
  if (!described.matrix_products.empty())
    log().info("{}: matrix products by {}", model.type(), described.matrix_products);
}

/// The training of a model, stage by stage, in a run's folder.
class StagedTraining {
 public:
  StagedTraining(const TrainableModel& model, ExperimentOptions& options, const Dataset& dataset,
                 RunDirectory& folder, const RunControl& control, RunFingerprint fingerprint)
      : model_(model),
        stages_(model.stages()),
        options_(options),
        dataset_(dataset),
        folder_(folder),
        processes_(control.processes),
        stop_(control.stop),
        epoch_(control.epoch),
        fingerprint_(std::move(fingerprint)) {}

  /// Starts anew, or resumes from the newest checkpoint. Creates the folder once everything that
  /// may be wrong has been checked.
  void start(bool resume) {
    std::optional<Checkpoint> checkpoint;
    if (resume) {
      open_checkpoints();
      checkpoint = checkpoints_->newest();
      state_ = std::move(checkpoint->state());
    }
    for (std::size_t later = state_.earlier.size() + 1; later < stages_.size(); ++later)
      make_fitter_of(stages_[later]);  // throws now rather than when its turn comes
    fitter_ = make_stage_fitter();
    create_for_all(folder_, processes_);
    if (!resume) open_checkpoints();
    if (checkpoint) {
      checkpoint->restore(model_.parameters());
      write_metrics();  // without rows of epochs after the checkpoint
      metrics_are_written_ = true;
    } else {
      folder_.write(config_file, saved_config(options_));
    }
  }

  /// Trains all stages that are left.
  void train() {
    while (true) {
      train_stage();
      if (state_.earlier.size() + 1 == stages_.size()) return;
      if (const std::string& why = state_.done.divergence; !why.empty()) throw Diverged(why);
      state_.earlier.push_back(std::move(state_.done));
      state_ = {.earlier = std::move(state_.earlier)};
      fitter_ = make_stage_fitter();
    }
  }

  /// Writes a checkpoint if one is due, and throws Interrupted if the run is asked to stop.
  /// Training that diverged cannot be resumed from its end, so it is not saved.
  void pause() {
    if (state_.done.divergence.empty()) (*checkpoints_)(state_);
  }
  void write_metrics() const { folder_.write_metrics(all_epochs(state_.earlier, state_.done)); }
  void remove_checkpoints() const { checkpoints_->remove_all(); }
  const TrainingState& state() const { return state_; }

 private:
  void open_checkpoints() {
    checkpoints_.emplace(folder_.path(), options_.checkpoint, fingerprint_, model_.parameters(),
                         stop_, processes_);
  }

  const TrainableModel& stage() const { return stages_.at(state_.earlier.size()); }

  std::unique_ptr<Fitter> make_stage_fitter() const {
    if (stage().story().predicts_clicks() && !dataset_.train.target_above_one()) {
      const double rate = start_at_click_rate(stage(), dataset_.train);
      if (!epoch_) log().info("{}: starts at a click rate of {:.4f}", stage().type(), rate);
    }
    return make_fitter_of(stage());
  }

  std::unique_ptr<Fitter> make_fitter_of(const TrainableModel& stage) const {
    return make_fitter(options_.optimizer.as<FitOptions>(),
                       {.model = stage,
                        .train = dataset_.train,
                        .options = options_.train,
                        .seed = static_cast<std::uint64_t>(options_.seed),
                        .threads = count_threads(options_)});
  }

  /// Adds a finished epoch to metrics.csv. Writes the file whole if it does not have the epochs
  /// before.
  void log_epoch(const EpochResult& epoch) {
    try {
      if (metrics_are_written_) {
        metrics_are_written_ = false;
        folder_.append_metrics(epoch);
      } else {
        write_metrics();
      }
      metrics_are_written_ = true;
    } catch (const DataError& error) {  // no reason to lose the training
      log().warn("{}; training continues", error.what());
    }
  }

  void train_stage() {
    std::optional<ProgressTable> table;
    if (!epoch_) {
      table.emplace(stdout, options_.train.epochs, dataset_.train.sessions());
      table->resume(static_cast<std::int64_t>(state_.done.epochs.size()), state_.fit.sessions);
      table->header();
    }
    train_model(stage(), *fitter_, options_.train, dataset_, count_threads(options_),
                {.step =
                     [&](std::int64_t epoch, std::size_t done) {
                       if (table) table->step(epoch, done);
                     },
                 .epoch =
                     [&](const EpochResult& epoch) {
                       if (table) table->epoch(epoch);
                       if (epoch_) epoch_(epoch);
                       log_epoch(epoch);
                     },
                 .state = std::ref(*checkpoints_)},
                state_);
    if (!epoch_) log_masked_words();
  }

  /// Tells how many masked words the layers guess that this stage taught to.
  void log_masked_words() const {
    for (const TrainableModel::Layer& layer : stage().layers())
      if (const auto accuracy = masked_accuracy(state_.done, layer.name))
        log().info("{}: {} guesses {} of the masked words of the validation lists", stage().type(),
                   layer.name, format_measure(*accuracy));
  }

  const TrainableModel& model_;
  std::vector<TrainableModel> stages_;
  ExperimentOptions& options_;
  const Dataset& dataset_;
  RunDirectory& folder_;
  Communicator* processes_;
  StopRequest stop_;
  std::function<void(const EpochResult&)> epoch_;
  RunFingerprint fingerprint_;
  std::optional<RunCheckpoints> checkpoints_;  // once the folder's name is final
  TrainingState state_;
  std::unique_ptr<Fitter> fitter_;
  bool metrics_are_written_ = false;  // metrics.csv has all finished epochs
};

/// Returns true if a run's folder holds the whole model: model.json is written last.
bool has_model(const RunDirectory& folder) {
  std::error_code ignored;
  return std::filesystem::exists(folder.path() / "model/model.json", ignored);
}

/// Writes a trained model into a new folder among the system's temporary files, from where it can
/// be used as that of a run. Returns a sentence that says where, or why not.
std::string rescue_model(ExperimentOptions& options, const TrainableModel& model,
                         const ExperimentData& data) {
  std::error_code ignored;
  const std::filesystem::path place = std::filesystem::temp_directory_path(ignored);
  std::string path = (place / fmt::format("ultr-{}-XXXXXX", options.name)).string();
  try {
    if (mkdtemp(path.data()) == nullptr)
      throw DataError(fmt::format("{}: cannot be created ({})", path, std::strerror(errno)));
    RunDirectory folder(path, options.name);
    folder.create();
    folder.write(config_file, saved_config(options));
    write_trained_model(folder, model, data);
    return fmt::format("the trained model is kept in {}", path);
  } catch (const Error& error) {
    std::filesystem::remove_all(path, ignored);
    return fmt::format("the trained model is lost: {}", error.what());
  }
}

/// Prints the main results of a run to the terminal.
void print_results(const RunResult& result, const std::filesystem::path& folder) {
  const auto line = [&](const std::string& name, const std::optional<ClickEvaluation>& split) {
    if (!split) return;
    std::vector<std::string> values;
    for (const MetricValue& measure : split->values(Shown::summary))
      if (split->conditional.documents() > 0 || !std::isnan(measure.value))
        values.push_back(measure.name + " " + format_measure(measure.value));
    if (name == "train" && result.train_ll_interval)
      values.push_back(fmt::format(
          "(on {} of {} sessions; all: ll {:.5f} to {:.5f})", split->sessions,
          result.train_sessions, result.train_ll_interval->lower, result.train_ll_interval->upper));
    print_to(stdout, "{:>10}: {}\n", name, fmt::join(values, "  "));
  };
  line("train", result.train);
  line("valid", result.valid);
  line("test", result.test);
  if (result.ranking) {
    print_to(stdout, "{:>10}:", "ranking");
    for (const MetricValue& measure : result.ranking->values(Shown::summary))
      print_to(stdout, " {} {:.4f} ", measure.name, measure.value);
    print_to(stdout, "\n");
  }
  if (const auto& teacher = result.teacher)
    print_to(stdout, "{:>10}: kendall_tau {:.4f} with {} on {} lists\n", "teacher",
             teacher->kendall_tau, teacher->run, teacher->lists);
  print_to(stdout, "results in {}\n", folder.string());
}

}  // namespace

void train_and_evaluate(ExperimentOptions& options, const ExperimentData& given,
                        RunDirectory& folder, const RunControl& unmeasured) {
  forget_peak_memory();
  std::optional<MeasuredCommunicator> processes;
  RunControl control = unmeasured;
  if (control.processes != nullptr) control.processes = &processes.emplace(*control.processes);
  RunFingerprint fingerprint = run_fingerprint(options, given.dataset);
  const TrainableModel model =
      build_together(options, given.dataset, fingerprint, control.processes);
  const std::optional<TaughtData> taught =
      taught_together(model, options, given, control, fingerprint);
  const ExperimentData& data = taught ? taught->data : given;
  if (control.starts) control.starts();
  RunResult result = described_run(options, model, data.dataset);
  if (!control.epoch) log_model(model, options, result);

  StagedTraining training(model, options, data.dataset, folder, control, fingerprint);
  training.start(control.resume);
  const std::clock_t training_begins = std::clock();
  const MessageCounts before = processes ? processes->counts() : MessageCounts();
  training.train();
  if (processes)
    result.messages =
        counts_of_all(*processes, {.bytes = processes->counts().bytes - before.bytes,
                                   .seconds = processes->counts().seconds - before.seconds});
  result.cpu_seconds = sum_of_all(
      control.processes, static_cast<double>(std::clock() - training_begins) / CLOCKS_PER_SEC);
  result.training = training.state().done;
  result.earlier_stages = training.state().earlier;
  const std::string& divergence = result.training.divergence;
  if (!divergence.empty()) result.notes.push_back(divergence);

  try {
    write_trained_model(folder, model, given);  // first, since it cannot be had again
    training.write_metrics();
    evaluate_run(
        model, options, data, given.dataset.dictionary.names(), &folder, [&] { training.pause(); },
        result);
    if (taught) result.teacher = agreement_with_teacher(model, *taught, count_threads(options));
    for (const std::string& warning : result.warnings) log().warn("{}", warning);
    result.peak_memory = largest_of_all(control.processes, peak_memory_bytes());
    if (options.report.enabled) folder.write("report.html", render_report(run_report(result)));
    folder.finish(results_json(result));
    training.remove_checkpoints();
    folder.expect_unmoved();
  } catch (const DataError& error) {
    if (control.processes != nullptr) throw;  // the others do not know, and hold the rows
    throw DataError(fmt::format(
        "{}; {}", error.what(),
        has_model(folder) ? fmt::format("the trained model is kept in {}", folder.path().string())
                          : rescue_model(options, model, given)));
  }
  if (!control.epoch) print_results(result, folder.path());
  if (!divergence.empty()) throw Diverged(divergence);
}

}  // namespace ultr
