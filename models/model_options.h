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

/// The data and processes that a model is built for.
struct ModelSetting {
  std::int64_t rows = 1;       // query-document pairs of the dictionary; row 0 = unknown
  std::int64_t positions = 1;  // displayed positions
  std::uint64_t seed = 1;
  /// Features of the pairs. Holds row 0 alone if lists bring features of their own
  /// (SessionLog::set_features). Empty if there are none.
  FeatureTable features = {};
  /// The training sessions, for statistics that are counted from them; null if there are none. They
  /// must live while the model is built.
  const SessionLog* train = nullptr;
  /// Propensities that the estimator of the options computed from the training sessions
  /// (ModelOptions::propensity_estimator). Required if the options choose an estimator.
  Propensities estimated_propensities = {};
  /// The processes that train the model together, each with a part of what is learned per pair;
  /// null if this process trains it alone.
  Communicator* ranks = nullptr;

  /// The pairs whose parameters this process holds.
  RowPart part() const;
  /// Returns the number of entries of a domain that this process holds; 1 for `alternative`, whose
  /// number is no part of the setting.
  std::int64_t entries(Domain domain) const;
  /// Returns the number of columns of Inputs::features of a domain; 0 if there are none.
  std::int64_t feature_columns(Domain domain) const;
};

/// A click model with the layers that compute its parameters.
class TrainableModel {
 public:
  struct Layer {
    std::string name;  // "attraction"
    Domain domain;
    ClickEffect effect;
    bool start_given;  // the configuration gives the starting value
    std::shared_ptr<LogitLayer> layer;
  };

  TrainableModel(std::string type, std::shared_ptr<const ClickModel> model,
                 std::vector<Layer> layers, const ModelSetting& setting);

  const std::string& type() const { return type_; }
  const ClickModel& story() const { return *model_; }
  const std::vector<Layer>& layers() const { return layers_; }
  /// For a stage: the model's other layers, which the stage may read but does not change.
  const std::vector<Layer>& other_layers() const { return other_layers_; }
  const ModelSetting& setting() const { return setting_; }
  /// All learned parameters, in the order of declaration.
  std::vector<Parameter*> parameters() const;
  /// Returns the trainings to run, one after the other: the stages of ClickModel::stages, whose
  /// types are named "type.stage", then this model with the layers that are left. Each has the
  /// layers that it changes, shared with this model. Returns this model alone if it has no stages.
  std::vector<TrainableModel> stages() const;

 private:
  std::string type_;
  std::shared_ptr<const ClickModel> model_;
  std::vector<Layer> layers_, other_layers_;
  ModelSetting setting_;
};

/// A type of click model: its name in a configuration, and its constructor.
struct ModelType {
  std::string name;
  std::string help;
  std::unique_ptr<ClickModel> (*make)(ModelBuilder&);
};

/// The names of the estimators of propensities from training sessions, in the order of reports:
/// those of bias_methods(), then regression_em.
const std::vector<std::string>& propensity_estimators();
/// The name of the estimator that fits a position-based model.
inline constexpr const char* regression_em_name = "regression_em";
/// The word for no estimator of propensities.
inline constexpr const char* no_estimator = "none";

/// The options of a type of model: one layer per parameter, and whatever else the model declares.
class ModelOptions final : public Options {
 public:
  /// `models`: the types of models (their options are ModelOptions) that may be components of this
  /// one. `layers`: the types of layers (LayerOptions) for its parameters. Both must outlive the
  /// options.
  ModelOptions(ModelType type, const std::vector<OptionType>& models,
               const std::vector<OptionType>& layers = layer_types());

  void fields(Fields& f) override;
  /// Returns the names of the parameters that have one logit per query-document pair, without those
  /// of components.
  std::vector<std::string> document_parameters() const;
  /// Replaces each file that the options name, including those of components, by the location that
  /// `find` returns.
  void locate_files(const std::function<std::string(const std::string& file)>& find);
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

    /// Throws ConfigError if both are given, or if one is required and none is given.
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

/// Returns the table entry of a model class that is constructed from a ModelBuilder.
template <class Model>
ModelType model_type(std::string name, std::string help) {
  return {std::move(name), std::move(help), [](ModelBuilder& build) -> std::unique_ptr<ClickModel> {
            return std::make_unique<Model>(build);
          }};
}

}  // namespace ultr
