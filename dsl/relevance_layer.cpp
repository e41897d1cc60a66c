#include "dsl/relevance_layer.h"

#include "dsl/session.h"

namespace ultr {

const TrainableModel::Layer* relevance_layer(const TrainableModel& model) {
  const ModelSetting& setting = model.setting();
  Tape tape(Precision::float32, Tape::Gradients::off);
  ShardInputs inputs(tape, 1, static_cast<std::size_t>(setting.positions), setting.features);
  ProbGraph probabilities(tape);
  const Session session(inputs, probabilities);
  const Prob relevance = model.story().relevance(session);
  for (const TrainableModel::Layer& layer : model.layers()) {
    if (layer.domain == Domain::alternative) continue;
    const Prob coin = session.probability(*layer.layer, layer.name);  // recorded once
    if (coin == relevance) return &layer;
  }
  return nullptr;
}

}  // namespace ultr
