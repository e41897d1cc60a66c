#include "experiment/single_run.h"

#include <algorithm>
#include <cmath>
#include <ctime>
#include <numeric>

#include <fmt/ranges.h>

#include "autograd/matmul.h"
#include "base/log.h"
#include "base/peak_memory.h"
#include "experiment/onnx_export.h"
#include "experiment/propensity_estimation.h"
#include "experiment/run_report.h"
#include "experiment/run_results.h"
#include "experiment/test_queries.h"
#include "models/divided_model.h"
#include "models/start.h"
#include "options/config_tree.h"
#include "options/read.h"
#include "options/write.h"
#include "training/fitters.h"
#include "training/progress_table.h"
#include "training/run_checkpoints.h"
#include "training/training.h"

namespace ultr {
namespace {

namespace fs = std::filesystem;

/// Loads the plugins that a configuration names. What is no list of names is left for
/// read_options to refuse.
void load_plugins(const ConfigNode& tree, const fs::path& config_folder, Registry& registry) {
  const ConfigNode* plugins = tree.find("plugins");
  if (plugins == nullptr) return;
  const auto load = [&](const ConfigNode& node) {
    if (node.kind != ConfigNode::Kind::scalar) return;
    const fs::path beside = config_folder / node.scalar;
    registry.load_plugin(fs::exists(beside) ? beside : fs::path(node.scalar));
  };
  load(*plugins);
  for (const ConfigNode& item : plugins->items) load(item);
}

/// Throws ConfigError if the log has other targets than the model can learn from.
void expect_fitting_targets(const TrainableModel& model, const SessionLog& log) {
  const Targets fitting = model.story().targets();
  if (!log.has_targets() || fitting == Targets::grades) return;
  if (fitting == Targets::clicks)
    throw ConfigError(fmt::format(
        "{} learns from clicks, session by session, and the training data have labels or click "
        "rates; expected a ranking loss, or clicks",
        model.type()));
  if (const auto target = log.target_above_one())
    throw ConfigError(fmt::format(
        "{} learns from clicks or their rates, and the training data have a target of {}; "
        "expected at most 1 (data.learn_from.scale: probability)",
        model.type(), *target));
}

/// Mean examination by position under the model that made the sessions.
std::vector<double> true_examination(const ExperimentData& data, const TrainOptions& train,
                                     int threads) {
  if (!data.truth) return {};
  const Dataset& d = data.dataset;
  const SessionLog& last = d.test.sessions() > 0    ? d.test
                           : d.valid.sessions() > 0 ? d.valid
                                                    : d.train;
  return evaluate_clicks(*data.truth, last, train.mean(), threads).examination;
}

/// What of an experiment must stay the same for a checkpoint to be of use.
CheckpointOwner checkpoint_owner(ExperimentOptions& options, const Dataset& dataset) {
  CheckpointOwner owner;
  owner.options = result_options(parse_config(saved_config(options), config_file));
  owner.options.emplace_back("seed", std::to_string(options.seed));
  owner.data = fmt::format(
      "{} training sessions of {} documents with {} clicks, {} validation sessions of {}, {} "
      "query-document pairs at {} positions",
      dataset.train.sessions(), dataset.train.documents(), dataset.train.clicked(),
      dataset.valid.sessions(), dataset.valid.documents(), dataset.dictionary.rows() - 1,
      dataset.positions);
  return owner;
}

/// Throws DataError, in all processes, if they did not read the same configuration and data: rows
/// of pairs would be others in each.
void expect_same_data(Communicator& ranks, const CheckpointOwner& owner, const Dataset& dataset) {
  std::vector<std::string> texts;
  for (const auto& [name, value] : owner.options)
    texts.push_back(fmt::format("{}={}", name, value));
  texts.push_back(owner.data);
  texts.push_back(fmt::format("{} test sessions of {} documents and {} judged lists",
                              dataset.test.sessions(), dataset.test.documents(),
                              dataset.labels.size()));
  texts.push_back(fmt::format("the dictionary {:016x}", dataset.dictionary.id()));
  expect_same(ranks, texts);
}

/// Of all stages until now.
std::vector<EpochResult> all_epochs(const TrainingState& state) {
  std::vector<EpochResult> epochs;
  for (const TrainingResult& stage : state.earlier)
    epochs.insert(epochs.end(), stage.epochs.begin(), stage.epochs.end());
  epochs.insert(epochs.end(), state.done.epochs.begin(), state.done.epochs.end());
  return epochs;
}

/// Of the processes that train a model; null: of this one alone.
double sum_of_all(Communicator* ranks, double own) {
  if (ranks == nullptr) return own;
  const auto all = gather_all(*ranks, std::span<const double>(&own, 1));
  return std::accumulate(all.begin(), all.end(), 0.0);
}

/// The same of numbers that a system may not tell.
std::optional<std::uint64_t> largest_of_all(Communicator* ranks, std::optional<std::uint64_t> own) {
  if (ranks == nullptr) return own;
  const std::uint64_t known = own.value_or(0);
  const auto all = gather_all(*ranks, std::span<const std::uint64_t>(&known, 1));
  const std::uint64_t largest = *std::max_element(all.begin(), all.end());
  return largest > 0 ? std::optional(largest) : std::nullopt;
}

bool has_tower(const TrainableModel& model) {
  const auto& layers = model.layers();
  return std::any_of(layers.begin(), layers.end(), [](const TrainableModel::Layer& layer) {
    return dynamic_cast<const Tower*>(layer.layer.get()) != nullptr;
  });
}

void print_results(const RunResult& result, const fs::path& folder) {
  const auto line = [](const std::string& name, const std::optional<ClickEvaluation>& split) {
    if (!split) return;
    std::vector<std::string> values;
    for (const MetricValue& measure : split->values(Shown::summary))
      if (split->conditional.documents() > 0 || !std::isnan(measure.value))
        values.push_back(fmt::format("{} {:.5f}", measure.name, measure.value));
    fmt::print("{:>10}: {}\n", name, fmt::join(values, "  "));
  };
  line("train", result.train);
  line("valid", result.valid);
  line("test", result.test);
  if (result.ranking) {
    fmt::print("{:>10}:", "ranking");
    for (const MetricValue& measure : result.ranking->values(Shown::summary))
      fmt::print(" {} {:.4f} ", measure.name, measure.value);
    fmt::print("\n");
  }
  fmt::print("results in {}\n", folder.string());
}

}  // namespace

ExperimentOptions resolve_options(const fs::path& config, const std::vector<std::string>& overrides,
                                  Registry& registry) {
  ConfigNode tree = read_config(config);
  for (const std::string& assignment : overrides) override_config(tree, assignment);
  return resolve_options(tree, config.parent_path(), config.stem().string(), registry);
}

ExperimentOptions resolve_options(const ConfigNode& tree, const fs::path& folder,
                                  const std::string& name, Registry& registry) {
  load_plugins(tree, folder, registry);
  ExperimentOptions options(registry);
  options.known_types = &registry;
  options.choose_analysis(tree, registry);
  read_options(tree, options);
  options.plugins = registry.plugins();
  if (options.name.empty()) options.name = name;
  options.check();
  return options;
}

std::string saved_config(ExperimentOptions& options) {
  const std::string output = std::exchange(options.output, "");
  std::string text = write_options(options);
  options.output = output;
  return text;
}

ExperimentData load_data(const ExperimentOptions& options) {
  return load_data(
      options.data.as<DataOptions>(), options.name,
      {.seed = static_cast<std::uint64_t>(options.seed), .threads = count_threads(options)});
}

ExperimentData load_data(const DataOptions& options, const std::string& name,
                         const DataSetting& setting) {
  ExperimentData data = options.load(setting);
  const Dataset& dataset = data.dataset;
  for (const std::string& note : dataset.notes) log().warn("{}", note);
  log().info(
      "{}: {} training, {} validation, {} test sessions; {} query-document pairs; click rate "
      "{:.4f}; {} thread{}",
      name, dataset.train.sessions(), dataset.valid.sessions(), dataset.test.sessions(),
      dataset.dictionary.rows() - 1, dataset.train.click_rate(), setting.threads,
      setting.threads == 1 ? "" : "s");
  return data;
}

TrainableModel build_model(const ExperimentOptions& options, const Dataset& dataset,
                           Communicator* ranks) {
  TrainableModel model =
      options.trained().build({.rows = dataset.dictionary.rows(),
                               .positions = static_cast<std::int64_t>(dataset.positions),
                               .seed = static_cast<std::uint64_t>(options.seed),
                               .features = dataset.features,
                               .train = &dataset.train,
                               .estimated_propensities = estimate_propensities(options, dataset),
                               .ranks = ranks});
  divide_tables(model);  // or refuse to
  expect_fitting_targets(model, dataset.train);
  for (const SessionLog* log : {&dataset.train, &dataset.valid, &dataset.test})
    model.story().check(*log);
  return model;
}

void train_and_evaluate(ExperimentOptions& options, const ExperimentData& data,
                        RunDirectory& folder, const RunControl& control) {
  forget_peak_memory();
  const Dataset& dataset = data.dataset;
  const int threads = count_threads(options);
  const CheckpointOwner owner = checkpoint_owner(options, dataset);
  if (control.ranks != nullptr) expect_same_data(*control.ranks, owner, dataset);
  std::optional<TrainableModel> built;
  together(control.ranks, [&] { built.emplace(build_model(options, dataset, control.ranks)); });
  const TrainableModel& model = *built;
  if (control.starts) control.starts();
  const std::vector<TrainableModel> stages = model.stages();
  if (const Propensities& estimated = model.setting().estimated_propensities; !estimated.empty())
    log().info("{}: propensities by {} {:.3g}", model.type(),
               options.trained().propensity_estimator(), fmt::join(estimated, " "));
  if (has_tower(model)) log().info("{}: matrix products by {}", model.type(), matmul_kernel());

  RunResult result;
  result.name = options.name;
  result.title = options.report.title.empty() ? options.name : options.report.title;
  result.model_type = model.type();
  result.seed = static_cast<std::uint64_t>(options.seed);
  result.processes = count_processes(control.ranks);
  result.notes = dataset.notes;
  result.train_sessions = dataset.train.sessions();
  result.train_documents = dataset.train.documents();

  const auto start_stage = [&](const TrainableModel& stage) {
    if (stage.story().predicts_clicks() && !dataset.train.has_targets())
      log().info("{}: starts at a click rate of {:.4f}", stage.type(),
                 start_at_click_rate(stage, dataset.train));
    return make_fitter(options.optimizer.as<FitOptions>(), {.model = stage,
                                                            .train = dataset.train,
                                                            .options = options.train,
                                                            .seed = result.seed,
                                                            .threads = threads});
  };
  result.config = saved_config(options);
  RunCheckpoints checkpoints(folder.path(), options.checkpoint, owner, model.parameters(),
                             control.stop, control.ranks);
  TrainingState state;
  std::optional<Checkpoint> checkpoint;
  if (control.resume) {
    checkpoint = checkpoints.newest();
    state = std::move(checkpoint->state());
  }
  std::unique_ptr<Fitter> fitter = start_stage(stages.at(state.earlier.size()));
  together(control.ranks, [&] { folder.create(); });
  if (checkpoint) {
    checkpoint->restore(model.parameters());
    checkpoint.reset();
    folder.write_metrics(all_epochs(state));
  } else {
    folder.write(config_file, result.config);
  }

  const std::clock_t training_begins = std::clock();
  for (;;) {
    const TrainableModel& stage = stages[state.earlier.size()];
    ProgressTable table(stdout, options.train.epochs, dataset.train.sessions());
    table.resume(static_cast<std::int64_t>(state.done.epochs.size()), state.fit.sessions);
    table.header();
    train_model(stage, *fitter, options.train, dataset, threads,
                {.step = [&](std::int64_t epoch, std::size_t done) { table.step(epoch, done); },
                 .epoch =
                     [&](const EpochResult& epoch) {
                       table.epoch(epoch);
                       folder.write_metrics(all_epochs(state));
                     },
                 .state = std::ref(checkpoints)},
                state);
    if (state.earlier.size() + 1 == stages.size()) break;
    state.earlier.push_back(std::move(state.done));
    state = {.earlier = std::move(state.earlier)};
    fitter = start_stage(stages[state.earlier.size()]);
  }
  result.cpu_seconds = sum_of_all(
      control.ranks, static_cast<double>(std::clock() - training_begins) / CLOCKS_PER_SEC);
  result.training = state.done;
  result.earlier_stages = state.earlier;

  const auto evaluate = [&](const SessionLog& sessions) -> std::optional<ClickEvaluation> {
    checkpoints(state);  // it may be to stop here too
    if (sessions.sessions() == 0) return std::nullopt;
    return evaluate_clicks(model, sessions, options.train.mean(), threads);
  };
  result.train = evaluate(dataset.train);
  result.valid = evaluate(dataset.valid);
  if (dataset.test.sessions() > 0) {
    std::vector<SessionLikelihood> each(dataset.test.sessions());
    checkpoints(state);
    result.test = evaluate_clicks(model, dataset.test, options.train.mean(), threads, each);
    if (result.test->conditional.documents() > 0)
      folder.write(query_clicks_file, query_clicks_csv(dataset.test, each));
  }
  checkpoints(state);
  if (dataset.labels.size() > 0) {
    result.ranking = evaluate_ranking(model, dataset.labels, options.evaluate.ranking());
    folder.write(query_rankings_file, query_rankings_csv(dataset.labels, *result.ranking));
  }
  if (!data.policy_scores.empty())
    result.policy_ranking =
        evaluate_scores(data.policy_scores, dataset.labels, options.evaluate.ranking());
  result.true_examination = true_examination(data, options.train, threads);
  result.position_bias = learned_position_bias(model);
  result.true_position_bias = data.position_bias;
  checkpoints(state);

  folder.write_model(model, dataset.dictionary, data.scaling);
  if (const auto onnx =
          data.scaling ? relevance_onnx(model, *data.scaling, data.bias_columns) : std::nullopt)
    folder.write(fmt::format("model/{}", relevance_onnx_file), *onnx);
  result.peak_memory = largest_of_all(control.ranks, peak_memory_bytes());
  if (options.report.enabled) folder.write("report.html", render_report(run_report(result)));
  folder.write(results_file, results_json(result));
  checkpoints.remove_all();
  print_results(result, folder.path());
}

}  // namespace ultr
