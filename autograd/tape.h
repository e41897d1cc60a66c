#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "autograd/arena.h"
#include "autograd/node.h"
#include "autograd/rows_ahead.h"
#include "autograd/tensor.h"

namespace ultr {

/// Parameter rows that live outside the tape: row r is `columns` numbers from
/// values + r * stride on. The memory may move between runs; the view is read anew in each.
struct ParameterView {
  const void* values = nullptr;
  Precision precision = Precision::float32;
  std::int64_t rows = 0;
  std::int64_t columns = 1;
  std::int64_t stride = 1;
  /// If not empty, the memory has only these rows, ascending, one after the other: row listed[i] is
  /// `columns` numbers from values + i * stride on. For gradient checks, in float64 only.
  std::span<const std::uint32_t> listed = {};
};

/// The gradient of rows that a program gathered from outside: entry i belongs to rows[i]. A row
/// that was gathered twice has two entries. Valid until the tape runs again.
struct SparseGradient {
  const ParameterView* parameter;
  std::span<const std::uint32_t> rows;
  const void* values;  // rows.size() x columns, in the tape's precision
  std::int64_t columns;
};

/// The gradient of a parameter that a program read as a whole: rows x columns.
struct DenseGradient {
  const ParameterView* parameter;
  const void* values;  // in the tape's precision
};

/// Records a program of ops and runs it forward and backward, again and again.
///
/// Recording computes nothing and touches no heap once warm; values appear when the program runs
/// (forward, replay, or a tensor is looked at). A recorded program can be replayed on other inputs
/// of the same or smaller size: extents, inputs, masks and indices are bound between runs, so
/// shapes and the list of ops are fixed but sizes are not.
///
/// A tape belongs to one thread at a time. It is neither copied nor moved: tensors point to it.
class Tape {
 public:
  /// With `gradients` off, nothing is kept for a backward pass, which makes forward cheaper.
  enum class Gradients : std::uint8_t { off, on };

  explicit Tape(Precision precision = Precision::float32, Gradients gradients = Gradients::on);
  Tape(const Tape&) = delete;
  Tape& operator=(const Tape&) = delete;

  Precision precision() const { return precision_; }

  // Leaves ---------------------------------------------------------------------------------------

  /// A scalar without gradient.
  Tensor constant(double value);
  /// Values without gradient, copied to the tape. Throws ShapeError if their number does not fit.
  Tensor constant(const Shape& shape, std::span<const double> values);
  /// Values with a gradient, copied to the tape.
  Tensor variable(const Shape& shape, std::span<const double> values);
  /// Values without gradient that are bound before each run.
  Tensor input(const Shape& shape);
  Mask mask(Extent rows);
  Index index(Extent rows);
  /// A size that is bound before each run.
  Extent extent(std::int64_t capacity);

  // Binding --------------------------------------------------------------------------------------

  /// Throws ShapeError if `size` is negative or above the capacity.
  void bind(Extent extent, std::int64_t size);
  /// Memory must stay valid and hold as many elements as the shape has at run time. It is read in
  /// place if its type is the tape's and converted to a copy now otherwise.
  void bind(Tensor input, std::span<const float> values);
  void bind(Tensor input, std::span<const double> values);
  void bind(Mask mask, std::span<const std::uint8_t> values);
  /// `runs`, if not empty, describes the same entries as consecutive runs, for speed.
  void bind(Index index, std::span<const std::uint32_t> values, std::span<const Run> runs = {});
  /// New values for a variable.
  void assign(Tensor variable, std::span<const double> values);

  // Running --------------------------------------------------------------------------------------

  /// Declares the program complete: only `outputs` will be looked at. What they do not depend on is
  /// dropped, and gathers read only the rows that some output needs (a branch that `where` does not
  /// choose is not read, if its mask is bound, or computed before the gather is recorded). What has
  /// run already runs anew.
  void require(std::span<const Tensor> outputs);
  /// Runs what was recorded since the last run.
  void forward();
  /// Runs the whole program on what is bound now.
  void replay();
  /// What this index will be bound to after the next replay: while that computes, the rows that are
  /// to be gathered then are fetched into the cache. Only for speed. The entries must stay valid
  /// until the replay is over.
  void read_ahead(Index index, std::span<const std::uint32_t> entries);
  /// While on, runs leave what passes through stop_gradient at its value of the last run before.
  /// That is what the gradient of a loss means, so that differences agree with it.
  void hold_stopped(bool on) { stopped_held_ = on; }
  /// Computes `seed` * d loss / d everything the loss depends on. Throws ShapeError if the loss is
  /// not one element, Error if gradients are off.
  void backward(Tensor loss, double seed = 1);
  /// The gradients of parameters outside the tape, in the order in which they were recorded.
  std::span<const SparseGradient> sparse_gradients() const { return sparse_gradients_; }
  std::span<const DenseGradient> dense_gradients() const { return dense_gradients_; }
  /// The rows, distinct and ascending, that the last run may have gathered from a parameter: those
  /// that conditions of `where` spared it are among them. Only with gradients.
  std::vector<std::uint32_t> gathered_rows(const ParameterView& parameter) const;
  /// Forgets the program and keeps the memory. All handles become invalid.
  void reset();

  /// Bytes held from the heap for values and gradients.
  std::size_t memory() const { return arena_.capacity(); }
  /// Number of recorded nodes.
  std::size_t size() const { return nodes_.size(); }

  // For ops --------------------------------------------------------------------------------------

  Arena& arena() { return arena_; }
  Node& node(NodeId id) { return nodes_[id]; }
  const Node& node(NodeId id) const { return nodes_[id]; }
  Node& input_of(const Node& node, std::size_t i) { return nodes_[node.inputs[i]]; }
  bool gradients() const { return gradients_ == Gradients::on; }
  std::size_t element_bytes() const { return precision_ == Precision::float32 ? 4 : 8; }
  std::int64_t size_of(Extent extent) const {
    return extent.fixed() ? extent.capacity() : sizes_[static_cast<std::size_t>(extent.slot())];
  }
  std::int64_t size_of(const Shape& shape) const { return size_of(shape.rows) * shape.columns; }
  std::span<const Run> runs_of(NodeId index) const;
  RowsAhead& rows_ahead() { return rows_ahead_; }

  /// Adds an op; `kernels` is null for leaves. `own_value` is false for views and for values bound
  /// from outside.
  struct Recorded {
    Node& node;
    NodeId id;
  };
  Recorded record(std::string_view name, NodeKind kind, const Shape& shape, const Kernels* kernels,
                  std::span<const NodeId> inputs, bool own_value = true);
  Tensor tensor(const Recorded& recorded) { return {*this, recorded.id}; }

  /// Where an op adds the gradient of its input i: null if the input needs none. `add` tells
  /// whether to add to what is there or to overwrite it.
  template <class T>
  struct Target {
    T* data = nullptr;
    bool add = false;
    explicit operator bool() const { return data != nullptr; }
  };
  template <class T>
  Target<T> gradient_target(const Node& node, std::size_t i) {
    const Node& input = nodes_[node.inputs[i]];
    if (!input.planned) return {};
    return {reinterpret_cast<T*>(input.gradient), node.adds[i]};
  }

  /// Parameters outside the tape that a node's gradient is for (gather and read register them).
  void register_parameter(NodeId node, const ParameterView* parameter, bool sparse);
  /// Called by a gather's backward kernel once its entries are known.
  void report_sparse_gradient(const SparseGradient& gradient) {
    sparse_gradients_.push_back(gradient);
  }

 private:
  struct IndexRuns {
    NodeId index;
    std::span<const Run> runs;
  };

  NodeId leaf(NodeKind kind, const Shape& shape, std::string_view name);
  template <class From>
  void bind_values(Tensor input, std::span<const From> values);
  template <class From>
  void copy_values(Node& node, std::span<const From> values);
  void check_count(const Node& node, std::size_t count) const;
  void run(NodeId from, NodeId to);
  void plan_backward(NodeId loss);
  void place_view(Node& view);

  Precision precision_;
  Gradients gradients_;
  Arena arena_;
  std::vector<Node> nodes_;
  std::vector<std::int64_t> sizes_;
  std::vector<IndexRuns> runs_;
  RowsAhead rows_ahead_;
  bool stopped_held_ = false;
  NodeId done_ = 0;  // nodes before it have run

  static constexpr NodeId no_node = ~NodeId{0};
  NodeId planned_loss_ = no_node;
  NodeId planned_nodes_ = 0;      // how many nodes there were when it was planned
  std::vector<NodeId> backward_;  // nodes to visit, last first
  std::vector<NodeId> zeroed_;    // gradients that start from zero
  std::vector<NodeId> views_;     // views whose gradients must be placed, parents first
  std::vector<DenseGradient> dense_gradients_;
  std::vector<SparseGradient> sparse_gradients_;
  struct ReadParameter {
    NodeId node;
    const ParameterView* parameter;
  };
  std::vector<ReadParameter> read_parameters_, gathered_parameters_;
};

/// The tape that all the tensors are on. Throws ShapeError naming `op` if there are two.
Tape& common_tape(const char* op, std::span<const Tensor> tensors);

}  // namespace ultr
