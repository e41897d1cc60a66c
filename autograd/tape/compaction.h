#pragma once

#include <span>

#include "autograd/tape/node.h"

namespace ultr {

/// Chooses the values that are computed in compact form: only for the entries that meet their
/// demand, stored contiguously (Node::compact). Candidates are gathers that list their entries, and
/// elementwise ops on values that such gathers read. A value is compact only if every consumer is
/// compact for the same entries or is a `where` that has the value as an operand.
///
/// If other nodes read a gather as a whole, a costly op in a branch of `where` reads the pick of
/// the entries that the branch needs (pick.h), and so do the ops after it in that branch. A branch
/// of a story that few documents take then costs no more than these few.
///
/// Demands must be set, and a previous plan must be undone first.
void plan_compaction(std::span<Node> nodes);
/// Undoes plan_compaction: all values are whole, with the shapes and inputs as recorded.
void undo_compaction(std::span<Node> nodes);
/// Returns true if the values of `mask` are known when `node` runs: the mask is bound from outside
/// or computed by an earlier node, or it is a slice of such a mask.
bool known_before(std::span<const Node> nodes, NodeId mask, NodeId node);

}  // namespace ultr
