#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "autograd/tensor.h"

/// What the tape keeps of an op. Only for code that defines ops.
namespace ultr {

struct Node;
struct Demand;

/// The functions of an op in one precision. They read sizes, inputs and closure from the node.
struct Kernel {
  void (*forward)(Tape&, Node&) = nullptr;
  /// Adds to the gradients of the inputs (Tape::gradient_target); null if there is none to add.
  void (*backward)(Tape&, Node&) = nullptr;
  /// Which rows of input i are needed if those of `own` of the result are. Null means: the same
  /// rows for rowwise ops, all rows otherwise.
  Demand (*demand)(const Tape&, const Node&, std::size_t input, const Demand& own) = nullptr;
};

/// An op in both precisions; the tape picks.
struct Kernels {
  Kernel float32, float64;
};

/// "Entry i is needed only if mask[i] == value": one condition of a demand.
struct Condition {
  NodeId mask;
  bool value;
  friend bool operator==(const Condition&, const Condition&) = default;
};

/// Which rows of a value are needed: none, or those that meet all the conditions.
struct Demand {
  static constexpr std::size_t most = 4;
  bool needed = false;
  std::uint8_t count = 0;
  std::array<Condition, most> conditions{};

  static Demand everywhere() { return {true, 0, {}}; }
  std::span<const Condition> all() const { return {conditions.data(), count}; }
  /// This demand and one more condition (dropped if there is no room: more is needed, never less).
  Demand with(Condition condition) const;
  /// The smallest demand that covers both: the conditions they share.
  Demand join(const Demand& other) const;
  /// This demand with the conditions for which `keep` is true: as much is needed, or more.
  template <class Keep>
  Demand filter(Keep keep) const {
    Demand result{needed, 0, {}};
    for (const Condition& condition : all())
      if (keep(condition)) result.conditions[result.count++] = condition;
    return result;
  }
};

/// The entries that meet the demand of a gather or a pick with conditions, listed each time it
/// runs.
struct EntryList {
  std::uint32_t* entries;  // which elements of the whole, ascending
  std::uint32_t* rows;     // which row of the parameter each is; of a pick, null
  Extent all;              // elements of the whole
  Extent listed;           // of them on the list
};

enum class NodeKind : std::uint8_t { real, mask, index };

struct Node {
  std::string_view name;
  NodeKind kind = NodeKind::real;
  bool requires_gradient = false;
  /// Row i of the result depends on row i of equally long inputs only.
  bool rowwise = false;
  /// An elementwise formula: it may be computed for some entries alone, one after the other.
  bool elementwise = false;
  /// Computing an entry takes much longer than copying it.
  bool costly = false;
  /// Its real operands after the first input may be compact.
  bool expands = false;
  /// The value is a piece of the input's memory.
  bool view = false;
  /// Some node is a view of this one.
  bool viewed = false;
  /// No gradient passes it: what it holds counts as a constant.
  bool stopped = false;
  /// The planned backward pass reaches it.
  bool planned = false;
  /// While planning: something writes its gradient already.
  bool written = false;

  Shape shape;
  const Kernel* kernel = nullptr;  // null for leaves
  std::span<NodeId> inputs;
  std::span<bool> adds;  // per input: add to its gradient (true) or be its first writer (false)
  const void* closure = nullptr;

  std::byte* value = nullptr;     // own memory, memory bound from outside, or a view's
  std::byte* own = nullptr;       // memory in the arena, if any
  std::byte* saved = nullptr;     // what forward keeps for backward
  std::byte* gradient = nullptr;  // null until a backward pass is planned
  Range range;                    // of a view
  EntryList* entries = nullptr;   // of a gather or a pick
  NodeId pick = 0;                // of a gather: the pick of its value (pick.h); 0: none
  /// Not null: the value, its gradient and what is saved are of the listed entries alone, one after
  /// the other, and so many are the rows of `shape`.
  EntryList* compact = nullptr;
  Demand demand = Demand::everywhere();
};

}  // namespace ultr
