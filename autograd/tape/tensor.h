#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "autograd/tape/shape.h"

namespace ultr {

class Tape;

/// The number type of a tape; everything recorded on it has that type.
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

  /// Returns the number of elements, given the sizes that are bound now.
  std::int64_t size() const;
  /// Returns all elements, row by row. First runs what was recorded and has not run yet.
  std::vector<double> values() const;
  /// Returns the elements of a tensor of a float64 tape where they are, until the tape runs again.
  /// First runs what was recorded and has not run yet. Throws Error if the tape is float32.
  std::span<const double> float64_values() const;
  /// Returns the only element. First runs what was recorded and has not run yet. Throws ShapeError
  /// unless there is exactly one element.
  double item() const;
  /// Returns d loss / d this as of the last Tape::backward; zeros if the loss does not depend on
  /// it.
  std::vector<double> gradient() const;

 private:
  Tape* tape_ = nullptr;
  NodeId node_ = 0;
};

/// One truth value per row, a byte that is 0 or 1. Bound before each run, or computed by an op.
struct Mask {
  Tape* tape = nullptr;
  NodeId node = 0;
  friend bool operator==(const Mask&, const Mask&) = default;
};

/// One row number per element. Bound before each run, or computed by an op.
struct Index {
  Tape* tape = nullptr;
  NodeId node = 0;
};

/// Consecutive segments of a vector, such as the lists of a batch. Segment i is the elements
/// [offsets[i], offsets[i + 1]). `offsets` has `count` + 1 entries.
struct Segments {
  Index offsets;
  Extent count = 1;
};

/// Consecutive rows [begin, begin + rows) of a vector or matrix.
struct Range {
  Extent begin = 0;
  Extent rows = 0;
};

/// A run of equal entries of an index.
struct Run {
  std::uint32_t value;
  std::uint32_t count;
};

}  // namespace ultr
