#include "commands/program.h"

#include <CLI/CLI.hpp>
#include <filesystem>
#include <optional>

#include <fmt/core.h>
#include <fmt/ranges.h>
#include <spdlog/spdlog.h>

#include "base/exit_code.h"
#include "base/log.h"
#include "base/version.h"
#include "commands/compare.h"
#include "commands/convert.h"
#include "commands/diagnose.h"
#include "commands/estimate_bias.h"
#include "commands/evaluate.h"
#include "commands/listings.h"
#include "commands/predict.h"
#include "commands/reference.h"
#include "commands/simulate.h"
#include "commands/train.h"
#include "distributed/mpi_launcher.h"
#include "experiment/bias_estimation.h"
#include "experiment/run_results.h"
#include "options/config_tree.h"

namespace ultr {
namespace {

/// What `compare` is asked to do.
struct CompareCommand {
  std::vector<std::filesystem::path> runs;
  ComparisonOptions options;
  std::filesystem::path output;

  CLI::App& add_to(CLI::App& app) {
    CLI::App& compare = *app.add_subcommand(
        "compare", "Compare runs: a table, and whether the differences are more than chance");
    compare.add_option("runs", runs, "Folders of runs, or of sweeps for all their runs")
        ->type_name("RUN")
        ->required();
    compare
        .add_option("--metric", options.metrics,
                    "A path in results.json, such as test.cond_ppl; repeatable")
        ->type_name("PATH")
        ->allow_extra_args(false);
    compare
        .add_option("--baseline", options.baseline,
                    "What to test against: a run's folder, or a row such as model.type=pbm; "
                    "default: the best")
        ->type_name("RUN");
    compare.add_option("--output", output, "Where to write comparison.html, .csv and .json")
        ->type_name("FOLDER");
    return compare;
  }
};

/// What `convert` is asked to do.
struct ConvertCommand {
  Conversion conversion;

  CLI::App& add_to(CLI::App& app) {
    CLI::App& convert =
        *app.add_subcommand("convert", "Write data of any format as a folder of .npy columns");
    convert.add_option("format", conversion.format, "Their format, as in --list")
        ->type_name("FORMAT")
        ->required();
    convert.add_option("files", conversion.files, "The files, read one after the other")
        ->type_name("FILE")
        ->required();
    convert.add_option("-o,--output", conversion.output, "The folder, a new one")
        ->type_name("FOLDER")
        ->required();
    convert
        .add_option("--set", conversion.options,
                    "An option of the format, as in --list: on_error=skip, ids=hash; repeatable")
        ->type_name("KEY=VALUE")
        ->allow_extra_args(false);
    convert.add_flag("--click-log", conversion.click_log,
                     "Sessions for click models, without the features that the format has");
    return convert;
  }
};

/// What `diagnose` is asked to do.
struct DiagnoseSubcommand {
  DiagnoseCommand command;

  CLI::App& add_to(CLI::App& app) {
    CLI::App& diagnoses = *app.add_subcommand(
        "diagnose", "Say whether training sessions tell position bias from relevance");
    diagnoses
        .add_option("config", command.config, "An experiment, of which the training data are read")
        ->type_name("CONFIG")
        ->required();
    diagnoses
        .add_option("overrides", command.overrides, "Options to change: data.max_positions=20")
        ->type_name("KEY=VALUE");
    diagnoses
        .add_option(
            "--run", command.run,
            "The folder of a trained run of these data, whose residuals are taken; default: "
            "of an additive model that is fitted")
        ->type_name("RUN");
    diagnoses
        .add_option(
            "--sample", command.sample,
            "Documents, about, that are drawn for what is measured of features and residuals")
        ->type_name("COUNT")
        ->check(CLI::Range(100, 1000000000))
        ->capture_default_str();
    diagnoses
        .add_option(
            "-o,--output", command.output,
            "Where to write diagnosis.json, report.html and pictures: a new or empty folder")
        ->type_name("FOLDER");
    return diagnoses;
  }
};

/// What `estimate-bias` is asked to do.
struct EstimateBiasCommand {
  BiasCommand command;

  CLI::App& add_to(CLI::App& app) {
    CLI::App& estimate = *app.add_subcommand(
        "estimate-bias", "Estimate position bias from training sessions, without a ranker");
    estimate
        .add_option("config", command.config, "An experiment, of which the training data are read")
        ->type_name("CONFIG")
        ->required();
    estimate.add_option("overrides", command.overrides, "Options to change: data.max_positions=20")
        ->type_name("KEY=VALUE");
    estimate
        .add_option("--method", command.methods,
                    fmt::format("One of {}; repeatable; default: all",
                                fmt::join(propensity_estimators(), ", ")))
        ->type_name("NAME")
        ->allow_extra_args(false);
    estimate.add_option("--pivot", command.pivot, "The rank that `pivot` compares all others with")
        ->type_name("RANK")
        ->check(CLI::Range(1, 65536))
        ->capture_default_str();
    estimate
        .add_option("--resamples", command.resamples,
                    "Bootstrap resamples of the sessions, for 95% intervals; 0: no intervals")
        ->type_name("COUNT")
        ->check(CLI::Range(0, 100000))
        ->capture_default_str();
    estimate.add_option("--passes", command.passes, "Passes of `regression_em` at most")
        ->type_name("COUNT")
        ->check(CLI::Range(1, 1000000))
        ->capture_default_str();
    estimate
        .add_option("-o,--output", command.output,
                    "Where to write propensities_METHOD.csv, position_bias.svg and report.html: a "
                    "new or empty folder")
        ->type_name("FOLDER");
    return estimate;
  }
};

/// What `simulate` is asked to do.
struct SimulateSubcommand {
  SimulateCommand command;

  CLI::App& add_to(CLI::App& app) {
    CLI::App& simulates = *app.add_subcommand(
        "simulate", "Write the sessions that a configuration simulates as folders of .npy columns");
    simulates.add_option("config", command.config, "An experiment whose data.format is simulation")
        ->type_name("CONFIG")
        ->required();
    simulates
        .add_option("overrides", command.overrides, "Options to change: data.sessions=100000000")
        ->type_name("KEY=VALUE");
    simulates
        .add_option("-o,--output", command.output,
                    "The folder, a new one, for the folders train, valid and test")
        ->type_name("FOLDER")
        ->required();
    return simulates;
  }
};

/// The options of a subcommand that uses a trained run on files.
void add_run_and_data(CLI::App& command, std::filesystem::path& run, ListFiles& data) {
  command.add_option("run", run, "The folder of a trained run")->type_name("RUN")->required();
  command
      .add_option("options", data.options,
                  "Options of the format to change: on_error=skip; others are as in the run")
      ->type_name("KEY=VALUE");
  command.add_option("--data", data.files, "A file of lists; repeatable")
      ->type_name("FILE")
      ->required()
      ->allow_extra_args(false);
  command.add_option("--format", data.format, "Its format, as in --list; default: the run's")
      ->type_name("NAME");
}

/// What `predict` is asked to do.
struct PredictSubcommand {
  PredictCommand command;

  CLI::App& add_to(CLI::App& app) {
    CLI::App& predict = *app.add_subcommand(
        "predict", "Write relevance and click probabilities by a trained run, a row a document");
    add_run_and_data(predict, command.run, command.data);
    predict.add_option("-o,--output", command.output, "A CSV file; default: standard output")
        ->type_name("FILE");
    return predict;
  }
};

/// What `evaluate` is asked to do.
struct EvaluateSubcommand {
  EvaluateCommand command;

  CLI::App& add_to(CLI::App& app) {
    CLI::App& evaluate = *app.add_subcommand(
        "evaluate", "Print how well a trained run ranks and predicts clicks on further files");
    add_run_and_data(evaluate, command.run, command.data);
    evaluate.add_option("-o,--output", command.output, "A CSV file to write, a row a list")
        ->type_name("FILE");
    return evaluate;
  }
};

/// with_exit_code for one of several processes (run_program).
int as_one_of(Communicator* ranks, const std::function<int()>& program) {
  if (ranks == nullptr) return with_exit_code(program);
  if (ranks->rank() > 0) {
    log().set_level(spdlog::level::off);
    if (std::freopen("/dev/null", "w", stdout) == nullptr) ranks->end_all(1);
  }
  bool alone = false;
  const int code = with_exit_code([&] {
    try {
      return program();
    } catch (const std::exception&) {
      alone = !ranks->all_fail();
      if (alone && ranks->rank() > 0) {
        log().set_level(spdlog::level::info);
        log().set_pattern(fmt::format("process {}: %v", ranks->rank()));
      }
      throw;
    }
  });
  if (alone) ranks->end_all(code);
  return code;
}

}  // namespace

int run_program(int argc, char** argv, Registry registry, Communicator* ranks) {
  const std::string name =
      argc > 0 ? std::filesystem::path(argv[0]).filename().string() : "ultr-run";
  CLI::App app(
      "Learns a click model from a click log, evaluates it and draws a report.\n"
      "Several values, KEY=A,B or seed=1..5, make a sweep: a run of each combination, compared.\n"
      "A study, a file with the key `study`, is an experiment with a grid, what must come out and "
      "figures.\n"
      "SIGINT (Ctrl-C) and SIGTERM end training with a checkpoint after the step; a second one "
      "ends it at once.\n"
      "Exit codes: 0 done, 1 failed, 2 wrong usage or configuration, 3 missing or wrong data, 4 an "
      "expectation of a study failed, 130 and 143 stopped by SIGINT and SIGTERM.\n"
      "Under mpirun the processes train one model together (docs/distributed.md).",
      name);
  std::string config;
  std::filesystem::path resumed, reference;
  std::string listed;
  std::vector<std::string> overrides, plugins;
  bool dry_run = false, check_gradients = false, help_options = false;
  app.add_option("config", config, "The experiment or study, a YAML file")->type_name("CONFIG");
  app.add_option("overrides", overrides, "Options to change, with dotted keys: optimizer.lr=0.01")
      ->type_name("KEY=VALUE");
  app.add_option("--plugin", plugins,
                 "A shared object with further models, layers, optimizers or readers; repeatable")
      ->type_name("FILE")
      ->allow_extra_args(false);
  CLI::Option* const resumes =
      app.add_option("--resume", resumed,
                     "The folder of a run that was stopped, to go on from its newest checkpoint, "
                     "or of a sweep or a study, to do what is left of it")
          ->type_name("FOLDER");
  app.add_flag("--dry-run", dry_run, "Check the configuration and print it resolved");
  app.add_flag("--check-gradients", check_gradients,
               "Compare the model's derivatives with finite differences");
  CLI::Option* const lists =
      app.add_option("--list", listed,
                     "Print the models, losses, layers, data formats, metrics and all else that "
                     "has a name; with NAME, that group or entry with its options")
          ->type_name("NAME")
          ->expected(0, 1);
  app.add_flag("--help-options", help_options, "Print every option of a configuration");
  CLI::Option* const writes_reference =
      app.add_option("--write-reference", reference,
                     "Write the options as Markdown, as in docs/reference")
          ->type_name("FOLDER");
  app.set_version_flag("--version", version());
  CompareCommand comparison;
  const CLI::App& compare = comparison.add_to(app);
  ConvertCommand conversion;
  const CLI::App& convert = conversion.add_to(app);
  DiagnoseSubcommand diagnosis;
  const CLI::App& diagnoses = diagnosis.add_to(app);
  EstimateBiasCommand bias;
  const CLI::App& estimate = bias.add_to(app);
  SimulateSubcommand simulation;
  const CLI::App& simulates = simulation.add_to(app);
  PredictSubcommand prediction;
  const CLI::App& predicts = prediction.add_to(app);
  EvaluateSubcommand evaluation;
  const CLI::App& evaluates = evaluation.add_to(app);

  return as_one_of(ranks, [&] {
    std::optional<int> helped;
    together(ranks, [&] {
      try {
        app.parse(argc, argv);
      } catch (const CLI::ParseError& error) {
        if (error.get_exit_code() != 0)
          throw ConfigError(fmt::format("{}; see {} --help", error.what(), name));
        helped = app.exit(error);  // --help, --version
        return;
      }
      if (ranks != nullptr && !app.get_subcommands().empty())
        throw ConfigError(
            fmt::format("{} {} cannot be divided over {} processes; expected it without mpirun",
                        name, app.get_subcommands().front()->get_name(), ranks->size()));
      if (const int processes = launched_processes().value_or(1); ranks == nullptr && processes > 1)
        throw ConfigError(
            fmt::format("{} was started as one of {} processes and cannot work with the others; "
                        "expected ultr-run, with what is added as a plugin, or no mpirun",
                        name, processes));
      if (!compare.parsed())
        for (const std::string& plugin : plugins) registry.load_plugin(plugin);
    });
    if (helped) return *helped;
    if (compare.parsed())
      return compare_runs(comparison.runs, comparison.options, comparison.output);
    if (convert.parsed()) {
      convert_dataset(conversion.conversion);
      return 0;
    }
    if (diagnoses.parsed()) {
      diagnose(diagnosis.command, registry);
      return 0;
    }
    if (estimate.parsed()) {
      estimate_bias(bias.command, registry);
      return 0;
    }
    if (simulates.parsed()) {
      simulate(simulation.command, registry);
      return 0;
    }
    if (predicts.parsed()) {
      predict(prediction.command, registry);
      return 0;
    }
    if (evaluates.parsed()) {
      evaluate_run(evaluation.command, registry);
      return 0;
    }
    if (*lists)
      fmt::print("{}",
                 listed.empty() ? list_components(registry) : list_components(registry, listed));
    if (help_options) fmt::print("{}", list_options(registry));
    if (*writes_reference) write_reference(registry, reference);
    if (*lists || help_options || *writes_reference) return 0;
    if (*resumes) {
      if (!config.empty() || dry_run || check_gradients)
        throw ConfigError(
            fmt::format("--resume takes a folder alone, whose {} says all; see {} "
                        "--help",
                        config_file, name));
      return resume_experiment(resumed, registry, ranks);
    }
    if (config.empty())
      throw ConfigError(fmt::format("no configuration; expected {} CONFIG [KEY=VALUE ...]", name));
    const auto action = check_gradients ? Action::check_gradients
                        : dry_run       ? Action::dry_run
                                        : Action::run;
    return run_experiment(config, overrides, action, registry, ranks);
  });
}

}  // namespace ultr
