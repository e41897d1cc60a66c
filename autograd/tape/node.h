#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "autograd/tape/tensor.h"

/// The record of an op on a tape. Only for code that defines ops.
namespace ultr {

struct Node;
struct Demand;

/// The way in which an op takes part in compaction (compaction.h).
enum class Compaction : std::uint8_t {
  none,    // reads and writes whole values
  expand,  // reads compact operands after the first input and writes a whole value
  follow,  // an elementwise formula: computes listed entries alone if its operands are compact
  lead,    // likewise, and so costly that copying listed entries out of a whole gather pays
};

/// An op in one precision: the functions that compute it, and what the tape plans with. The
/// functions read sizes, inputs and closure from the node.
struct Kernel {
  void (*forward)(Tape&, Node&) = nullptr;
  /// Adds to the gradients of the inputs (Tape::gradient_target). Null if the op has no gradient.
  void (*backward)(Tape&, Node&) = nullptr;
  /// Returns the rows of input i that are needed if the rows `own` of the result are. Null means
  /// all rows.
  Demand (*demand)(const Tape&, const Node&, std::size_t input, const Demand& own) = nullptr;
  Compaction compaction = Compaction::none;
  /// The value counts as a constant, which Tape::freeze_stopped_values may freeze.
  bool stops_gradient = false;
};

/// The demand function of an op whose row i depends only on row i of those inputs that have as many
/// rows.
Demand demand_same_rows(const Tape& tape, const Node& node, std::size_t input, const Demand& own);

/// The kernels of an op in both precisions; the tape picks one.
struct Kernels {
  Kernel float32, float64;
};

/// One condition of a demand: "entry i is needed only if mask[i] == value".
struct Condition {
  NodeId mask;
  bool value;
  friend bool operator==(const Condition&, const Condition&) = default;
};

/// The rows of a value that are needed: none, or those that meet all the conditions.
struct Demand {
  static constexpr std::size_t most = 4;
  bool needed = false;
  std::uint8_t count = 0;
  std::array<Condition, most> conditions{};

  static Demand everywhere() { return {true, 0, {}}; }
  std::span<const Condition> all() const { return {conditions.data(), count}; }
  /// Returns this demand with one more condition. Without room for it, the condition is dropped:
  /// then more rows are needed, never fewer.
  Demand with(Condition condition) const;
  /// Returns the smallest demand that covers both: the conditions they share.
  Demand join(const Demand& other) const;
  /// Returns this demand with only those conditions for which `keep` is true: as many rows are
  /// needed, or more.
  template <class Keep>
  Demand filter(Keep keep) const {
    Demand result{needed, 0, {}};
    for (const Condition& condition : all())
      if (keep(condition)) result.conditions[result.count++] = condition;
    return result;
  }
};

/// The entries that meet the conditional demand of a gather or a pick, listed anew in each run.
struct EntryList {
  std::uint32_t* entries;  // indices of the elements in the whole value, ascending
  std::uint32_t* rows;     // the row of the parameter for each entry; null for a pick
  Extent all;              // number of elements in the whole value
  Extent listed;           // number of entries on the list
};

enum class NodeKind : std::uint8_t { real, mask, index };

/// A value on a tape: a leaf, or the result of an op.
struct Node {
  // Set when the node is recorded.
  std::string_view name;
  NodeKind kind = NodeKind::real;
  /// A loss may be differentiated with respect to this value.
  bool requires_gradient = false;
  Shape shape;
  const Kernel* kernel = nullptr;  // null for leaves
  std::span<NodeId> inputs;
  const void* closure = nullptr;
  std::byte* own = nullptr;      // memory in the arena, if any
  std::byte* saved = nullptr;    // data that forward saves for backward
  Range range;                   // the rows of a view
  EntryList* entries = nullptr;  // null unless a gather or a pick
  NodeId pick = 0;               // the pick of a gather (pick.h); 0 if none

  // Planned by Tape::require.
  Demand demand = Demand::everywhere();
  /// If not null, the node is compact: its value, gradient and saved data hold only the listed
  /// entries, contiguously, and `shape` has as many rows.
  EntryList* compact = nullptr;

  // Planned by Tape::backward.
  /// The backward pass reaches this node.
  bool planned = false;
  std::span<bool> adds;  // per input: add to its gradient (true) or be its first writer (false)
  std::byte* gradient = nullptr;  // null until the first plan that reaches the node

  /// Own memory, bound memory, or a part of another node's.
  std::byte* value = nullptr;

  /// True if the value is a part of the input's memory, as that of a slice is.
  bool is_view() const { return kernel != nullptr && own == nullptr; }
};

}  // namespace ultr
