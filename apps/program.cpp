#include "apps/program.h"

#include <CLI/CLI.hpp>
#include <filesystem>

#include <fmt/core.h>

#include "experiment/convert.h"
#include "experiment/experiment.h"
#include "experiment/version.h"
#include "options/config_tree.h"

namespace ultr {

int run_program(int argc, char** argv, Registry registry) {
  const std::string name =
      argc > 0 ? std::filesystem::path(argv[0]).filename().string() : "ultr-run";
  CLI::App app(
      "Learns a click model from a click log, evaluates it and draws a report.\n"
      "Exit codes: 0 done, 1 failed, 2 wrong usage or configuration, 3 missing or wrong data.",
      name);
  std::string config;
  std::vector<std::string> overrides, plugins;
  bool dry_run = false, check_gradients = false, list = false, help_options = false;
  app.add_option("config", config, "The experiment, a YAML file")->type_name("CONFIG");
  app.add_option("overrides", overrides, "Options to change, with dotted keys: optimizer.lr=0.01")
      ->type_name("KEY=VALUE");
  app.add_option("--plugin", plugins,
                 "A shared object with further models, layers, optimizers or readers; repeatable")
      ->type_name("FILE")
      ->allow_extra_args(false);
  app.add_flag("--dry-run", dry_run, "Check the configuration and print it resolved");
  app.add_flag("--check-gradients", check_gradients,
               "Compare the model's derivatives with finite differences");
  app.add_flag("--list", list,
               "Print every model, layer, loss, optimizer, reader and metric with its options");
  app.add_flag("--help-options", help_options, "Print every option of a configuration");
  app.set_version_flag("--version", version());

  Conversion conversion;
  CLI::App* convert =
      app.add_subcommand("convert", "Write data of any format as a folder of .npy columns");
  convert->add_option("format", conversion.format, "Their format, as in --list")
      ->type_name("FORMAT")
      ->required();
  convert->add_option("files", conversion.files, "The files, read one after the other")
      ->type_name("FILE")
      ->required();
  convert->add_option("-o,--output", conversion.output, "The folder, a new one")
      ->type_name("FOLDER")
      ->required();
  convert->add_option("--set", conversion.options, "Options of the format: on_error=skip")
      ->type_name("KEY=VALUE");

  return with_exit_code([&] {
    try {
      app.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
      if (error.get_exit_code() == 0) return app.exit(error);  // --help, --version
      throw ConfigError(fmt::format("{}; see {} --help", error.what(), name));
    }
    for (const std::string& plugin : plugins) registry.load_plugin(plugin);
    if (convert->parsed()) {
      convert_dataset(conversion);
      return 0;
    }
    if (list) fmt::print("{}", list_components(registry));
    if (help_options) fmt::print("{}", list_options(registry));
    if (list || help_options) return 0;
    if (config.empty())
      throw ConfigError(fmt::format("no configuration; expected {} CONFIG [KEY=VALUE ...]", name));
    const auto action = check_gradients ? Action::check_gradients
                        : dry_run       ? Action::dry_run
                                        : Action::run;
    return run_experiment(config, overrides, action, registry);
  });
}

}  // namespace ultr
