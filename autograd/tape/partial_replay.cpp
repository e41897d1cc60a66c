#include "autograd/tape/partial_replay.h"

#include <algorithm>

namespace ultr {

PartialReplay::PartialReplay(Tape& tape, NodeId leaf) : tape_(tape), affected_(tape.size()) {
  affected_[leaf] = true;
  for (NodeId id = leaf + 1; id < tape.size(); ++id) {
    const Node& node = tape.node(id);
    affected_[id] = std::any_of(node.inputs.begin(), node.inputs.end(),
                                [&](NodeId input) { return affected_[input]; });
    if (affected_[id] && node.demand.needed && node.kernel != nullptr) nodes_.push_back(id);
  }
}

void PartialReplay::run() {
  for (const NodeId id : nodes_) {
    Node& node = tape_.node(id);
    node.kernel->forward(tape_, node);
  }
}

}  // namespace ultr
