#pragma once

#include <functional>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "data/log/feature_table.h"
#include "distributed/communicator.h"
#include "layers/layers.h"
#include "models/click_model.h"
#include "options/fields.h"

namespace ultr {

/// What a model is built for.
struct ModelSetting {
  std::int64_t rows = 1;       // query-document pairs of the dictionary, row 0 = unknown
  std::int64_t positions = 1;  // displayed positions
  std::uint64_t seed = 1;
  /// Of the pairs; row 0 alone if lists bring features of their own (SessionLog::set_features);
  /// empty: none.
  FeatureTable features = {};
  /// The training sessions, which must live while the model is built, for what is counted from
  /// them; null: none.
  const SessionLog* train = nullptr;
  /// What the estimator of the options says of the training sessions
  /// (ModelOptions::propensity_estimator); needed if there is one.
  Propensities estimated_propensities = {};
  /// The processes that train it together, each with a part of what it learns of pairs; null: this
  /// one alone.
  Communicator* ranks = nullptr;

  /// The pairs of which this process has what is learned.
  RowPart part() const;
  /// Entries of a domain that this process has; of `alternative`, which no setting says, 1.
  std::int64_t entries(Domain domain) const;
  /// Columns of Inputs::features of a domain, 0 if there are none.
  std::int64_t feature_columns(Domain domain) const;
};

/// A click model with the layers that give its parameters.
class TrainableModel {
 public:
  struct Layer {
    std::string name;  // "attraction"
    Domain domain;
    ClickEffect effect;
    bool start_given;  // the configuration says where it starts
    std::shared_ptr<LogitLayer> layer;
  };

  TrainableModel(std::string type, std::shared_ptr<const ClickModel> model,
                 std::vector<Layer> layers, const ModelSetting& setting);

  const std::string& type() const { return type_; }
  const ClickModel& story() const { return *model_; }
  const std::vector<Layer>& layers() const { return layers_; }
  /// Of a stage: the model's other layers, which it may read and leaves alone.
  const std::vector<Layer>& other_layers() const { return other_layers_; }
  const ModelSetting& setting() const { return setting_; }
  /// All that is learned, in the order of declaration.
  std::vector<Parameter*> parameters() const;
  /// What is trained, one after the other, each with the layers that it changes, and shared with
  /// this model: ClickModel::stages, whose types are called "type.stage", and this model with the
  /// layers that are left. This model alone if it has no stages.
  std::vector<TrainableModel> stages() const;

 private:
  std::string type_;
  std::shared_ptr<const ClickModel> model_;
  std::vector<Layer> layers_, other_layers_;
  ModelSetting setting_;
};

/// A type of click model: what its configuration calls it, and how it is made.
struct ModelType {
  std::string name;
  std::string help;
  std::unique_ptr<ClickModel> (*make)(ModelBuilder&);
};

/// The names of what can estimate propensities from training sessions, in the order of reports:
/// bias_methods(), and regression_em, the last.
const std::vector<std::string>& propensity_estimators();
/// The name of the estimator that fits a position-based model.
inline constexpr const char* regression_em_name = "regression_em";
/// The word for no estimator of propensities.
inline constexpr const char* no_estimator = "none";

/// The options of a type of model: a layer for each of its parameters, and what else it declares.
class ModelOptions final : public Options {
 public:
  /// `models`: the types of models (their options are ModelOptions) that this one may be made of;
  /// `layers`: those of layers (LayerOptions) for its parameters. Both must outlive the options.
  ModelOptions(ModelType type, const std::vector<OptionType>& models,
               const std::vector<OptionType>& layers = layer_types());

  void fields(Fields& f) override;
  /// Names of the parameters that have a logit a query-document pair, components' left out.
  std::vector<std::string> document_parameters() const;
  /// Replaces the files that the options name, those of components too, by where `find` says they
  /// are.
  void locate_files(const std::function<std::string(const std::string& file)>& find);
  /// What no field can see alone. Throws ConfigError.
  void check() const;
  /// The estimator of propensities that the options choose, components' left out; empty: none.
  std::string propensity_estimator() const;
  /// Builds the model with its parameters at their starting values (0 logits unless given).
  /// Throws ConfigError for options that do not fit together, or towers without features; Error if
  /// there are features, but neither a row a pair nor row 0 alone.
  TrainableModel build(const ModelSetting& setting) const;

 private:
  struct DeclaredParameter {
    Domain domain;
    ClickEffect effect;
    Choice layer;
  };
  struct DeclaredNumber {
    double value;
    Limits limits;
  };
  struct DeclaredBoolean {
    bool value;
  };
  struct DeclaredWord {
    std::string value;
    std::vector<std::string> words;
  };
  struct DeclaredFile {
    std::string name;
  };
  struct DeclaredPropensities {
    bool required = false;
    std::string file, estimator = no_estimator;

    /// Throws ConfigError if both are given, or none where one is required.
    void check() const;
  };
  struct DeclaredShares {
    std::vector<double> start;
  };
  struct DeclaredComponents {
    std::vector<Choice> models;
    std::vector<std::string> shared;  // names of parameters
  };
  struct Declared {
    std::string name, help;
    std::variant<DeclaredParameter, DeclaredNumber, DeclaredBoolean, DeclaredWord, DeclaredFile,
                 DeclaredPropensities, DeclaredShares, DeclaredComponents>
        what;
  };
  class Describer;
  class Maker;

  ModelType type_;
  const std::vector<OptionType>&models_, &layers_;
  std::vector<Declared> declared_;
};

/// The entry of a table of models for a class with a constructor from ModelBuilder.
template <class Model>
ModelType model_type(std::string name, std::string help) {
  return {std::move(name), std::move(help), [](ModelBuilder& build) -> std::unique_ptr<ClickModel> {
            return std::make_unique<Model>(build);
          }};
}

}  // namespace ultr
