#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "autograd/shape.h"

namespace ultr {

class Tape;

/// float32 or float64: a property of a tape; everything recorded on it has that type.
enum class Precision : std::uint8_t { float32, float64 };

using NodeId = std::uint32_t;

/// A handle to a value on a tape: 16 bytes, copied freely, valid until Tape::reset().
/// Ops are free functions (autograd.h lists them); methods only observe.
class Tensor {
 public:
  Tensor() = default;
  Tensor(Tape& tape, NodeId node) : tape_(&tape), node_(node) {}

  Tape& tape() const { return *tape_; }
  NodeId node() const { return node_; }
  const Shape& shape() const;

  /// The number of elements with the sizes that are bound now.
  std::int64_t size() const;
  /// All elements, row by row. Runs what was recorded and has not run yet.
  std::vector<double> values() const;
  /// The only element. Throws ShapeError if there are more.
  double item() const;
  /// d loss / d this of the last Tape::backward; zeros if the loss does not depend on it.
  std::vector<double> gradient() const;

 private:
  Tape* tape_ = nullptr;
  NodeId node_ = 0;
};

/// One truth value a row, bound at run time (a byte each, 0 or 1).
struct Mask {
  Tape* tape = nullptr;
  NodeId node = 0;
};

/// One row number an element, bound at run time.
struct Index {
  Tape* tape = nullptr;
  NodeId node = 0;
};

/// Consecutive segments of a vector, for instance the lists of a batch: segment i is the elements
/// [offsets[i], offsets[i + 1]). `offsets` has `count` + 1 entries.
struct Segments {
  Index offsets;
  Extent count = 1;
};

/// Consecutive rows [begin, begin + rows) of a vector or matrix.
///
/// `within`, if it has a tape, is a mask of the whole vector that is true on the range; it lets the
/// tape see that what lies outside the mask is not needed (Tape::require).
struct Range {
  Extent begin = 0;
  Extent rows = 0;
  Mask within;
};

/// A run of equal entries of an index.
struct Run {
  std::uint32_t value;
  std::uint32_t count;
};

}  // namespace ultr
