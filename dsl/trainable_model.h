#pragma once

#include <memory>
#include <string>
#include <vector>

#include "dsl/click_model.h"
#include "dsl/model_setting.h"

namespace ultr {

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
  /// The signals of sessions that the model reads, to predict clicks.
  std::vector<Signal> signals() const;
  /// Throws DataError if the model cannot be trained or evaluated on the lists of a log: they lack
  /// a signal that it reads, or as ClickModel::check does.
  void check(const SessionLog& log) const;
  /// All learned parameters, in the order of declaration.
  std::vector<Parameter*> parameters() const;
  /// Returns the trainings to run, one after the other: the stages of ClickModel::stages, whose
  /// types are named "type.stage", then this model with the layers that are left. Each has the
  /// layers that it changes, shared with this model. Returns this model alone if it has no stages.
  std::vector<TrainableModel> stages() const;
  /// Returns a model whose objective is the sum of an encoder's values, which the layer owns, over
  /// the documents of each list.
  TrainableModel of_words(const Layer& layer, const SequenceEncoder& encoder) const;
  /// Returns true if training this model, or stage, teaches a layer to guess masked words.
  bool learns_words(const Layer& layer) const;

 private:
  /// Returns a stage with the layers that it changes, which are removed from `left`.
  TrainableModel take_stage(const TrainingStage& stage, std::vector<Layer>& left) const;

  std::string type_;
  std::shared_ptr<const ClickModel> model_;
  std::vector<Layer> layers_, other_layers_;
  ModelSetting setting_;
};

/// Records the sum of an encoder's values over the documents of each list: [lists].
Tensor list_sums(const SequenceEncoder& encoder, const Session& session);

}  // namespace ultr
