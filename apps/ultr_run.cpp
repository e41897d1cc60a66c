#include <CLI/CLI.hpp>

#include <fmt/core.h>

#include "experiment/compare_runs.h"
#include "experiment/experiment.h"
#include "experiment/version.h"
#include "options/config_tree.h"

/// ultr-run: argument parsing and nothing else.
int main(int argc, char** argv) {
  CLI::App app(
      "Learns a click model from a click log, evaluates it and draws a report.\n"
      "Several values, KEY=A,B or seed=1..5, make a sweep: a run of each combination, compared.\n"
      "Exit codes: 0 done, 1 failed, 2 wrong usage or configuration, 3 missing or wrong data.",
      "ultr-run");
  std::string config;
  std::vector<std::string> overrides;
  bool dry_run = false, check_gradients = false, list = false, help_options = false;
  app.add_option("config", config, "The experiment, a YAML file")->type_name("CONFIG");
  app.add_option("overrides", overrides, "Options to change, with dotted keys: optimizer.lr=0.01")
      ->type_name("KEY=VALUE");
  app.add_flag("--dry-run", dry_run, "Check the configuration and print it resolved");
  app.add_flag("--check-gradients", check_gradients,
               "Compare the model's derivatives with finite differences");
  app.add_flag("--list", list,
               "Print every model, layer, loss, optimizer, reader and metric with its options");
  app.add_flag("--help-options", help_options, "Print every option of a configuration");
  app.set_version_flag("--version", ultr::version());

  std::vector<std::filesystem::path> runs;
  ultr::ComparisonOptions comparison;
  std::filesystem::path output;
  CLI::App& compare = *app.add_subcommand(
      "compare", "Compare runs: a table, and whether the differences are more than chance");
  compare.add_option("runs", runs, "Folders of runs, or of sweeps for all their runs")
      ->type_name("RUN")
      ->required();
  compare
      .add_option("--metric", comparison.metrics,
                  "A path in results.json, such as test.cond_ppl; may be repeated")
      ->type_name("PATH")
      ->allow_extra_args(false);
  compare
      .add_option("--baseline", comparison.baseline,
                  "What to test against: a run's folder, or a row such as model.type=pbm; default: "
                  "the best")
      ->type_name("RUN");
  compare.add_option("--output", output, "Where to write comparison.html, .csv and .json")
      ->type_name("FOLDER");

  return ultr::with_exit_code([&] {
    try {
      app.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
      if (error.get_exit_code() == 0) return app.exit(error);  // --help, --version
      throw ultr::ConfigError(fmt::format("{}; see ultr-run --help", error.what()));
    }
    if (compare.parsed()) return ultr::compare_runs(runs, comparison, output);
    if (list) fmt::print("{}", ultr::list_components());
    if (help_options) fmt::print("{}", ultr::list_options());
    if (list || help_options) return 0;
    if (config.empty())
      throw ultr::ConfigError("no configuration; expected ultr-run CONFIG [KEY=VALUE ...]");
    const auto action = check_gradients ? ultr::Action::check_gradients
                        : dry_run       ? ultr::Action::dry_run
                                        : ultr::Action::run;
    return ultr::run_experiment(config, overrides, action);
  });
}
