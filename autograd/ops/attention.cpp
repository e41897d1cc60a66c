#include "autograd/ops/attention.h"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/core.h>

#include "autograd/ops/groups.h"
#include "kernels/pack.h"
#include "kernels/products.h"
#include "kernels/vector_math.h"

namespace ultr {
namespace {

/// Number of queries whose attention weights are computed together.
constexpr std::int64_t query_rows = 64;

struct AttentionClosure {
  Extent sequences = 0;
  std::int64_t heads = 1;
  Queries queries = Queries::of_rows;
};

/// The inputs of the node; the offsets of the first one's rows are its second, as checked_offsets
/// wants them.
enum AttentionInput : std::size_t { key_input, offset_input, query_input, value_input };

/// Returns the number of attention weights of the largest part.
std::int64_t scratch_size(const Shape& keys, const Shape& queries) {
  return std::min(query_rows, queries.rows.capacity()) * keys.rows.capacity();
}

/// Some queries of one head, and all keys and values of their sequence.
struct HeadPart {
  std::int64_t first, rows;    // of the queries
  std::int64_t begin, length;  // of the sequence
  std::int64_t column;         // of the head's first
  std::int64_t head;
};

/// The shape of an attention op, for code that visits its parts.
template <class T>
class Heads {
 public:
  Heads(Tape& tape, Node& node)
      : tape_(tape),
        node_(node),
        closure_(*static_cast<const AttentionClosure*>(node.closure)),
        width_(node.shape.columns),
        depth_(width_ / closure_.heads),
        scale_(static_cast<T>(1 / std::sqrt(static_cast<double>(depth_)))),
        log_sums_(reinterpret_cast<T*>(node.saved)),
        scratch_(log_sums_ + node.shape.rows.capacity() * closure_.heads) {}

  /// Calls visit(part) for the parts of every sequence and head, in order.
  template <class Visit>
  void for_each_part(Visit visit) const {
    const std::uint32_t* offset = detail::checked_offsets(tape_, node_, closure_.sequences);
    const std::int64_t count = tape_.size_of(closure_.sequences);
    for (std::int64_t s = 0; s < count; ++s) {
      const std::int64_t begin = offset[s], end = offset[s + 1];
      const bool of_rows = closure_.queries == Queries::of_rows;
      const std::int64_t first_query = of_rows ? begin : s, end_query = of_rows ? end : s + 1;
      for (std::int64_t head = 0; head < closure_.heads && begin < end; ++head)
        for (std::int64_t first = first_query; first < end_query; first += query_rows)
          visit(HeadPart{first, std::min(query_rows, end_query - first), begin, end - begin,
                         head * depth_, head});
    }
  }

  Queries which() const { return closure_.queries; }
  std::int64_t width() const { return width_; }
  std::int64_t depth() const { return depth_; }
  T scale() const { return scale_; }
  /// Row `row` of the head's columns of a matrix like the result.
  Factor<T> of(const T* matrix, const HeadPart& part, std::int64_t row, std::int64_t rows) const {
    return {matrix + row * width_ + part.column, rows, depth_, width_};
  }
  Factor<T> of_queries(const T* matrix, const HeadPart& part) const {
    return of(matrix, part, part.first, part.rows);
  }
  Factor<T> of_sequence(const T* matrix, const HeadPart& part) const {
    return of(matrix, part, part.begin, part.length);
  }
  const T* input(AttentionInput which) const {
    return reinterpret_cast<const T*>(tape_.input_of(node_, which).value);
  }
  T& log_sum(const HeadPart& part, std::int64_t row) const {
    return log_sums_[(part.first + row) * closure_.heads + part.head];
  }
  /// Room for one number per query of a part and row of its sequence. `which`: 0 or, in the
  /// backward pass, 1.
  T* scratch(std::int64_t which) const {
    return scratch_ + which * scratch_size(tape_.input_of(node_, key_input).shape, node_.shape);
  }
  /// Writes Q_h K_hᵀ of a part to its scratch.
  Factor<T> products(const HeadPart& part) const {
    T* const to = scratch(0);
    multiply(of_queries(input(query_input), part), of_sequence(input(key_input), part).transpose(),
             to, part.length, false);
    return {to, part.rows, part.length, part.length};
  }

 private:
  Tape& tape_;
  Node& node_;
  const AttentionClosure& closure_;
  std::int64_t width_, depth_;
  T scale_;
  T *log_sums_, *scratch_;
};

/// Replaces x by the softmax of scale * x and returns its log-sum-exp.
template <class T>
T softmax(T* x, std::size_t size, T scale) {
  using P = Pack<T>;
  P largest(-HUGE_VAL);
  for_each_pack<T>(size, [&](std::size_t i, auto... lanes) {
    P some = P::load(x + i, lanes...);
    if constexpr (sizeof...(lanes) > 0) some = where(first_lanes<T>(lanes...), some, -HUGE_VAL);
    largest = max(largest, some);
  });
  T lanes_of_largest[P::size];
  largest.store(lanes_of_largest);
  const T shift = *std::max_element(lanes_of_largest, lanes_of_largest + P::size) * scale;
  P total(0);
  for_each_pack<T>(size, [&](std::size_t i, auto... lanes) {
    P power = exp(P::load(x + i, lanes...) * P::repeat(scale) - P::repeat(shift));
    power.store(x + i, lanes...);
    if constexpr (sizeof...(lanes) > 0) power = where(first_lanes<T>(lanes...), power, P(0));
    total += power;
  });
  const T sum_of_powers = sum(total), per = 1 / sum_of_powers;
  for_each_pack<T>(size, [&](std::size_t i, auto... lanes) {
    (P::load(x + i, lanes...) * P::repeat(per)).store(x + i, lanes...);
  });
  return shift + std::log(sum_of_powers);
}

template <class T>
void attention_forward(Tape& tape, Node& node) {
  const Heads<T> heads(tape, node);
  T* const to = reinterpret_cast<T*>(node.value);
  if (heads.which() == Queries::of_sequences)  // of which some may have no rows
    std::fill_n(to, tape.size_of(node.shape), T(0));
  heads.for_each_part([&](const HeadPart& part) {
    const Factor<T> weights = heads.products(part);
    for (std::int64_t row = 0; row < part.rows; ++row)
      heads.log_sum(part, row) = softmax(heads.scratch(0) + row * part.length,
                                         static_cast<std::size_t>(part.length), heads.scale());
    multiply(weights, heads.of_sequence(heads.input(value_input), part),
             to + part.first * heads.width() + part.column, heads.width(), false);
  });
}

/// Returns Σ a b over n numbers.
template <class T>
T dot(const T* a, const T* b, std::size_t n) {
  Pack<T> total(0);
  for_each_pack<T>(n, [&](std::size_t i, auto... lanes) {
    total += Pack<T>::load(a + i, lanes...) * Pack<T>::load(b + i, lanes...);
  });
  return sum(total);
}

/// Turns a row of Q_h K_hᵀ into attention weights A, and a row of G V_hᵀ into S.
template <class T>
void pull_weights(T* products, T* slopes, std::size_t size, T scale, T log_sum, T mean) {
  using P = Pack<T>;
  for_each_pack<T>(size, [&](std::size_t i, auto... lanes) {
    const P weight =
        exp(min(P::load(products + i, lanes...) * P::repeat(scale) - P::repeat(log_sum), 0));
    weight.store(products + i, lanes...);
    ((P::load(slopes + i, lanes...) - P::repeat(mean)) * weight * P::repeat(scale))
        .store(slopes + i, lanes...);
  });
}

template <class T>
void attention_backward(Tape& tape, Node& node) {
  const Heads<T> heads(tape, node);
  std::array<T*, 4> to{};
  for (const AttentionInput input : {query_input, key_input, value_input})
    if (const auto target = tape.gradient_target<T>(node, input)) {
      to[input] = target.data;
      if (!target.add)
        std::fill_n(target.data, tape.size_of(tape.input_of(node, input).shape), T(0));
    }
  const T* const gradient = reinterpret_cast<const T*>(node.gradient);
  const T* const result = reinterpret_cast<const T*>(node.value);
  heads.for_each_part([&](const HeadPart& part) {
    const auto length = static_cast<std::size_t>(part.length);
    const auto add = [&](const Factor<T>& a, const Factor<T>& b, AttentionInput input,
                         std::int64_t row) {
      if (to[input] != nullptr)
        multiply(a, b, to[input] + row * heads.width() + part.column, heads.width(), true);
    };
    const Factor<T> weights = heads.products(part), of_result = heads.of_queries(gradient, part);
    T* const slope_of = heads.scratch(1);
    multiply(of_result, heads.of_sequence(heads.input(value_input), part).transpose(), slope_of,
             part.length, false);
    for (std::int64_t row = 0; row < part.rows; ++row) {
      const std::int64_t at = (part.first + row) * heads.width() + part.column;
      const T mean = dot(gradient + at, result + at, static_cast<std::size_t>(heads.depth()));
      pull_weights(heads.scratch(0) + row * part.length, slope_of + row * part.length, length,
                   heads.scale(), heads.log_sum(part, row), mean);
    }
    const Factor<T> slopes{slope_of, part.rows, part.length, part.length};
    add(weights.transpose(), of_result, value_input, part.begin);
    add(slopes, heads.of_sequence(heads.input(key_input), part), query_input, part.first);
    add(slopes.transpose(), heads.of_queries(heads.input(query_input), part), key_input,
        part.begin);
  });
}

constexpr Kernels attention_kernels = {{attention_forward<float>, attention_backward<float>},
                                       {attention_forward<double>, attention_backward<double>}};

}  // namespace

Tensor attention(Tensor queries, Tensor keys, Tensor values, Segments sequences, std::int64_t heads,
                 Queries which) {
  const Index offsets = sequences.offsets;
  Tape& tape = common_tape("attention",
                           std::array{queries, keys, values, Tensor(*offsets.tape, offsets.node)});
  const Shape shape = queries.shape();
  const Shape of_keys = keys.shape();
  const Extent rows = which == Queries::of_rows ? of_keys.rows : sequences.count;
  if (of_keys.rank != 2 || values.shape() != of_keys ||
      shape != Shape::matrix(rows, of_keys.columns))
    throw ShapeError(fmt::format(
        "attention: queries are {}, keys {}, values {}; expected {}", to_string(shape),
        to_string(keys.shape()), to_string(values.shape()),
        which == Queries::of_rows ? "matrices of one shape"
                                  : "a row of queries per sequence, and keys like values"));
  if (heads < 1 || shape.columns % heads != 0)
    throw ShapeError(
        fmt::format("attention: {} heads for {} columns; expected heads that divide "
                    "the columns",
                    heads, shape.columns));
  const auto recorded =
      tape.record("attention", NodeKind::real, shape, &attention_kernels,
                  std::array{keys.node(), offsets.node, queries.node(), values.node()});
  recorded.node.closure = tape.arena().create(AttentionClosure{sequences.count, heads, which});
  const std::int64_t scratch =
      scratch_size(of_keys, shape) * (recorded.node.requires_gradient ? 2 : 1);
  recorded.node.saved = tape.arena().allocate(
      static_cast<std::size_t>(shape.rows.capacity() * heads + scratch) * tape.element_bytes());
  return tape.tensor(recorded);
}

}  // namespace ultr
