#include <algorithm>

#include "autograd/tape/compaction.h"
#include "autograd/tape/tape.h"

namespace ultr {

Demand Demand::with(Condition condition) const {
  Demand result = *this;
  const auto known = all();
  if (count < most && std::find(known.begin(), known.end(), condition) == known.end())
    result.conditions[result.count++] = condition;
  return result;
}

Demand Demand::join(const Demand& other) const {
  if (!needed) return other;
  if (!other.needed) return *this;
  const auto theirs = other.all();
  return filter([&](const Condition& condition) {
    return std::find(theirs.begin(), theirs.end(), condition) != theirs.end();
  });
}

Demand demand_same_rows(const Tape& tape, const Node& node, std::size_t input, const Demand& own) {
  const Shape& shape = tape.node(node.inputs[input]).shape;
  return shape.rank == node.shape.rank && shape.rows == node.shape.rows ? own
                                                                        : Demand::everywhere();
}

void Tape::require(std::span<const Tensor> outputs) {
  undo_compaction(nodes_);  // demands follow from the recorded shapes
  for (Node& node : nodes_) node.demand = {};
  for (const Tensor& output : outputs) nodes_[output.node()].demand = Demand::everywhere();
  for (std::size_t id = nodes_.size(); id-- > 0;) {
    const Node& node = nodes_[id];
    if (!node.demand.needed) continue;
    for (std::size_t i = 0; i < node.inputs.size(); ++i) {
      Node& input = nodes_[node.inputs[i]];
      const auto demand = node.kernel->demand;
      input.demand = input.demand.join(demand == nullptr ? Demand::everywhere()
                                                         : demand(*this, node, i, node.demand));
    }
  }
  for (NodeId id = 0; id < nodes_.size(); ++id)
    nodes_[id].demand = nodes_[id].demand.filter(
        [&](const Condition& condition) { return known_before(nodes_, condition.mask, id); });
  plan_compaction(nodes_);
  planned_loss_ = no_node;  // inputs may have changed
  done_ = 0;
}

}  // namespace ultr
