#include "dsl/relevance_layer.h"

#include "dsl/session.h"

namespace ultr {
namespace {

/// Adds the layers of an event that is a product of coins. Returns false if it is not.
bool add_factors(const TrainableModel& model, const Prob& event,
                 std::vector<const TrainableModel::Layer*>& factors) {
  const ProbGraph::Node& node = event.graph().node(event.node());
  if (event.complemented()) return false;
  if (node.kind == ProbGraph::Kind::both)
    return add_factors(model, node.parts[0], factors) && add_factors(model, node.parts[1], factors);
  if (node.kind != ProbGraph::Kind::logit || node.key.layer == nullptr) return false;
  for (const TrainableModel::Layer& layer : model.layers())
    if (layer.layer.get() == node.key.layer) {
      factors.push_back(&layer);
      return true;
    }
  return false;
}

}  // namespace

std::vector<const TrainableModel::Layer*> relevance_factors(const TrainableModel& model) {
  const ModelSetting& setting = model.setting();
  Tape tape(Precision::float32, Tape::Gradients::off);
  ShardInputs inputs(tape, 1, static_cast<std::size_t>(setting.positions), setting.features);
  ProbGraph probabilities(tape);
  const Session session(inputs, probabilities);
  std::vector<const TrainableModel::Layer*> factors;
  if (!add_factors(model, model.story().relevance(session), factors)) return {};
  return factors;
}

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
