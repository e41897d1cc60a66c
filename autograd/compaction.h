#pragma once

#include <span>

#include "autograd/node.h"

namespace ultr {

/// Decides which values are computed only for the entries that meet their demand, one after the
/// other (Node::compact): a gather that lists its entries and the elementwise ops on what it read,
/// if all who look at a value either are compact like it or are a `where` that has it for an
/// operand. Of a gather that others read as a whole, a costly op in a branch reads the pick of what
/// that branch needs (pick.h), and so do all that come after it there. What a branch of a story
/// says of the few documents where it was taken costs no more than these. Demands must be set, and
/// a decision made before must be taken back.
void plan_compaction(std::span<Node> nodes);
/// Takes the decision back: all values are whole, with the shapes and the inputs that they were
/// recorded with.
void undo_compaction(std::span<Node> nodes);
/// Whether the mask can be looked at when the node runs: it is bound from outside, a slice of such
/// a mask, or computed by then.
bool known_before(std::span<const Node> nodes, NodeId mask, NodeId node);

}  // namespace ultr
