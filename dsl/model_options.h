#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "dsl/click_model.h"
#include "dsl/model_setting.h"
#include "dsl/options_with_files.h"
#include "dsl/propensity_options.h"
#include "dsl/trainable_model.h"
#include "layers/layers.h"

namespace ultr {

/// A type of click model: its name in a configuration, and its constructor.
struct ModelType {
  std::string name;
  std::string help;
  std::function<std::unique_ptr<ClickModel>(ModelBuilder&)> make;
};

/// Returns the table entry of a model class that is constructed from a ModelBuilder.
template <class Model>
ModelType model_type(std::string name, std::string help) {
  return {std::move(name), std::move(help), [](ModelBuilder& build) -> std::unique_ptr<ClickModel> {
            return std::make_unique<Model>(build);
          }};
}

/// The options of a type of model: one layer per parameter, and whatever else the model declares.
class ModelOptions final : public OptionsWithFiles {
 public:
  /// `models`: the types of models (their options are ModelOptions) that may be components of this
  /// one. `layers`: the types of layers (LayerOptions) for its parameters. Both must outlive the
  /// options.
  ModelOptions(ModelType type, const std::vector<OptionType>& models,
               const std::vector<OptionType>& layers = layer_types());

  void fields(Fields& f) override;
  void locate_files(const FindFile& find) override;
  /// Returns the names of the parameters that have one logit per query-document pair, without those
  /// of components.
  std::vector<std::string> document_parameters() const;
  /// Checks conditions across fields. Throws ConfigError if one does not hold.
  void check() const;
  /// Returns the estimator of propensities that the options choose, without those of components;
  /// empty if there is none.
  std::string propensity_estimator() const;
  /// Builds the model with its parameters at their starting values (logit 0 unless given). Throws
  /// ConfigError for options that do not fit together or towers without features. Throws Error if
  /// there are features, but neither one row per pair nor row 0 alone.
  TrainableModel build(const ModelSetting& setting) const;

 private:
  class Builder;

  /// Returns those of the declared options that are of a type.
  template <class Field>
  std::vector<const Field*> declared() const;

  ModelType type_;
  const std::vector<OptionType>&models_, &layers_;
  std::vector<std::unique_ptr<OptionsWithFiles>> declared_;  // in the order of declaration
};

}  // namespace ultr
