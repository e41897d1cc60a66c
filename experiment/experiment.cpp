#include "experiment/experiment.h"

#include <algorithm>
#include <thread>

#include <fmt/core.h>
#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>
#include <tbb/global_control.h>

#include "data/error.h"
#include "experiment/convert.h"
#include "experiment/data_options.h"
#include "experiment/experiment_options.h"
#include "experiment/progress.h"
#include "experiment/run_directory.h"
#include "experiment/run_report.h"
#include "experiment/training.h"
#include "metrics/metrics.h"
#include "models/model_check.h"
#include "models/start.h"
#include "optim/schedule.h"
#include "options/config_tree.h"
#include "options/help.h"
#include "options/read.h"
#include "options/write.h"

namespace ultr {
namespace {

namespace fs = std::filesystem;

/// Messages about what happens, one a line on standard error.
spdlog::logger& log() {
  static const auto logger = [] {
    auto made =
        std::make_shared<spdlog::logger>("ultr", std::make_shared<spdlog::sinks::stderr_sink_mt>());
    made->set_pattern("%v");
    return made;
  }();
  return *logger;
}

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

/// Options with everything that is left open filled in.
ExperimentOptions resolve(const fs::path& config, const std::vector<std::string>& overrides,
                          Registry& registry) {
  ConfigNode tree = read_config(config);
  for (const std::string& assignment : overrides) override_config(tree, assignment);
  load_plugins(tree, config.parent_path(), registry);
  ExperimentOptions options(registry);
  read_options(tree, options);
  options.plugins = registry.plugins();
  if (options.name.empty()) options.name = config.stem().string();
  options.check();
  return options;
}

int count_threads(const ExperimentOptions& options) {
  if (options.threads > 0) return static_cast<int>(options.threads);
  return static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
}

/// The resolved configuration without what belongs to this run alone.
std::string saved_config(ExperimentOptions& options) {
  const std::string output = std::exchange(options.output, "");
  std::string text = write_options(options);
  options.output = output;
  return text;
}

TrainableModel build_model(const ExperimentOptions& options, const Dataset& dataset) {
  return options.model.as<ModelOptions>().build(
      {.rows = dataset.dictionary.rows(),
       .positions = static_cast<std::int64_t>(dataset.positions),
       .seed = static_cast<std::uint64_t>(options.seed)});
}

/// Sessions to check gradients on where the configured ones are missing.
ExperimentData simulate_a_few(const DataSetting& setting, const Registry& registry) {
  Choice simulation(registry.data(), "simulation", "format");
  read_options(parse_config("{sessions: 100, valid_sessions: 0, test_sessions: 0}", "simulation"),
               *simulation.options);
  return simulation.as<DataOptions>().load(setting);
}

int report_gradients(const TrainableModel& model, const ExperimentOptions& options,
                     const SessionLog& sessions) {
  constexpr std::size_t most_sessions = 32;
  std::vector<std::uint32_t> some;
  for (std::size_t i = 0; i < std::min(most_sessions, sessions.sessions()); ++i)
    some.push_back(static_cast<std::uint32_t>(i));
  Shard shard;
  shard.pack(sessions, some);
  const GradientReport report = check_model_gradient(model, shard, options.train.mean());
  constexpr double tolerance = 1e-7;
  const bool agree = report.worst.error <= tolerance;
  fmt::print("{}: gradients {} on {} sessions (tolerance {:.0e}); {}\n", model.type(),
             agree ? "agree with finite differences" : "DISAGREE with finite differences",
             some.size(), tolerance, report.to_string());
  return agree ? 0 : 1;
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

void print_results(const RunResult& result, const fs::path& folder) {
  const auto line = [](const std::string& name, const std::optional<ClickEvaluation>& e) {
    if (e)
      fmt::print("{:>10}: loss {:.5f}  ll {:.5f}  ppl {:.5f}  cond_ppl {:.5f}\n", name, e->loss,
                 e->conditional.log_likelihood(), e->unconditional.perplexity(),
                 e->conditional.perplexity());
  };
  line("train", result.train);
  line("valid", result.valid);
  line("test", result.test);
  if (result.ranking) {
    fmt::print("{:>10}:", "ranking");
    for (const MetricValue& metric : result.ranking->values())
      if (metric.name.starts_with("ndcg") || metric.name == "arp")
        fmt::print(" {} {:.4f} ", metric.name, metric.value);
    fmt::print("\n");
  }
  fmt::print("results in {}\n", folder.string());
}

int train_and_evaluate(ExperimentOptions& options, const ExperimentData& data,
                       const TrainableModel& model, const RunDirectory& folder, int threads) {
  const Dataset& dataset = data.dataset;
  RunResult result;
  result.name = options.name;
  result.title = options.report.title.empty() ? options.name : options.report.title;
  result.model_type = model.type();
  result.seed = static_cast<std::uint64_t>(options.seed);
  result.notes = dataset.notes;
  result.train_sessions = dataset.train.sessions();
  result.train_documents = dataset.train.documents();

  const auto fitter = make_fitter(options.optimizer.as<FitOptions>(), {.model = model,
                                                                       .train = dataset.train,
                                                                       .options = options.train,
                                                                       .seed = result.seed,
                                                                       .threads = threads});
  folder.create();
  result.config = saved_config(options);
  folder.write("config.yaml", result.config);

  ProgressTable table(stdout, options.train.epochs, dataset.train.sessions());
  table.header();
  std::vector<EpochResult> epochs;
  result.training =
      train_model(model, *fitter, options.train, dataset, threads,
                  {.step = [&](std::int64_t epoch, std::size_t done) { table.step(epoch, done); },
                   .epoch =
                       [&](const EpochResult& epoch) {
                         table.epoch(epoch);
                         epochs.push_back(epoch);
                         folder.write_metrics(epochs);
                       }});

  const auto evaluate = [&](const SessionLog& sessions) -> std::optional<ClickEvaluation> {
    if (sessions.sessions() == 0) return std::nullopt;
    return evaluate_clicks(model, sessions, options.train.mean(), threads);
  };
  result.train = evaluate(dataset.train);
  result.valid = evaluate(dataset.valid);
  result.test = evaluate(dataset.test);
  if (dataset.labels.size() > 0)
    result.ranking = evaluate_ranking(model, dataset.labels, options.evaluate.ranking());
  result.true_examination = true_examination(data, options.train, threads);

  folder.write_model(model, dataset.dictionary);
  if (options.report.enabled) folder.write("report.html", render_report(run_report(result)));
  folder.write("results.json", results_json(result));
  print_results(result, folder.path());
  return 0;
}

}  // namespace

int run_experiment(const fs::path& config, const std::vector<std::string>& overrides, Action action,
                   Registry& registry) {
  ExperimentOptions options = resolve(config, overrides, registry);
  const int threads = count_threads(options);
  const tbb::global_control limit(tbb::global_control::max_allowed_parallelism,
                                  static_cast<std::size_t>(threads));
  const DataSetting setting{.seed = static_cast<std::uint64_t>(options.seed), .threads = threads};
  auto& data_options = options.data.as<DataOptions>();

  if (action == Action::check_gradients) {
    std::optional<ExperimentData> data;
    try {
      data_options.locate_files(config.parent_path());
      data = data_options.load(setting);
    } catch (const DataError& error) {
      log().warn("{}; checking on simulated sessions instead", error.what());
      data = simulate_a_few(setting, registry);
    }
    return report_gradients(build_model(options, data->dataset), options, data->dataset.train);
  }

  const RunDirectory folder(options.output, options.name);
  data_options.locate_files(config.parent_path());
  if (action == Action::dry_run) {
    fmt::print("{}", write_options(options));
    return 0;
  }

  const ExperimentData data = data_options.load(setting);
  const Dataset& dataset = data.dataset;
  for (const std::string& note : dataset.notes) log().warn("{}", note);
  log().info(
      "{}: {} training, {} validation, {} test sessions; {} query-document pairs; click rate "
      "{:.4f}; {} thread{}",
      options.name, dataset.train.sessions(), dataset.valid.sessions(), dataset.test.sessions(),
      dataset.dictionary.rows() - 1, dataset.train.click_rate(), threads, threads == 1 ? "" : "s");
  const TrainableModel model = build_model(options, dataset);
  const double start = start_at_click_rate(model, dataset.train);
  log().info("{}: starts at a click rate of {:.4f}", model.type(), start);
  return train_and_evaluate(options, data, model, folder, threads);
}

std::string list_components(const Registry& registry) {
  std::string text = "models (model.type)\n" + describe_types(registry.models(), 2);
  text += "\nlayers (the type of a model's parameter)\n" + describe_types(registry.layers(), 2);
  text += "\nlosses\n  likelihood: Negative log-likelihood of the clicks, of every click model.\n";
  text += "\noptimizers (optimizer.type)\n" + describe_types(registry.optimizers(), 2);
  text += "\nschedules (optimizer.schedule.type)\n" + describe_types(schedule_types(), 2);
  text += "\nreaders and simulation (data.format)\n" + describe_types(registry.data(), 2);
  text += "\nformats that ultr-run convert reads\n" + describe_types(conversion_formats(), 2);
  text += "\nmetrics\n";
  for (const MetricDescription& metric : metric_table)
    text += fmt::format("  {}: {}\n", metric.name, metric.help);
  return text;
}

std::string list_options(const Registry& registry) {
  ExperimentOptions options(registry);
  return describe_options(options);
}

int with_exit_code(const std::function<int()>& program) {
  try {
    return program();
  } catch (const ConfigError& error) {
    log().error("error: {}", error.what());
    return 2;
  } catch (const DataError& error) {
    log().error("error: {}", error.what());
    return 3;
  } catch (const std::exception& error) {
    log().error("error: {}", error.what());
    return 1;
  }
}

}  // namespace ultr
