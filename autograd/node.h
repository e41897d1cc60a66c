#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "autograd/tensor.h"

/// The record of an op on a tape. Only for code that defines ops.
namespace ultr {

struct Node;
struct Demand;

/// The functions that compute an op in one precision. They read sizes, inputs and closure from the
/// node.
struct Kernel {
  void (*forward)(Tape&, Node&) = nullptr;
  /// Adds to the gradients of the inputs (Tape::gradient_target). Null if the op has no gradient.
  void (*backward)(Tape&, Node&) = nullptr;
  /// Returns the rows of input i that are needed if the rows `own` of the result are. Null means:
  /// the same rows for rowwise ops, all rows otherwise.
  Demand (*demand)(const Tape&, const Node&, std::size_t input, const Demand& own) = nullptr;
};

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
  std::string_view name;
  NodeKind kind = NodeKind::real;
  bool requires_gradient = false;
  /// Row i of the result depends only on row i of those inputs that have as many rows.
  bool rowwise = false;
  /// The op is an elementwise formula, so it may be computed for listed entries alone.
  bool elementwise = false;
  /// Computing an entry takes much longer than copying it.
  bool costly = false;
  /// The op accepts compact values as real operands after the first input.
  bool expands = false;
  /// The value is a part of the input's memory.
  bool view = false;
  /// Some node is a view of this one.
  bool viewed = false;
  /// No gradient passes: the value counts as a constant.
  bool stopped = false;
  /// The planned backward pass reaches this node.
  bool planned = false;
  /// Used while planning: some backward kernel writes its gradient already.
  bool written = false;

  Shape shape;
  const Kernel* kernel = nullptr;  // null for leaves
  std::span<NodeId> inputs;
  std::span<bool> adds;  // per input: add to its gradient (true) or be its first writer (false)
  const void* closure = nullptr;

  std::byte* value = nullptr;     // own memory, bound memory, or a part of another node's
  std::byte* own = nullptr;       // memory in the arena, if any
  std::byte* saved = nullptr;     // data that forward saves for backward
  std::byte* gradient = nullptr;  // null until a backward pass is planned
  Range range;                    // the rows of a view
  EntryList* entries = nullptr;   // null unless a gather or a pick
  NodeId pick = 0;                // the pick of a gather (pick.h); 0 if none
  /// If not null, the node is compact: its value, gradient and saved data hold only the listed
  /// entries, contiguously, and `shape` has as many rows.
  EntryList* compact = nullptr;
  Demand demand = Demand::everywhere();
};

}  // namespace ultr
