#include "autograd/tape/compaction.h"

#include <algorithm>

namespace ultr {
namespace {

Compaction compaction_of(const Node& node) {
  return node.kernel == nullptr ? Compaction::none : node.kernel->compaction;
}

bool same_entries(const Demand& a, const Demand& b) {
  const auto theirs = b.all();
  return a.count == b.count && std::is_permutation(a.all().begin(), a.all().end(), theirs.begin());
}

/// Returns the entry list of the gather's pick if a node with this demand may read the pick instead
/// of the whole gather, else null. The first branch that asks claims the pick; a branch with
/// another demand gets null.
EntryList* list_of_pick(std::span<Node> nodes, const Node& gather, const Demand& demand) {
  if (gather.pick == 0) return nullptr;
  Node& pick = nodes[gather.pick];
  if (!pick.demand.needed) {
    for (const Condition& condition : demand.all())
      if (!known_before(nodes, condition.mask, gather.pick)) return nullptr;
    pick.demand = demand;
  }
  return same_entries(pick.demand, demand) ? pick.entries : nullptr;
}

/// Returns the list of the entries for which the node's value could be computed, given its inputs,
/// or null if there is none.
EntryList* possible_list(std::span<Node> nodes, const Node& node) {
  if (!node.demand.needed || node.demand.count == 0 || node.shape.rank != 1) return nullptr;
  if (node.entries != nullptr) return node.entries;
  const Compaction compaction = compaction_of(node);
  if (compaction != Compaction::follow && compaction != Compaction::lead) return nullptr;
  EntryList* list = nullptr;
  for (const NodeId id : node.inputs) {
    const Node& input = nodes[id];
    if (input.compact == nullptr && input.shape.single()) continue;
    if (input.compact != nullptr)
      list = same_entries(input.demand, node.demand) ? input.compact : nullptr;
    else
      list = compaction == Compaction::lead ? list_of_pick(nodes, input, node.demand) : nullptr;
    if (list == nullptr) return nullptr;
  }
  return list;
}

/// Returns true if the node can read its input i in compact form.
bool reads_compact(const Node& node, std::size_t i) {
  return node.compact != nullptr || (compaction_of(node) == Compaction::expand && i > 0);
}

/// Makes values whole again that have a consumer that cannot read them in compact form. Returns
/// true if any value changed.
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

/// Makes values whole again whose inputs are no longer compact. Returns true if any value changed.
bool drop_unfounded(std::span<Node> nodes) {
  bool changed = false;
  for (Node& node : nodes) {
    if (node.compact == nullptr) continue;
    EntryList* const list = possible_list(nodes, node);
    changed |= list != node.compact;
    node.compact = list;
  }
  return changed;
}

/// Redirects compact values from whole gathers to their picks.
void read_picks(std::span<Node> nodes) {
  for (Node& node : nodes) {
    if (node.pick != 0) nodes[node.pick].demand = {};
    if (node.compact == nullptr) continue;
    for (NodeId& id : node.inputs) {
      if (nodes[id].compact != nullptr || nodes[id].pick == 0) continue;
      id = nodes[id].pick;
      nodes[id].demand = node.demand;
      nodes[id].compact = nodes[id].entries;
    }
  }
}

}  // namespace

void plan_compaction(std::span<Node> nodes) {
  for (Node& node : nodes) node.compact = possible_list(nodes, node);
  while (drop_misread(nodes) || drop_unfounded(nodes)) continue;
  read_picks(nodes);
  for (Node& node : nodes)
    if (node.compact != nullptr) node.shape.rows = node.compact->listed;
}

void undo_compaction(std::span<Node> nodes) {
  for (Node& node : nodes) {
    for (NodeId& id : node.inputs)
      if (id > 0 && nodes[id - 1].pick == id) id = nodes[id].inputs[0];
    if (node.compact != nullptr) node.shape.rows = node.compact->all;
    node.compact = nullptr;
  }
}

bool known_before(std::span<const Node> nodes, NodeId mask, NodeId node) {
  while (nodes[mask].is_view()) mask = nodes[mask].inputs[0];
  return nodes[mask].kernel == nullptr || mask < node;
}

}  // namespace ultr
