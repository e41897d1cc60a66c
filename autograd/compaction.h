#pragma once

#include <span>

#include "autograd/node.h"

namespace ultr {

/// Decides which values are computed only for the entries that meet their demand, one after the
/// other (Node::compact): a gather that lists its entries and the elementwise ops on what it read,
/// if all who look at a value either are compact like it or are a `where` that has it for an
/// operand. What a branch of a story says of the few documents where it was taken costs no more
/// than these. Demands must be set, and a decision made before must be taken back.
void plan_compaction(std::span<Node> nodes);
/// Takes the decision back: all values are whole, with the shapes that they were recorded with.
void undo_compaction(std::span<Node> nodes);

}  // namespace ultr
