#include "runs/train_run.h"

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <numeric>

#include <fmt/ranges.h>

#include "autograd/ops/matmul.h"
#include "base/log.h"
#include "base/peak_memory.h"
#include "base/standard_output.h"
#include "dsl/start.h"
#include "experiment/resolve_options.h"
#include "runs/onnx_export.h"
#include "runs/results_json.h"
#include "runs/run_inputs.h"
#include "runs/run_report.h"
#include "runs/run_results.h"
#include "runs/test_queries.h"
#include "training/fitters.h"
#include "training/likelihood_intervals.h"
#include "training/progress_table.h"
#include "training/run_checkpoints.h"

namespace ultr {
namespace {

/// Returns the epochs of all stages until now.
std::vector<EpochResult> all_epochs(const TrainingState& state) {
  std::vector<EpochResult> epochs;
  for (const TrainingResult& stage : state.earlier)
    epochs.insert(epochs.end(), stage.epochs.begin(), stage.epochs.end());
  epochs.insert(epochs.end(), state.done.epochs.begin(), state.done.epochs.end());
  return epochs;
}

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

bool has_tower(const TrainableModel& model) {
  return std::ranges::any_of(model.layers(), [](const TrainableModel::Layer& layer) {
    return dynamic_cast<const Tower*>(layer.layer.get()) != nullptr;
  });
}

void log_model(const TrainableModel& model, const ExperimentOptions& options) {
  if (const Propensities& estimated = model.setting().estimated_propensities; !estimated.empty())
    log().info("{}: propensities by {} {:.3g}", model.type(),
               options.trained().propensity_estimator(), fmt::join(estimated, " "));
  if (has_tower(model)) log().info("{}: matrix products by {}", model.type(), matmul_kernel());
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
    fitter_ = make_stage_fitter();
    create_folder();
    if (!resume) open_checkpoints();
    if (checkpoint) {
      checkpoint->restore(model_.parameters());
      write_metrics();
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
  void write_metrics() const { folder_.write_metrics(all_epochs(state_)); }
  void remove_checkpoints() const { checkpoints_->remove_all(); }
  const TrainingState& state() const { return state_; }

 private:
  /// Creates the folder, which may get another name. All processes know it afterwards.
  void create_folder() {
    run_in_all_processes(processes_, [&] { folder_.create(); });
    if (processes_ == nullptr) return;
    const auto path = broadcast_from_first(*processes_, folder_.path().string());
    if (!is_first_process(processes_)) folder_ = RunDirectory::of_other_process(path);
  }
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
    return make_fitter(options_.optimizer.as<FitOptions>(),
                       {.model = stage(),
                        .train = dataset_.train,
                        .options = options_.train,
                        .seed = static_cast<std::uint64_t>(options_.seed),
                        .threads = count_threads(options_)});
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
                       try {
                         write_metrics();
                       } catch (const DataError& error) {  // no reason to lose the training
                         log().warn("{}; training continues", error.what());
                       }
                     },
                 .state = std::ref(*checkpoints_)},
                state_);
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
};

/// Returns the results of a run that are known before training.
RunResult described_run(ExperimentOptions& options, const TrainableModel& model,
                        const Dataset& dataset) {
  RunResult result;
  result.name = options.name;
  result.title = options.report.title.empty() ? options.name : options.report.title;
  result.model_type = model.type();
  result.config = saved_config(options);
  result.notes = dataset.notes;
  result.seed = static_cast<std::uint64_t>(options.seed);
  result.processes = count_processes(model.setting().processes);
  if (has_tower(model)) result.matrix_products = matmul_kernel();
  result.train_sessions = dataset.train.sessions();
  result.train_documents = dataset.train.documents();
  return result;
}

/// Returns mean examination by position under the model that simulated the sessions, on the last
/// split that has any; empty if no model did.
std::vector<double> true_examination(const ExperimentData& data, LossMean mean, int threads) {
  if (!data.truth) return {};
  const Dataset& d = data.dataset;
  const SessionLog& last = d.test.sessions() > 0    ? d.test
                           : d.valid.sessions() > 0 ? d.valid
                                                    : d.train;
  return evaluate_clicks(*data.truth, last, mean, threads).examination;
}

/// Returns the intervals of position bias from the training sessions; empty if there are none, or
/// if a pass over the sessions would take long.
std::vector<ConfidenceInterval> intervals_of_position_bias(const TrainableModel& model,
                                                           const SessionLog& train, int threads) {
  constexpr std::size_t affordable_documents = 2'000'000;
  if (model.setting().processes != nullptr || train.documents() > affordable_documents ||
      !why_no_intervals(model, train).empty())
    return {};
  return likelihood_intervals(model, train, threads).position_bias;
}

/// Returns `count` sessions of a log at even distances, without features of their own.
SessionLog sample_of(const SessionLog& log, std::size_t count) {
  SessionLog sample;
  for (std::size_t i = 0; i < count; ++i) sample.add(log[i * log.sessions() / count]);
  log.release();
  return sample;
}

/// Returns the 95% interval of the mean log-likelihood per document of all sessions, given those of
/// a sample.
ConfidenceInterval ll_interval(const SessionLog& sample, std::span<const SessionLikelihood> each) {
  std::vector<double> totals, lengths;
  for (std::size_t i = 0; i < each.size(); ++i) {
    totals.push_back(each[i].conditional);
    lengths.push_back(static_cast<double>(sample.length(i)));
  }
  return ratio_interval(totals, lengths);
}

/// Evaluates a trained model: its clicks on all splits, its ranking of the judged lists, and the
/// position bias that it has learned, beside the truth where data are simulated. Sets these fields
/// of the result and writes the measurements of each query to the run's folder. Calls `pause`
/// between evaluations; an exception from it ends them.
void evaluate_run(const TrainableModel& model, const ExperimentOptions& options,
                  const ExperimentData& data, const RunDirectory& folder,
                  const std::function<void()>& pause, RunResult& result) {
  const Dataset& dataset = data.dataset;
  const LossMean mean = options.train.mean();
  const int threads = count_threads(options);
  const RankingOptions ranking = options.evaluate.ranking();
  const auto evaluate =
      [&](const SessionLog& sessions,
          std::span<SessionLikelihood> each = {}) -> std::optional<ClickEvaluation> {
    pause();
    if (sessions.sessions() == 0) return std::nullopt;
    return evaluate_clicks(model, sessions, mean, threads, each);
  };
  const auto most = static_cast<std::size_t>(options.evaluate.train_sessions);
  const bool predicts = model.story().predicts_clicks() && !dataset.train.has_targets();
  if (most > 1 && most < dataset.train.sessions() && predicts && dataset.train.features().empty()) {
    const SessionLog sample = sample_of(dataset.train, most);
    std::vector<SessionLikelihood> each(most);
    result.train = evaluate(sample, each);
    result.train_ll_interval = ll_interval(sample, each);
  } else {
    result.train = evaluate(dataset.train);
  }
  result.valid = evaluate(dataset.valid);
  std::vector<SessionLikelihood> each(dataset.test.sessions());
  result.test = evaluate(dataset.test, each);
  if (result.test && result.test->conditional.documents() > 0)
    folder.write(query_clicks_file,
                 query_clicks_csv(dataset.test, each, dataset.dictionary.names()));
  pause();
  if (dataset.labels.size() > 0) {
    result.ranking = evaluate_ranking(model, dataset.labels, ranking);
    folder.write(query_rankings_file,
                 query_rankings_csv(dataset.labels, *result.ranking, dataset.dictionary.names()));
  }
  if (!data.policy_scores.empty())
    result.policy_ranking = evaluate_scores(data.policy_scores, dataset.labels, ranking);
  result.true_examination = true_examination(data, mean, threads);
  result.position_bias = learned_position_bias(model);
  if (result.position_bias)
    result.position_bias_intervals = intervals_of_position_bias(model, dataset.train, threads);
  result.true_position_bias = data.position_bias;
  pause();
  result.examination_check =
      check_examination(result.position_bias, dataset.train, result.seed, threads);
  result.warnings = run_warnings(model, result.examination_check);
}

/// Writes model/ of a run's folder, with its relevance as ONNX where it is computed from features.
/// If several processes train the model, all must call this; the first writes.
void write_trained_model(const RunDirectory& folder, const TrainableModel& model,
                         const ExperimentData& data) {
  folder.write_model(model, data.dataset.dictionary, data.scaling);
  if (!data.scaling) return;
  if (const auto onnx = relevance_onnx(model, *data.scaling, data.bias_columns))
    folder.write(fmt::format("model/{}", relevance_onnx_file), *onnx);
}

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
        values.push_back(fmt::format("{} {:.5f}", measure.name, measure.value));
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
  print_to(stdout, "results in {}\n", folder.string());
}

}  // namespace

void train_and_evaluate(ExperimentOptions& options, const ExperimentData& data,
                        RunDirectory& folder, const RunControl& control) {
  forget_peak_memory();
  const RunFingerprint fingerprint = run_fingerprint(options, data.dataset);
  const TrainableModel model =
      build_together(options, data.dataset, fingerprint, control.processes);
  if (control.starts) control.starts();
  if (!control.epoch) log_model(model, options);
  RunResult result = described_run(options, model, data.dataset);

  StagedTraining training(model, options, data.dataset, folder, control, fingerprint);
  training.start(control.resume);
  const std::clock_t training_begins = std::clock();
  training.train();
  result.cpu_seconds = sum_of_all(
      control.processes, static_cast<double>(std::clock() - training_begins) / CLOCKS_PER_SEC);
  result.training = training.state().done;
  result.earlier_stages = training.state().earlier;
  const std::string& divergence = result.training.divergence;
  if (!divergence.empty()) result.notes.push_back(divergence);

  try {
    write_trained_model(folder, model, data);  // first, since it cannot be had again
    training.write_metrics();
    evaluate_run(
        model, options, data, folder, [&] { training.pause(); }, result);
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
                          : rescue_model(options, model, data)));
  }
  if (!control.epoch) print_results(result, folder.path());
  if (!divergence.empty()) throw Diverged(divergence);
}

}  // namespace ultr
