#include "autograd/ops/gather.h"

#include <algorithm>
#include <array>
#include <type_traits>

#include <fmt/core.h>

#include "autograd/ops/entry_list.h"
#include "autograd/ops/pick.h"
#include "base/error.h"
#include "kernels/pack.h"
#include "kernels/small_table.h"

namespace ultr {
namespace {

/// Returns the parameter that a gather or a read reads: the node's closure.
const ParameterView& parameter_of(const Node& node) {
  return *static_cast<const ParameterView*>(node.closure);
}

constexpr std::size_t rows_prefetched = 64;

/// Returns the position of a row among those that a view lists. Throws Error if it is not listed.
std::size_t place_in_list(const ParameterView& parameter, std::size_t row) {
  const auto& listed = parameter.listed;
  const auto found = std::lower_bound(listed.begin(), listed.end(), row);
  if (found == listed.end() || *found != row)
    throw Error(fmt::format("gather: row {} is not among the {} listed ones", row, listed.size()));
  return static_cast<std::size_t>(found - listed.begin());
}

template <class From>
const From* row_of(const ParameterView& parameter, std::size_t row) {
  if constexpr (std::is_same_v<From, double>)
    if (!parameter.listed.empty()) row = place_in_list(parameter, row);
  return static_cast<const From*>(parameter.values) +
         row * static_cast<std::size_t>(parameter.stride);
}

/// Prefetches the cache lines of a row.
template <class From>
void prefetch_row(const ParameterView& parameter, std::size_t row) {
  constexpr std::int64_t line = 64 / sizeof(From);
  const From* from = row_of<From>(parameter, row);
  for (std::int64_t c = 0; c < parameter.columns; c += line) __builtin_prefetch(from + c);
}

template <class To, class From>
void copy_row(const ParameterView& parameter, std::size_t row, To* to) {
  const From* from = row_of<From>(parameter, row);
  const auto columns = static_cast<std::size_t>(parameter.columns);
  std::size_t c = 0;
  if constexpr (std::is_same_v<To, From>) {
    for (; c + Pack<To>::size <= columns; c += Pack<To>::size)
      Pack<To>::load(from + c).store(to + c);
    if (c < columns) Pack<To>::load_few(from + c, columns - c).store_few(to + c, columns - c);
  } else {
    for (; c < columns; ++c) to[c] = static_cast<To>(from[c]);
  }
}

/// Copies row rows[i] to row place(i) of `to`, for all i.
template <class To, class From, class Place>
void copy_rows(const ParameterView& parameter, std::span<const std::uint32_t> rows, To* to,
               Place place) {
  const std::size_t n = rows.size(), ahead = n > rows_prefetched ? n - rows_prefetched : 0;
  const auto columns = static_cast<std::size_t>(parameter.columns);
  if (columns == 1) {
    std::size_t i = 0;
    for (; i < ahead; ++i) {
      __builtin_prefetch(row_of<From>(parameter, rows[i + rows_prefetched]));
      to[place(i)] = static_cast<To>(*row_of<From>(parameter, rows[i]));
    }
    for (; i < n; ++i) to[place(i)] = static_cast<To>(*row_of<From>(parameter, rows[i]));
  } else {
    for (std::size_t i = 0; i < n; ++i) {
      if (i < ahead) prefetch_row<From>(parameter, rows[i + rows_prefetched]);
      copy_row<To, From>(parameter, rows[i], to + place(i) * columns);
    }
  }
}

template <class To, class From>
void gather_rows(Tape& tape, Node& node) {
  const ParameterView& parameter = parameter_of(node);
  const Node& indices = tape.input_of(node, 0);
  const auto n = static_cast<std::size_t>(tape.size_of(indices.shape.rows));
  const auto columns = static_cast<std::size_t>(parameter.columns);
  const std::span index(reinterpret_cast<const std::uint32_t*>(indices.value), n);
  To* value = reinterpret_cast<To*>(node.value);
  if (node.demand.count > 0) {
    std::uint32_t* const rows = node.entries->rows;
    const std::span entries = list_entries(tape, node, n);
    for (std::size_t i = 0; i < entries.size(); ++i) rows[i] = index[entries[i]];
    if (node.compact != nullptr) {
      copy_rows<To, From>(parameter, {rows, entries.size()}, value,
                          [](std::size_t i) { return i; });
    } else {
      std::fill_n(value, n * columns, To(0));
      copy_rows<To, From>(parameter, {rows, entries.size()}, value,
                          [=](std::size_t i) { return entries[i]; });
    }
    return;
  }
  copy_rows<To, From>(parameter, index, value, [](std::size_t i) { return i; });
}

template <class T>
void gather_forward(Tape& tape, Node& node) {
  if (parameter_of(node).precision == Precision::float32)
    gather_rows<T, float>(tape, node);
  else
    gather_rows<T, double>(tape, node);
}

template <class T>
void gather_backward(Tape& tape, Node& node) {
  const ParameterView* const parameter = &parameter_of(node);
  const std::int64_t columns = parameter->columns;
  if (node.demand.count == 0) {
    const auto* index = reinterpret_cast<const std::uint32_t*>(tape.input_of(node, 0).value);
    tape.report_sparse_gradient({parameter,
                                 {index, static_cast<std::size_t>(tape.size_of(node.shape.rows))},
                                 node.gradient,
                                 columns});
    return;
  }
  const EntryList& list = *node.entries;
  const std::span<const std::uint32_t> rows(list.rows,
                                            static_cast<std::size_t>(tape.size_of(list.listed)));
  if (node.compact != nullptr) {
    tape.report_sparse_gradient({parameter, rows, node.gradient, columns});
    return;
  }
  const T* gradient = reinterpret_cast<const T*>(node.gradient);
  T* kept = reinterpret_cast<T*>(node.saved);
  for (std::size_t i = 0; i < rows.size(); ++i)
    kept =
        std::copy_n(gradient + list.entries[i] * static_cast<std::size_t>(columns), columns, kept);
  tape.report_sparse_gradient({parameter, rows, node.saved, columns});
}

constexpr Kernels gather_kernels = {
    {gather_forward<float>, gather_backward<float>, demand_same_rows},
    {gather_forward<double>, gather_backward<double>, demand_same_rows}};

/// No backward kernels: the numbers are not learned.
constexpr Kernels gather_fixed_kernels = {{gather_forward<float>, nullptr, demand_same_rows},
                                          {gather_forward<double>, nullptr, demand_same_rows}};

template <class T>
void one_hot_forward(Tape& tape, Node& node) {
  const auto* index = reinterpret_cast<const std::uint32_t*>(tape.input_of(node, 0).value);
  const auto rows = static_cast<std::size_t>(tape.size_of(node.shape.rows));
  const auto columns = static_cast<std::size_t>(node.shape.columns);
  T* value = reinterpret_cast<T*>(node.value);
  std::fill_n(value, rows * columns, T(0));
  for (std::size_t i = 0; i < rows; ++i) value[i * columns + index[i]] = 1;
}

constexpr Kernels one_hot_kernels = {{one_hot_forward<float>}, {one_hot_forward<double>}};

template <class T>
void read_forward(Tape&, Node& node) {
  const ParameterView& parameter = parameter_of(node);
  T* value = reinterpret_cast<T*>(node.value);
  constexpr Precision own = std::is_same_v<T, float> ? Precision::float32 : Precision::float64;
  if (parameter.precision == own && parameter.stride == parameter.columns &&
      parameter.listed.empty()) {
    std::copy_n(static_cast<const T*>(parameter.values), parameter.rows * parameter.columns, value);
    return;
  }
  for (std::int64_t row = 0; row < parameter.rows; ++row, value += parameter.columns) {
    if (parameter.precision == Precision::float32)
      copy_row<T, float>(parameter, static_cast<std::size_t>(row), value);
    else
      copy_row<T, double>(parameter, static_cast<std::size_t>(row), value);
  }
}

constexpr Kernels read_kernels = {{read_forward<float>}, {read_forward<double>}};

Shape shape_of(const ParameterView& parameter, Extent rows) {
  return parameter.columns == 1 ? Shape::vector(rows) : Shape::matrix(rows, parameter.columns);
}

template <class T>
void take_forward(Tape& tape, Node& node) {
  const T* table = reinterpret_cast<const T*>(tape.input_of(node, 0).value);
  T* value = reinterpret_cast<T*>(node.value);
  const auto runs = tape.runs_of(node.inputs[1]);
  if (!runs.empty()) {
    for (const Run& run : runs) value = std::fill_n(value, run.count, table[run.value]);
    return;
  }
  const auto* index = reinterpret_cast<const std::uint32_t*>(tape.input_of(node, 1).value);
  const Shape& entries = tape.input_of(node, 0).shape;
  look_up<T>({table, static_cast<std::size_t>(tape.size_of(entries))},
             {index, static_cast<std::size_t>(tape.size_of(node.shape))}, value);
}

template <class T>
void take_backward(Tape& tape, Node& node) {
  const auto target = tape.gradient_target<T>(node, 0);
  if (!target) return;
  const T* gradient = reinterpret_cast<const T*>(node.gradient);
  if (!target.add) std::fill_n(target.data, tape.size_of(tape.input_of(node, 0).shape), T(0));
  const auto runs = tape.runs_of(node.inputs[1]);
  if (!runs.empty()) {
    for (const Run& run : runs) {
      target.data[run.value] += sum_of(gradient, run.count);
      gradient += run.count;
    }
    return;
  }
  add_at<T>({target.data, static_cast<std::size_t>(tape.size_of(tape.input_of(node, 0).shape))},
            {reinterpret_cast<const std::uint32_t*>(tape.input_of(node, 1).value),
             static_cast<std::size_t>(tape.size_of(node.shape))},
            gradient);
}

constexpr Kernels take_kernels = {{take_forward<float>, take_backward<float>},
                                  {take_forward<double>, take_backward<double>}};

Tape::Recorded record_gather(const char* name, Tape& tape, const ParameterView& parameter,
                             Index rows, const Kernels& kernels, const Shape& shape) {
  if (rows.tape != &tape)
    throw ShapeError(fmt::format("{}: the operands are on different tapes", name));
  const auto recorded = tape.record(name, NodeKind::real, shape, &kernels, std::array{rows.node});
  recorded.node.closure = &parameter;
  recorded.node.entries = make_entry_list(tape, shape.rows, true);
  return recorded;
}

Tensor record_read(Tape& tape, const ParameterView& parameter, const Shape& shape) {
  const auto recorded = tape.record("read", NodeKind::real, shape, &read_kernels, {});
  recorded.node.closure = &parameter;
  tape.register_parameter(recorded.id, &parameter, false);
  return tape.tensor(recorded);
}

}  // namespace

Tensor gather(Tape& tape, const ParameterView& parameter, Index rows) {
  const auto recorded = record_gather("gather", tape, parameter, rows, gather_kernels,
                                      shape_of(parameter, rows.tape->node(rows.node).shape.rows));
  if (tape.gradients())
    recorded.node.saved = tape.arena().allocate(
        static_cast<std::size_t>(recorded.node.shape.capacity()) * tape.element_bytes());
  tape.register_parameter(recorded.id, &parameter, true);
  const Tensor gathered = tape.tensor(recorded);
  if (parameter.columns == 1) record_pick(gathered);
  return gathered;
}

Tensor gather_fixed(Tape& tape, const ParameterView& matrix, Index rows) {
  return tape.tensor(
      record_gather("gather_fixed", tape, matrix, rows, gather_fixed_kernels,
                    Shape::matrix(rows.tape->node(rows.node).shape.rows, matrix.columns)));
}

Tensor one_hot(Index rows, std::int64_t columns) {
  Tape& tape = *rows.tape;
  return tape.tensor(tape.record("one_hot", NodeKind::real,
                                 Shape::matrix(tape.node(rows.node).shape.rows, columns),
                                 &one_hot_kernels, std::array{rows.node}));
}

Tensor read(Tape& tape, const ParameterView& parameter) {
  const bool single = parameter.rows == 1 && parameter.columns == 1;
  return record_read(tape, parameter,
                     single ? Shape::scalar() : shape_of(parameter, parameter.rows));
}

Tensor read_matrix(Tape& tape, const ParameterView& parameter) {
  return record_read(tape, parameter, Shape::matrix(parameter.rows, parameter.columns));
}

Tensor take(Tensor table, Index rows) {
  Tape& tape = common_tape("take", std::array{table, Tensor(*rows.tape, rows.node)});
  if (table.shape().rank > 1)
    throw ShapeError(
        fmt::format("take: the table is {}; expected a vector", to_string(table.shape())));
  const Shape shape = tape.node(rows.node).shape;
  return tape.tensor(tape.record("take", NodeKind::real, shape, &take_kernels,
                                 std::array{table.node(), rows.node}));
}

}  // namespace ultr
