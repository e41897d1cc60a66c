#include "autograd/compaction.h"

#include <algorithm>

namespace ultr {
namespace {

bool same_entries(const Demand& a, const Demand& b) {
  const auto theirs = b.all();
  return a.count == b.count && std::is_permutation(a.all().begin(), a.all().end(), theirs.begin());
}

/// The list whose entries the node's value could be computed for, given its inputs: null if none.
EntryList* possible_list(std::span<const Node> nodes, const Node& node) {
  if (!node.demand.needed || node.demand.count == 0 || node.shape.rank != 1 || node.stopped)
    return nullptr;
  if (node.entries != nullptr) return node.entries;
  if (!node.elementwise) return nullptr;
  EntryList* list = nullptr;
  for (const NodeId id : node.inputs) {
    const Node& input = nodes[id];
    if (input.compact == nullptr && input.shape.single()) continue;
    if (input.compact == nullptr || !same_entries(input.demand, node.demand)) return nullptr;
    list = input.compact;
  }
  return list;
}

/// Whether the node can read its input i in compact form.
bool reads_compact(const Node& node, std::size_t i) {
  return node.compact != nullptr || (node.expands && i > 0);
}

/// Takes compact form from values that someone reads who cannot read it so.
bool drop_misread(std::span<Node> nodes) {
  bool dropped = false;
  for (const Node& node : nodes) {
    if (!node.demand.needed) continue;
    for (std::size_t i = 0; i < node.inputs.size(); ++i) {
      Node& input = nodes[node.inputs[i]];
      if (input.compact == nullptr || reads_compact(node, i)) continue;
      input.compact = nullptr;
      dropped = true;
    }
  }
  return dropped;
}

/// Takes it from values that are computed from some that lost it.
bool drop_unfounded(std::span<Node> nodes) {
  bool dropped = false;
  for (Node& node : nodes) {
    if (node.compact == nullptr || possible_list(nodes, node) != nullptr) continue;
    node.compact = nullptr;
    dropped = true;
  }
  return dropped;
}

}  // namespace

void plan_compaction(std::span<Node> nodes) {
  for (Node& node : nodes) node.compact = possible_list(nodes, node);
  while (drop_misread(nodes) || drop_unfounded(nodes)) continue;
  for (Node& node : nodes)
    if (node.compact != nullptr) node.shape.rows = node.compact->listed;
}

void undo_compaction(std::span<Node> nodes) {
  for (Node& node : nodes) {
    if (node.compact != nullptr) node.shape.rows = node.compact->all;
    node.compact = nullptr;
  }
}

}  // namespace ultr
