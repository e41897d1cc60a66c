#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "autograd/tape/tape.h"
#include "base/zeroed_array.h"

namespace ultr {

/// A matrix of learned numbers, rows x columns, in float32, with room for the state of an
/// optimizer.
///
/// Those that optimizers update differ in their memory layout. `DenseParameter` stores all values
/// together, then each state, and is updated as a whole. `EmbeddingTable` stores all numbers of a
/// row together and updates only rows that were read. No optimizer updates `StructureParameter`.
class Parameter {
 public:
  /// Throws Error unless there is at least one row and one column.
  Parameter(std::string name, std::int64_t rows, std::int64_t columns);
  virtual ~Parameter() = default;
  Parameter(const Parameter&) = delete;
  Parameter& operator=(const Parameter&) = delete;

  /// Name, unique in a model, such as "attraction.baseline". Files of the parameter have this name.
  const std::string& name() const { return name_; }
  std::int64_t rows() const { return rows_; }
  std::int64_t columns() const { return view_.columns; }

  /// The view through which programs read the values. Its address never changes.
  const ParameterView& view() const { return view_; }
  /// Copies all values, row by row.
  std::vector<float> values() const;
  /// Sets the values of all rows, row by row. Throws Error unless there are rows x columns values.
  void assign(std::span<const float> values);
  /// Sets all values to the same number.
  void fill(float value);
  /// Value in a row's first column.
  float& value(std::int64_t row) { return own_values_[row * own_stride_]; }
  float value(std::int64_t row) const { return own_values_[row * own_stride_]; }
  /// Values of a row, one per column.
  std::span<float> row(std::int64_t row) {
    return {own_values_ + row * own_stride_, static_cast<std::size_t>(columns())};
  }
  std::span<const float> row(std::int64_t row) const {
    return {own_values_ + row * own_stride_, static_cast<std::size_t>(columns())};
  }

  /// True if weight decay applies: to offsets and weights. Baselines, biases and logits of ranks
  /// have no reason to lie near 0 and do not decay.
  bool decays() const { return decays_; }
  void set_decays(bool decays) { decays_ = decays; }

  /// Makes room for `count` numbers of optimizer state per value, all 0. Keeps the values.
  virtual void attach_states(int count) = 0;
  int states() const { return states_; }
  /// Numbers of a row that outlast a step, its values and states: (1 + states) * columns.
  std::int64_t kept_per_row() const { return (1 + states_) * columns(); }
  /// Copies the values and states of rows `first`, first + 1, ... to `to`: row after row, each its
  /// values and then each state. Fills `to`, whose size must be a multiple of kept_per_row.
  void copy_kept(std::int64_t first, std::span<float> to) const;
  /// Restores rows that copy_kept copied.
  void assign_kept(std::int64_t first, std::span<const float> from);

  /// Makes programs read `values` (float64, row by row) instead of the parameter's own, for
  /// gradient checks. If `listed` is empty, these are the values of all rows. Otherwise they are
  /// the values of the listed rows (ascending), and a program that reads another row throws Error.
  /// Empty `values` end the overlay. The caller owns the memory. Throws Error if the number of
  /// values does not fit.
  void overlay(std::span<const double> values, std::span<const std::uint32_t> listed = {});
  /// Makes programs read these rows, however many there are, instead of the parameter's own until
  /// the next call. Empty `rows` end it. The caller owns the memory.
  void borrow(std::span<const float> rows);

 protected:
  /// Registers where values and states are. `stride`: floats from one row to the next.
  /// `state_stride`: floats from a row's values to its first state, and from one state to the next.
  void place_values(float* values, std::int64_t stride, std::int64_t state_stride);
  int states_ = 0;

 private:
  std::string name_;
  std::int64_t rows_;
  ParameterView view_;
  float* own_values_ = nullptr;
  std::int64_t own_stride_ = 1, own_state_stride_ = 0;
  bool decays_ = true;
};

/// The rows of a table that one worker updates. Rows are dealt to `workers` in blocks of 8, for
/// three reasons: each row always has the same single writer, no two workers write to one cache
/// line, and the rows of the few queries that most sessions ask are spread over all workers.
struct RowOwner {
  std::uint32_t worker = 0;
  std::uint32_t workers = 1;

  bool owns(std::uint32_t row) const { return of(row, workers) == worker; }
  /// Returns which of `workers` workers (fewer than 2^16) owns a row.
  static std::uint32_t of(std::uint32_t row, std::uint32_t workers) {
    const std::uint32_t mixed = (row >> 3) * 0x9E3779B1u;
    return (mixed >> 16) * workers >> 16;
  }
};

/// A parameter with a dense gradient. Memory holds the values row by row, then each state likewise.
class DenseParameter final : public Parameter {
 public:
  DenseParameter(std::string name, std::int64_t rows, std::int64_t columns);

  void attach_states(int count) override;
  std::span<float> all_values() { return {memory_.data(), size_}; }
  /// State number `which`, in the layout of the values.
  std::span<float> state(int which) {
    return {memory_.data() + static_cast<std::size_t>(which + 1) * size_, size_};
  }

 private:
  ZeroedArray<float> memory_;
  std::size_t size_;
};

/// A table with many rows, of which a step touches few. A row is a record
///
///     [value, state 0, state 1, ..., gradient]     with `columns` numbers each.
///
/// Its length is rounded up to a power of two, or to whole cache lines if it is longer than one. A
/// scalar row with two states thus takes 16 bytes, and no record touches more cache lines than it
/// must.
///
/// In the gradient field, a step sums all gradients of a row that was read several times. Between
/// steps the field is -0.0, which no sum of gradients can be: a sum starts from -0.0 and adds only
/// numbers that are not -0.0. A row that was read can thus be told from one that was not, even if
/// its gradient is 0.
class EmbeddingTable final : public Parameter {
 public:
  /// The gradient of a row that the current step has not read.
  static constexpr float idle = -0.0f;

  EmbeddingTable(std::string name, std::int64_t rows, std::int64_t columns);

  void attach_states(int count) override;
  float* record(std::int64_t row) { return memory_.data() + row * stride_; }
  const float* record(std::int64_t row) const { return memory_.data() + row * stride_; }
  /// Floats from one record to the next.
  std::int64_t stride() const { return stride_; }
  /// Index of the gradient in a record.
  std::int64_t gradient_offset() const { return (1 + states_) * columns(); }
  /// Adds gradients (rows.size() x columns) of rows that were read to their records, in order.
  /// Skips rows that `owner` does not own. Thread-safe if the owners of all threads differ.
  void add_gradients(std::span<const std::uint32_t> rows, const float* gradients, RowOwner owner);
  /// Returns Σ over entries of gradient * the row's summed gradient. Over all entries of a step,
  /// this is the squared norm of the step's gradient, in which each row counts once.
  double gradient_square(std::span<const std::uint32_t> rows, const float* gradients) const;
  /// Bytes of memory per row.
  std::int64_t bytes_per_row() const { return stride_ * 4; }

 private:
  ZeroedArray<float> memory_;
  std::int64_t stride_ = 0;
};

/// Numbers that are not learned by gradients, such as the nodes of trees. Optimizers keep no state
/// of them and leave them as they are.
class StructureParameter final : public Parameter {
 public:
  StructureParameter(std::string name, std::int64_t rows, std::int64_t columns);

  void attach_states(int) override {}

 private:
  ZeroedArray<float> memory_;
};

/// Gradients of rows of a table, in the order in which the rows were read.
struct RowGradients {
  EmbeddingTable* table = nullptr;
  std::vector<std::uint32_t> rows{};  // may repeat
  std::vector<float> values{};        // rows.size() x columns
};

}  // namespace ultr
