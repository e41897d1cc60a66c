#pragma once

#include <vector>

#include "autograd/tape/tape.h"

namespace ultr {

/// The part of a program that depends on one leaf. After a replay of the whole program, it can be
/// run again for other values of that leaf, while everything else keeps its values.
class PartialReplay {
 public:
  /// Finds the part. The program must be complete (Tape::require), and the tape must outlive this
  /// object.
  PartialReplay(Tape& tape, NodeId leaf);

  /// Returns true if the value depends on the leaf.
  bool affects(Tensor x) const { return affected_[x.node()]; }
  /// Runs the part on the values that are bound now.
  void run();

 private:
  Tape& tape_;
  std::vector<bool> affected_;  // by node
  std::vector<NodeId> nodes_;   // to run, in the order of the program
};

}  // namespace ultr
