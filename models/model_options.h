#pragma once

#include <memory>
#include <string>
#include <vector>

#include "layers/layers.h"
#include "models/click_model.h"
#include "options/fields.h"

namespace ultr {

/// What a model is built for.
struct ModelSetting {
  std::int64_t rows = 1;       // query-document pairs of the dictionary, row 0 = unknown
  std::int64_t positions = 1;  // displayed positions
  std::uint64_t seed = 1;

  /// Entries of a domain.
  std::int64_t entries(Domain domain) const;
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

  TrainableModel(std::string type, std::unique_ptr<ClickModel> model, std::vector<Layer> layers,
                 const ModelSetting& setting);

  const std::string& type() const { return type_; }
  const ClickModel& story() const { return *model_; }
  const std::vector<Layer>& layers() const { return layers_; }
  const ModelSetting& setting() const { return setting_; }
  /// All that is learned, in the order of declaration.
  std::vector<Parameter*> parameters() const;

 private:
  std::string type_;
  std::unique_ptr<ClickModel> model_;
  std::vector<Layer> layers_;
  ModelSetting setting_;
};

/// A type of click model: what its configuration calls it, and how it is made.
struct ModelType {
  std::string name;
  std::string help;
  std::unique_ptr<ClickModel> (*make)(ModelBuilder&);
};

/// The options of a type of model: a layer for each of its parameters.
class ModelOptions final : public Options {
 public:
  /// `layers`: the types to choose each parameter's layer from, a table that outlives the options.
  explicit ModelOptions(ModelType type, const std::vector<OptionType>& layers = layer_types());

  void fields(Fields& f) override;
  /// Names of the parameters that have a logit a query-document pair.
  std::vector<std::string> document_parameters() const;
  /// Builds the model with its parameters at their starting values (0 logits unless given).
  TrainableModel build(const ModelSetting& setting) const;

 private:
  struct Declared {
    std::string name;
    Domain domain;
    std::string help;
    ClickEffect effect;
    Choice layer;
  };
  class Describer;
  class Maker;

  ModelType type_;
  std::vector<Declared> parameters_;
};

/// The entry of a table of models for a class with a constructor from ModelBuilder.
template <class Model>
ModelType model_type(std::string name, std::string help) {
  return {std::move(name), std::move(help), [](ModelBuilder& build) -> std::unique_ptr<ClickModel> {
            return std::make_unique<Model>(build);
          }};
}

}  // namespace ultr
