#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "autograd/tape.h"
#include "base/huge_page_allocator.h"

namespace ultr {

/// Numbers of all rows.
using TableMemory = std::vector<float, HugePageAllocator<float>>;

/// Learned numbers, rows x columns, in float32, with room for the state of an optimizer.
///
/// Two kinds differ in where the numbers lie: `DenseParameter` keeps values, and each state,
/// together and is updated as a whole; `EmbeddingTable` keeps all that belongs to a row together
/// and updates only rows that were read.
class Parameter {
 public:
  Parameter(std::string name, std::int64_t rows, std::int64_t columns);
  virtual ~Parameter() = default;
  Parameter(const Parameter&) = delete;
  Parameter& operator=(const Parameter&) = delete;

  /// "attraction", "attraction.baseline": unique in a model, the name of its file.
  const std::string& name() const { return name_; }
  std::int64_t rows() const { return rows_; }
  std::int64_t columns() const { return view_.columns; }

  /// What programs read; it stays at its place for the parameter's life.
  const ParameterView& view() const { return view_; }
  /// All values, row by row.
  std::vector<float> values() const;
  /// New values for all rows. Throws Error if the number does not fit.
  void assign(std::span<const float> values);
  void fill(float value);
  /// Value of a row's first column.
  float& value(std::int64_t row) { return own_values_[row * own_stride_]; }
  float value(std::int64_t row) const { return own_values_[row * own_stride_]; }
  /// Values of a row, one a column.
  std::span<float> row(std::int64_t row) {
    return {own_values_ + row * own_stride_, static_cast<std::size_t>(columns())};
  }
  std::span<const float> row(std::int64_t row) const {
    return {own_values_ + row * own_stride_, static_cast<std::size_t>(columns())};
  }

  /// Whether weight decay applies: to offsets and weights, not to baselines, biases and the logits
  /// of ranks, which have no reason to lie near 0.
  bool decays() const { return decays_; }
  void set_decays(bool decays) { decays_ = decays; }

  /// Gives room for `count` numbers of optimizer state a value, all 0. Keeps the values.
  virtual void attach_states(int count) = 0;
  int states() const { return states_; }
  /// What of a row outlasts a step: (1 + states) * columns numbers.
  std::int64_t kept_per_row() const { return (1 + states_) * columns(); }
  /// Copies what outlasts a step of rows `first` and on, row after row, each its values, then each
  /// state; as many rows as fit `to`, whose size is a multiple of kept_per_row.
  void copy_kept(std::int64_t first, std::span<float> to) const;
  /// Sets what copy_kept copied.
  void assign_kept(std::int64_t first, std::span<const float> from);

  /// Makes programs read `values` (row by row, float64) instead, for gradient checks: of all rows,
  /// or, if any are listed, of these rows only (ascending), and a program that reads another throws
  /// Error. No values end it. The memory belongs to the caller. Throws Error if the number of
  /// values does not fit.
  void overlay(std::span<const double> values, std::span<const std::uint32_t> listed = {});
  /// Makes programs read these rows instead, as many as there are, row by row, until the next call;
  /// no rows end it. The memory belongs to the caller.
  void borrow(std::span<const float> rows);

 protected:
  /// `stride` floats from one row to the next, `state_stride` from a row's values to its first
  /// state and from one state to the next.
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

/// The part of a table's rows that one worker updates: rows are dealt to `workers` in blocks of 8,
/// so that each row always has one writer, no two write to one cache line, and the rows of the few
/// queries that most sessions ask are spread over all.
struct RowOwner {
  std::uint32_t worker = 0;
  std::uint32_t workers = 1;

  bool owns(std::uint32_t row) const { return of(row, workers) == worker; }
  /// The worker, of so many (fewer than 2^16), that owns a row.
  static std::uint32_t of(std::uint32_t row, std::uint32_t workers) {
    const std::uint32_t mixed = (row >> 3) * 0x9E3779B1u;
    return (mixed >> 16) * workers >> 16;
  }
};

/// A parameter whose gradient is dense: values row by row, then each state likewise.
class DenseParameter final : public Parameter {
 public:
  DenseParameter(std::string name, std::int64_t rows, std::int64_t columns);

  void attach_states(int count) override;
  std::span<float> all_values() { return std::span(memory_).first(size_); }
  /// State number `which`, laid out like the values.
  std::span<float> state(int which) {
    return std::span(memory_).subspan(static_cast<std::size_t>(which + 1) * size_, size_);
  }

 private:
  TableMemory memory_;
  std::size_t size_;
};

/// A table of many rows, of which a step touches few. A row is a record
///
///     [value, state 0, state 1, ..., gradient]     each `columns` numbers
///
/// whose length is rounded up to a power of two, or to whole cache lines if it is longer than one,
/// so that a scalar row with two states is 16 bytes and no record touches more lines than it must.
/// The gradient is where a step sums the gradients of a row that was read several times. Between
/// steps it holds -0.0, which no sum of gradients gives: a sum starts from -0.0 and adds only
/// numbers that are not -0.0, so that a row that was read can be told from one that was not, even
/// if its gradient is 0.
class EmbeddingTable final : public Parameter {
 public:
  static constexpr float idle = -0.0f;

  EmbeddingTable(std::string name, std::int64_t rows, std::int64_t columns);

  void attach_states(int count) override;
  float* record(std::int64_t row) { return memory_.data() + row * stride_; }
  const float* record(std::int64_t row) const { return memory_.data() + row * stride_; }
  /// Floats from one record to the next.
  std::int64_t stride() const { return stride_; }
  /// Where the gradient lies in a record.
  std::int64_t gradient_offset() const { return (1 + states_) * columns(); }
  /// Adds gradients (rows.size() x columns) of rows that were read to their records, in order; of
  /// the rows that `owner` owns. Between threads, owners must differ.
  void add_gradients(std::span<const std::uint32_t> rows, const float* gradients, RowOwner owner);
  /// Σ over entries of gradient * the row's summed gradient: over all entries of a step that is the
  /// squared norm of the step's gradient, each row counted once.
  double gradient_square(std::span<const std::uint32_t> rows, const float* gradients) const;
  /// Bytes of memory a row takes.
  std::int64_t bytes_per_row() const { return stride_ * 4; }

 private:
  TableMemory memory_;
  std::int64_t stride_ = 0;
};

/// Gradients of rows that were read, in the order of reading.
struct RowGradients {
  EmbeddingTable* table = nullptr;
  std::vector<std::uint32_t> rows{};  // may repeat
  std::vector<float> values{};        // rows.size() x columns
};

}  // namespace ultr
