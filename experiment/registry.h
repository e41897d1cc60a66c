#pragma once

#include <concepts>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "data/formats/log_format.h"
#include "dsl/model_options.h"
#include "layers/logit_layer.h"
#include "optim/optimizer.h"
#include "options/fields.h"

namespace ultr {

/// Every type that a configuration can name. It starts with those that ultr has; a program adds its
/// own before it calls run_program (commands/program.h), a plugin (experiment/plugin.h) when it is
/// loaded. Tables refer to each other, so a registry can be moved but not copied.
class Registry {
 public:
  /// A registry without types.
  Registry() : tables_(std::make_unique<Tables>()) {}

  /// Adds a click model, for model.type and data.user. Throws Error if the name is taken, as do all
  /// that follow.
  void add(const ModelType& type);
  /// Adds a ranking loss (its type makes a RankingLoss), for loss.type.
  void add_loss(const ModelType& type);
  /// Adds the loss of click models, which is no type of model.
  void add_loss(OptionType type);
  /// Adds a click-log format, for data.format.
  void add(const ReaderType& type);
  /// Adds any other source of data, for data.format: options that are DataOptions.
  void add_data(OptionType type);
  /// Adds a layer, for the type of any parameter of any model: `add_layer<MyTowerOptions>("name",
  /// "Help.")`.
  template <std::derived_from<LayerOptions> T>
  void add_layer(std::string name, std::string help) {
    add_layer(option_type<T>(std::move(name), std::move(help)));
  }
  void add_layer(OptionType type) { add_type("a layer", tables_->layers, std::move(type)); }
  /// Adds an optimizer, for optimizer.type.
  template <std::derived_from<OptimizerOptions> T>
  void add_optimizer(std::string name, std::string help) {
    add_optimizer(option_type<T>(std::move(name), std::move(help)));
  }
  void add_optimizer(OptionType type) {
    add_type("an optimizer", tables_->optimizers, std::move(type));
  }

  /// Loads a plugin and lets it add its types; one that was loaded before adds nothing. Its code
  /// stays loaded until the program ends. Throws ConfigError if the file is missing, is no shared
  /// object or no plugin, was built for another abi_version, or adds a name that is taken.
  void load_plugin(const std::filesystem::path& file);

  /// Adds an analysis, for analysis.type: options that are a Task.
  void add_analysis(OptionType type);

  // The tables; they stay where they are for the registry's life, moved or not. ------------------

  const std::vector<OptionType>& models() const { return tables_->models; }  // of ModelOptions
  /// Types of ModelOptions, except the first, `likelihood`, which stands for a click model's own.
  const std::vector<OptionType>& losses() const { return tables_->losses; }
  const std::vector<OptionType>& layers() const { return tables_->layers; }  // of LayerOptions
  const std::vector<OptionType>& optimizers() const { return tables_->optimizers; }
  const std::vector<OptionType>& data() const { return tables_->data; }          // of DataOptions
  const std::vector<OptionType>& analyses() const { return tables_->analyses; }  // of Task
  /// The click-log formats among data().
  const std::vector<ReaderType>& readers() const { return tables_->readers; }
  /// Absolute paths of the plugins that were loaded, in that order.
  const std::vector<std::string>& plugins() const { return tables_->plugins.files; }

  // Trust.
  // -----------------------------------------------------------------------------------------

  /// The plugins that the user has chosen.
  struct PluginChoice {
    std::vector<std::string> files;   // absolute paths of those that were loaded, in that order
    bool trusts_run_folders = false;  // plugins that the folder of a run names are loaded, too
  };
  const PluginChoice& plugin_choice() const { return tables_->plugins; }
  /// Makes the choice that another registry has.
  void choose_plugins(const PluginChoice& choice);
  /// Lets plugins be loaded that only the folder of a run names.
  void trust_run_folders() { tables_->plugins.trusts_run_folders = true; }

 private:
  struct Tables {
    std::vector<OptionType> models, losses, layers, optimizers, data, analyses;
    PluginChoice plugins;
    std::vector<ReaderType> readers;
  };
  static void add_type(std::string_view kind, std::vector<OptionType>& table, OptionType type);

  std::unique_ptr<Tables> tables_;
};

/// Makes a registry with all types that an experiment may name: a saved model is read with one of
/// its own.
using MakeRegistry = std::function<Registry()>;

}  // namespace ultr
