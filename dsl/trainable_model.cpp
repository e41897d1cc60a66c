#include "dsl/trainable_model.h"

#include <algorithm>

#include <fmt/core.h>

#include "autograd/ops/gather.h"
#include "autograd/ops/segments.h"
#include "base/error.h"
#include "dsl/session.h"
#include "dsl/signal_domains.h"
#include "layers/sequence_encoder.h"

namespace ultr {
namespace {

/// A story of the words of documents alone: the objective of a list is the sum of an encoder's
/// values of its documents.
class WordStory final : public ClickModel {
 public:
  WordStory(std::shared_ptr<LogitLayer> layer, std::string name, const SequenceEncoder& values)
      : layer_(std::move(layer)), name_(std::move(name)), values_(values) {}

  Chain chain(const Session&) const override {
    throw Error("a stage that learns from words predicts no clicks");
  }
  Prob relevance(const Session& session) const override {
    return session.probability(*layer_, name_);
  }
  std::optional<Tensor> objective(const Session& session, Impossible) const override {
    return list_sums(values_, session);
  }
  Targets targets() const override { return Targets::grades; }
  bool reads_down_the_list() const override { return false; }
  bool maximises_likelihood() const override { return false; }
  bool predicts_clicks() const override { return false; }

 private:
  std::shared_ptr<LogitLayer> layer_;
  std::string name_;
  const SequenceEncoder& values_;  // of the layer
};

}  // namespace

Tensor list_sums(const SequenceEncoder& encoder, const Session& session) {
  ListInputs& lists = session.inputs().lists();
  const Tensor values = session.sequence_values(encoder, session.noise());
  return segment_sum(take(values, lists.order()), lists.segments());
}

TrainableModel::TrainableModel(std::string type, std::shared_ptr<const ClickModel> model,
                               std::vector<Layer> layers, const ModelSetting& setting)
    : type_(std::move(type)),
      model_(std::move(model)),
      layers_(std::move(layers)),
      setting_(setting) {}

std::vector<Parameter*> TrainableModel::parameters() const {
  std::vector<Parameter*> all;
  for (const Layer& layer : layers_)
    for (Parameter* parameter : layer.layer->parameters()) all.push_back(parameter);
  return all;
}

std::vector<Signal> TrainableModel::signals() const {
  std::vector<Signal> signals;
  for (const Signal signal : all_signals) {
    const auto reads = [&](const Layer& layer) { return signal_of(layer.domain) == signal; };
    if (std::ranges::any_of(layers_, reads) || std::ranges::any_of(other_layers_, reads))
      signals.push_back(signal);
  }
  return signals;
}

void TrainableModel::check(const SessionLog& log) const {
  for (const Signal signal : signals())
    if (log.sessions() > 0 && !log.has(signal))
      throw DataError(fmt::format(
          "{} reads {} ('{}'), which the sessions do not have; expected a log with this signal",
          type_, type_of(signal).plural, type_of(signal).name));
  model_->check(log);
}

TrainableModel TrainableModel::of_words(const Layer& layer, const SequenceEncoder& encoder) const {
  return {fmt::format("{}.{}.words", type_, layer.name),
          std::make_shared<WordStory>(layer.layer, layer.name, encoder),
          {layer},
          setting_};
}

bool TrainableModel::learns_words(const Layer& layer) const {
  const MaskedWordTask* const words = layer.layer->masked_words();
  return words != nullptr &&
         (words->weight > 0 || dynamic_cast<const WordStory*>(model_.get()) != nullptr);
}

TrainableModel TrainableModel::take_stage(const TrainingStage& stage,
                                          std::vector<Layer>& left) const {
  for (const std::string& name : stage.parameters)
    if (std::none_of(left.begin(), left.end(), [&](const Layer& l) { return l.name == name; }))
      throw Error(
          fmt::format("{}: stage {} is to train '{}', which is no parameter of it or is "
                      "trained before",
                      type_, stage.name, name));
  const auto changed = std::stable_partition(left.begin(), left.end(), [&](const Layer& layer) {
    return std::find(stage.parameters.begin(), stage.parameters.end(), layer.name) ==
           stage.parameters.end();
  });
  std::vector<Layer> layers(changed, left.end());
  left.erase(changed, left.end());
  // A stage's story may refer to the model's story, so it keeps the model's story alive.
  const auto both = std::make_shared<
      std::pair<std::shared_ptr<const ClickModel>, std::shared_ptr<const ClickModel>>>(model_,
                                                                                       stage.story);
  return {type_ + "." + stage.name, std::shared_ptr<const ClickModel>(both, both->second.get()),
          std::move(layers), setting_};
}

std::vector<TrainableModel> TrainableModel::stages() const {
  std::vector<TrainableModel> stages;
  for (const Layer& layer : layers_)
    if (const MaskedWordTask* const words = layer.layer->masked_words();
        words != nullptr && words->weight == 0)
      stages.push_back(of_words(layer, *words->log_likelihood));
  std::vector<Layer> left = layers_;
  for (const TrainingStage& stage : model_->stages()) stages.push_back(take_stage(stage, left));
  stages.emplace_back(type_, model_, std::move(left), setting_);
  for (TrainableModel& stage : stages)
    for (const Layer& layer : layers_)
      if (std::none_of(stage.layers_.begin(), stage.layers_.end(),
                       [&](const Layer& own) { return own.layer == layer.layer; }))
        stage.other_layers_.push_back(layer);
  return stages;
}

}  // namespace ultr
