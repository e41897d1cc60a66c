#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "autograd/tape/node.h"
#include "autograd/tape/row_prefetcher.h"
#include "autograd/tape/tensor.h"
#include "base/arena.h"

namespace ultr {

/// A view of parameter rows that live outside the tape. Row r starts at values + r * stride and has
/// `columns` numbers. The memory may move between runs: each run reads the view anew.
struct ParameterView {
  const void* values = nullptr;
  Precision precision = Precision::float32;
  std::int64_t rows = 0;
  std::int64_t columns = 1;
  std::int64_t stride = 1;
  /// If not empty, the memory has only these rows, ascending: row listed[i] starts at values + i *
  /// stride. For gradient checks, in float64 only.
  std::span<const std::uint32_t> listed = {};
};

/// The gradient of parameter rows that a program gathered: entry i belongs to rows[i]. A row that
/// was gathered twice has two entries. Valid until the tape runs again.
struct SparseGradient {
  const ParameterView* parameter;
  std::span<const std::uint32_t> rows;
  const void* values;  // rows.size() x columns, in the tape's precision
  std::int64_t columns;
};

/// The gradient of a parameter that a program read as a whole: [rows, columns].
struct DenseGradient {
  const ParameterView* parameter;
  const void* values;  // in the tape's precision
};

/// A program of ops that is recorded once and run forward and backward many times.
///
/// Recording computes nothing and, once warm, allocates nothing from the heap. Values are computed
/// when the program runs: by forward(), by replay(), or when a tensor's values are read. A recorded
/// program can be replayed on other inputs of the same or smaller size: extents, inputs, masks and
/// indices are bound between runs, so shapes and the list of ops are fixed but sizes are not.
///
/// Not thread-safe: a tape belongs to one thread at a time. It is neither copied nor moved, because
/// tensors point to it.
class Tape {
 public:
  /// With gradients off, the tape saves nothing for a backward pass, which makes forward cheaper.
  enum class Gradients : std::uint8_t { off, on };

  explicit Tape(Precision precision = Precision::float32, Gradients gradients = Gradients::on);
  Tape(const Tape&) = delete;
  Tape& operator=(const Tape&) = delete;

  Precision precision() const { return precision_; }

  // Leaves ---------------------------------------------------------------------------------------

  /// Records a scalar without gradient.
  Tensor constant(double value);
  /// Records values without gradient, copied to the tape. Throws ShapeError if their number does
  /// not match the shape.
  Tensor constant(const Shape& shape, std::span<const double> values);
  /// Records values with a gradient, copied to the tape. Throws ShapeError if their number does not
  /// match the shape.
  Tensor variable(const Shape& shape, std::span<const double> values);
  /// Records a tensor without gradient whose values are bound before each run.
  Tensor input(const Shape& shape);
  /// Records a mask or an index whose entries are bound before each run.
  Mask mask(Extent rows);
  Index index(Extent rows);
  /// Makes a size that is bound before each run: at most `capacity`, which is also its initial
  /// value.
  Extent extent(std::int64_t capacity);

  // Binding --------------------------------------------------------------------------------------

  /// Sets the size for the next runs. Throws ShapeError if it is negative or above the capacity, or
  /// differs from a fixed extent.
  void bind(Extent extent, std::int64_t size);
  /// Binds values for the next runs. The memory must stay valid and hold as many elements as the
  /// shape has at run time; throws ShapeError if their number differs. Values of the tape's type
  /// are read in place; others are converted to a copy now.
  void bind(Tensor input, std::span<const float> values);
  void bind(Tensor input, std::span<const double> values);
  void bind(Mask mask, std::span<const std::uint8_t> values);
  /// If not empty, `runs` describes the same entries as consecutive runs, for speed.
  void bind(Index index, std::span<const std::uint32_t> values, std::span<const Run> runs = {});
  /// Copies new values to a variable. Throws ShapeError if their number does not match the shape.
  void assign(Tensor variable, std::span<const double> values);

  // Running --------------------------------------------------------------------------------------

  /// Declares the program complete: only `outputs` will be read. Nodes on which they do not depend
  /// are dropped, and gathers read only the rows that some output needs. Rows of a branch that
  /// `where` does not choose are not read, if its mask is bound or is computed before the gather is
  /// recorded. The next run computes everything anew.
  void require(std::span<const Tensor> outputs);
  /// Runs the nodes that were recorded since the last run.
  void forward();
  /// Runs the whole program on the values that are bound now.
  void replay();
  /// Announces the entries to which the index will be bound after the next replay. While that
  /// replay computes, it prefetches the rows that will then be gathered. Affects only speed. The
  /// entries must stay valid until the replay is over.
  void prefetch_rows(Index index, std::span<const std::uint32_t> entries);
  /// While on, runs leave values that pass through stop_gradient as the last run before computed
  /// them. Finite differences of a loss then agree with its gradient, which takes these values for
  /// constants.
  void freeze_stopped_values(bool on) { stopped_values_frozen_ = on; }
  /// Computes `seed` * d loss / d x for every x on which the loss depends. Throws ShapeError if the
  /// loss is not one element; Error if gradients are off or no output of require() needs the loss.
  void backward(Tensor loss, double seed = 1);
  /// Gradients of parameters outside the tape after backward(), in the order in which the reads
  /// were recorded.
  std::span<const SparseGradient> sparse_gradients() const { return sparse_gradients_; }
  std::span<const DenseGradient> dense_gradients() const { return dense_gradients_; }
  /// Returns the distinct rows, ascending, that the last run may have gathered from a parameter,
  /// including rows that conditions of `where` spared it.
  std::vector<std::uint32_t> gathered_rows(const ParameterView& parameter) const;
  /// Forgets the program but keeps the memory. All handles become invalid.
  void reset();

  /// Bytes held from the heap for values and gradients.
  std::size_t memory() const { return arena_.capacity(); }
  /// The number of recorded nodes.
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
  RowPrefetcher& row_prefetcher() { return row_prefetcher_; }

  /// A recorded node; the reference is valid until the next one is recorded.
  struct Recorded {
    Node& node;
    NodeId id;
  };
  /// Records an op; `kernels` is null for leaves. `own_value` is false for views and for values
  /// bound from outside.
  Recorded record(std::string_view name, NodeKind kind, const Shape& shape, const Kernels* kernels,
                  std::span<const NodeId> inputs, bool own_value = true);
  Tensor tensor(const Recorded& recorded) { return {*this, recorded.id}; }

  /// The memory for the gradient of an op's input, or null if the input needs none. The op adds to
  /// the memory if `add`, else it overwrites it.
  template <class T>
  struct Target {
    T* data = nullptr;
    bool add = false;
    explicit operator bool() const { return data != nullptr; }
    /// Writes element i, or adds to it.
    void put(std::size_t i, T x) const { data[i] = (add ? data[i] : T(0)) + x; }
  };
  /// Returns the target for the gradient of input i of a node.
  template <class T>
  Target<T> gradient_target(const Node& node, std::size_t i) {
    const Node& input = nodes_[node.inputs[i]];
    if (!input.planned) return {};
    return {reinterpret_cast<T*>(input.gradient), node.adds[i]};
  }

  /// Registers the parameter outside the tape to which a node's gradient belongs. Called by gather
  /// (`sparse`) and read.
  void register_parameter(NodeId node, const ParameterView* parameter, bool sparse);
  /// Adds a gradient. A gather's backward kernel calls it once its entries are known.
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
  RowPrefetcher row_prefetcher_;
  bool stopped_values_frozen_ = false;
  NodeId done_ = 0;  // nodes before it have run

  static constexpr NodeId no_node = ~NodeId{0};
  NodeId planned_loss_ = no_node;
  NodeId planned_nodes_ = 0;      // number of nodes when it was planned
  std::vector<NodeId> backward_;  // nodes to visit, last first
  std::vector<bool> written_;     // while planning: nodes whose gradients must be added to
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

/// Returns the tape that all the tensors are on. Throws ShapeError, naming `op`, if there are two.
Tape& common_tape(const char* op, std::span<const Tensor> tensors);

}  // namespace ultr
