#include "autograd/ops/op_list.h"

#include <algorithm>
#include <array>
#include <cstdint>

#include "autograd/autograd.h"
#include "autograd/markov/ranked_lists.h"
#include "testing/not_finite.h"

namespace ultr::testing {
namespace {

using Operands = std::span<const Tensor>;

constexpr Domain real{-3, 3}, positive{0.5, 3, 0}, negative{-3, -0.5, -infinity, 0},
    divisor{0.5, 3, 1e-30}, above_minus_one{-0.75, 3, -1};

Operand matrix(const Domain& domain) {
  return {domain, [](std::int64_t n) { return Shape::matrix(n, 5); }};
}
Operand five_by_three(const Domain& domain) {
  return {domain, [](std::int64_t) { return Shape::matrix(5, 3); }};
}
Operand six_columns(const Domain& domain) {
  return {domain, [](std::int64_t n) { return Shape::matrix(n, 6); }};
}
Operand five(const Domain& domain) {
  return {domain, [](std::int64_t) { return Shape::vector(5); }};
}
Operand scalar(const Domain& domain) {
  return {domain, [](std::int64_t) { return Shape::scalar(); }};
}

/// Returns numbers in the tape's own memory, which stays valid as bind() requires.
template <class T, class Number>
std::span<const T> numbers(Tape& tape, std::int64_t count, Number number) {
  T* memory =
      reinterpret_cast<T*>(tape.arena().allocate(static_cast<std::size_t>(count) * sizeof(T)));
  for (std::int64_t i = 0; i < count; ++i) memory[i] = static_cast<T>(number(i));
  return {memory, static_cast<std::size_t>(count)};
}

/// Returns a mask that is false at every third row, true elsewhere.
Mask mask_for(Tensor x) {
  const Mask mask = x.tape().mask(x.shape().rows);
  x.tape().bind(
      mask, numbers<std::uint8_t>(x.tape(), x.size(), [](auto i) { return i % 3 == 0 ? 0 : 1; }));
  return mask;
}

/// Returns an index of as many entries as x has rows, each below `limit`; some numbers occur twice,
/// some not at all.
Index index_for(Tensor x, std::int64_t limit) {
  const Index index = x.tape().index(x.shape().rows);
  x.tape().bind(index, numbers<std::uint32_t>(x.tape(), x.tape().size_of(x.shape().rows),
                                              [limit](auto i) { return i * i % limit; }));
  return index;
}
Index index_for(Tensor x) { return index_for(x, x.size()); }

/// Returns segments of 1, 0 and 3 rows, and of the others.
Segments segments_for(Tensor x) {
  const std::int64_t rows = x.tape().size_of(x.shape().rows);
  const std::array<std::int64_t, 5> offsets = {0, 1, 1, 4, rows};
  const Segments segments = make_segments(x.tape(), 5, 4);
  x.tape().bind(segments.offsets, numbers<std::uint32_t>(x.tape(), 5, [&](auto i) {
                  return std::min(offsets[static_cast<std::size_t>(i)], rows);
                }));
  return segments;
}

/// Returns grades: 0, 1, 2, 0, 1, 2, ...
Tensor grades_for(Tensor x) {
  Tape& tape = x.tape();
  return tape.constant(x.shape(), numbers<double>(tape, x.size(), [](auto i) { return i % 3; }));
}

/// Returns the middle of x: from a quarter to three quarters.
Range middle(Tensor x) {
  const std::int64_t n = x.shape().rows.capacity();
  return {n / 4, n / 2};
}

/// Returns a model of three states, in the tape's own memory: 0 and 1 start lists, and 0 and 2 go
/// to each other.
HiddenMarkovModel hidden_model(Operands x) {
  const std::array states = {HiddenState{x[4], x[0]}, HiddenState{x[0].tape().constant(-1), x[1]},
                             HiddenState{}};
  const std::array moves = {HiddenMove{0, 0, x[2]}, HiddenMove{0, 1, x[3]}, HiddenMove{1, 1},
                            HiddenMove{0, 2, x[2]}, HiddenMove{1, 2, x[4]}, HiddenMove{2, 2},
                            HiddenMove{2, 0, x[3]}};
  Arena& arena = x[0].tape().arena();
  return {.states = arena.copy(std::span<const HiddenState>(states)),
          .moves = arena.copy(std::span<const HiddenMove>(moves))};
}
/// Returns the same, but no state allows every third element.
HiddenMarkovModel hidden_model_with_impossible_elements(Operands x) {
  HiddenMarkovModel model = hidden_model(x);
  const Mask possible = mask_for(x[0]);
  const Tensor third = where(possible, 0, x[0].tape().constant(-infinity));
  const std::array states = {HiddenState{x[4], where(possible, x[0], -infinity)},
                             HiddenState{{}, third}, HiddenState{{}, third}};
  model.states = x[0].tape().arena().copy(std::span<const HiddenState>(states));
  model.log_impossible = -18;
  return model;
}
RankedLists lists_of(Tensor x) { return halving_lists(x.tape(), x.size()); }

PairWeights pair_weights(Operands x) {
  return {grades_for(x[0]), 1.0 / 3 * grades_for(x[0]), x[1], x[2]};
}

const std::vector<Op>& list() {
  constexpr Form each = Form::elementwise, whole = Form::structured;
  using O = Operands;
  static const std::vector<Op> ops = {
      // arithmetic.h
      {"add", each, {{real}, {real}}, [](O x) { return x[0] + x[1]; }},
      {"subtract", each, {{real}, {real}}, [](O x) { return x[0] - x[1]; }},
      {"multiply", each, {{real}, {real}}, [](O x) { return x[0] * x[1]; }},
      {"divide", each, {{real}, {divisor}}, [](O x) { return x[0] / x[1]; }},
      {"negate", each, {{real}}, [](O x) { return -x[0]; }},
      {"add_number", each, {{real}}, [](O x) { return x[0] + 2.5; }},
      {"number_plus", each, {{real}}, [](O x) { return 2.5 + x[0]; }},
      {"subtract_number", each, {{real}}, [](O x) { return x[0] - 2.5; }},
      {"number_minus", each, {{real}}, [](O x) { return 2.5 - x[0]; }},
      {"multiply_number", each, {{real}}, [](O x) { return x[0] * 2.5; }},
      {"number_times", each, {{real}}, [](O x) { return 2.5 * x[0]; }},
      {"divide_number", each, {{real}}, [](O x) { return x[0] / 2.5; }},
      {"exp", each, {{real}}, [](O x) { return exp(x[0]); }},
      {"log", each, {{positive}}, [](O x) { return log(x[0]); }},
      {"log1p", each, {{above_minus_one}}, [](O x) { return log1p(x[0]); }},
      {"expm1", each, {{real}}, [](O x) { return expm1(x[0]); }},
      {"sqrt", each, {{positive}}, [](O x) { return sqrt(x[0]); }},
      {"square", each, {{real}}, [](O x) { return square(x[0]); }},
      {"abs", each, {{real}}, [](O x) { return abs(x[0]); }},
      {"maximum", each, {{real}, {real}}, [](O x) { return maximum(x[0], x[1]); }},
      {"minimum", each, {{real}, {real}}, [](O x) { return minimum(x[0], x[1]); }},
      {"clamp", each, {{real}}, [](O x) { return clamp(x[0], -1, 1.5); }},
      {"stop_gradient", each, {{real}}, [](O x) { return maximum(x[0], stop_gradient(x[0]) - 1); }},
      {"reverse_gradient", each, {{real}}, [](O x) { return reverse_gradient(x[0], 0.5); }},
      // activations.h
      {"relu", each, {{real}}, [](O x) { return relu(x[0]); }},
      {"elu", each, {{real}}, [](O x) { return elu(x[0]); }},
      {"tanh", each, {{real}}, [](O x) { return tanh(x[0]); }},
      {"gelu", each, {{real}}, [](O x) { return gelu(x[0]); }},
      {"gelu_tanh", each, {{real}}, [](O x) { return gelu_tanh(x[0]); }},
      // logspace.h
      {"sigmoid", each, {{real}}, [](O x) { return sigmoid(x[0]); }},
      {"sigmoid_from", each, {{real}}, [](O x) { return sigmoid_from(0.25, x[0], -1); }},
      {"log_sigmoid", each, {{real}}, [](O x) { return log_sigmoid(x[0]); }},
      {"log_one_minus_sigmoid", each, {{real}}, [](O x) { return log_one_minus_sigmoid(x[0]); }},
      {"softplus", each, {{real}}, [](O x) { return softplus(x[0]); }},
      {"softplus_inverse", each, {{positive}}, [](O x) { return softplus_inverse(x[0]); }},
      {"log1mexp", each, {{negative}}, [](O x) { return log1mexp(x[0]); }},
      {"logaddexp", each, {{real}, {real}}, [](O x) { return logaddexp(x[0], x[1]); }},
      {"logaddexp_of_three",
       each,
       {{real}, {real}, {real}},
       [](O x) {
         return logaddexp(std::array{x[0], x[1], x[2]});
       }},
      {"logaddexp_of_many",
       each,
       {{real}, {real}, {real}},
       [](O x) {
         return logaddexp(
             std::array{x[0], x[1], x[2], x[0], x[0], x[1], x[1], x[2], x[2], x[1], x[0], x[2]});
       }},
      {"logsubexp", each, {{positive}, {negative}}, [](O x) { return logsubexp(x[0], x[1]); }},
      {"logit_of_log_prob", each, {{negative}}, [](O x) { return logit_of_log_prob(x[0]); }},
      {"log_not_both", each, {{real}, {real}}, [](O x) { return log_not_both(x[0], x[1]); }},
      {"posterior_examination",
       each,
       {{real}, {real}},
       [](O x) { return posterior_examination(x[0], x[1]); }},
      {"posterior_cross_entropy",
       each,
       {{real}, {real}, {real}},
       [](O x) { return posterior_cross_entropy(x[0], x[1], x[2]); }},
      {"sigmoid_cross_entropy",
       each,
       {{real}, {real}},
       [](O x) { return sigmoid_cross_entropy(x[0], x[1]); }},
      // select.h
      {"where", whole, {{real}, {real}}, [](O x) { return where(mask_for(x[0]), x[0], x[1]); }},
      {"where_scalar",
       whole,
       {{real}, scalar(real)},
       [](O x) { return where(mask_for(x[0]), x[0], x[1]); }},
      {"where_number", whole, {{real}}, [](O x) { return where(mask_for(x[0]), x[0], -1.5); }},
      {"where_else_number", whole, {{real}}, [](O x) { return where(mask_for(x[0]), -1.5, x[0]); }},
      {"greater",
       whole,
       {{real}, {real}},
       [](O x) { return where(greater(x[0], x[1]), x[0], 2 * x[1]); }},
      {"is_negative_infinity",
       whole,
       {{real}},
       [](O x) { return where(is_negative_infinity(x[0]), -1.5, x[0]); }},
      // outcomes.h
      {"log_outcome", whole, {{real}}, [](O x) { return log_outcome(mask_for(x[0]), x[0]); }},
      {"log_both",
       whole,
       {{real}, {real}},
       [](O x) { return log_both(mask_for(x[0]), x[0], x[1]); }},
      {"log_both_of_a_scalar",
       whole,
       {{real}, scalar(real)},
       [](O x) { return log_both(mask_for(x[0]), x[0], x[1]); }},
      // reductions.h
      {"sum", whole, {{real}}, [](O x) { return sum(x[0]); }},
      {"sum_rows", whole, {matrix(real)}, [](O x) { return sum(x[0], Axis::rows); }},
      {"sum_columns", whole, {matrix(real)}, [](O x) { return sum(x[0], Axis::columns); }},
      {"mean", whole, {{real}}, [](O x) { return mean(x[0]); }},
      {"mean_rows", whole, {matrix(real)}, [](O x) { return mean(x[0], Axis::rows); }},
      {"mean_columns", whole, {matrix(real)}, [](O x) { return mean(x[0], Axis::columns); }},
      {"max", whole, {{real}}, [](O x) { return max(x[0]); }},
      {"max_rows", whole, {matrix(real)}, [](O x) { return max(x[0], Axis::rows); }},
      {"max_columns", whole, {matrix(real)}, [](O x) { return max(x[0], Axis::columns); }},
      {"logsumexp", whole, {{real}}, [](O x) { return logsumexp(x[0]); }},
      {"logsumexp_columns",
       whole,
       {matrix(real)},
       [](O x) { return logsumexp(x[0], Axis::columns); }},
      {"log_softmax", whole, {{real}}, [](O x) { return log_softmax(x[0]); }},
      {"log_softmax_matrix", whole, {matrix(real)}, [](O x) { return log_softmax(x[0]); }},
      {"cumulative_sum", whole, {{real}}, [](O x) { return cumulative_sum(x[0]); }},
      {"cumulative_sum_backward",
       whole,
       {{real}},
       [](O x) { return cumulative_sum(x[0], Direction::backward); }},
      {"cumulative_sum_of_others",
       whole,
       {matrix(real)},
       [](O x) { return cumulative_sum(x[0], Direction::forward, Including::only_others); }},
      // segments.h
      {"segment_shares",
       whole,
       {{positive}},
       [](O x) { return segment_shares(x[0], segments_for(x[0])); }},
      {"segment_sum", whole, {{real}}, [](O x) { return segment_sum(x[0], segments_for(x[0])); }},
      {"segment_logsumexp",
       whole,
       {{real}},
       [](O x) {
         return maximum(segment_logsumexp(x[0], segments_for(x[0])), x[0].tape().constant(-60));
       }},
      {"segment_log_softmax",
       whole,
       {{real}},
       [](O x) { return segment_log_softmax(x[0], segments_for(x[0])); }},
      {"segment_ranks",
       whole,
       {{real}},
       [](O x) { return x[0] * segment_ranks(x[0], segments_for(x[0])); }},
      // forward_algorithm.h
      {"log_likelihoods",
       whole,
       {{real}, {real}, {real}, {real}, scalar(real)},
       [](O x) { return log_likelihoods(hidden_model(x), lists_of(x[0])); }},
      {"log_likelihoods_so_far",
       whole,
       {{real}, {real}, {real}, {real}, scalar(real)},
       [](O x) { return log_likelihoods_so_far(hidden_model(x), lists_of(x[0])); }},
      {"log_likelihoods_scored",
       whole,
       {{real}, {real}, {real}, {real}, scalar(real)},
       [](O x) {
         return log_likelihoods_so_far(hidden_model_with_impossible_elements(x), lists_of(x[0]));
       }},
      // pairwise.h
      {"pairwise_logistic",
       whole,
       {{real}},
       [](O x) { return pairwise_logistic(x[0], grades_for(x[0]), segments_for(x[0])); }},
      {"pairwise_logistic_weighted",
       whole,
       {{real}, {real}, {real}},
       [](O x) {
         return pairwise_logistic(x[0], grades_for(x[0]), segments_for(x[0]), pair_weights(x));
       }},
      {"pairwise_curvature",
       whole,
       {{real}},
       [](O x) { return x[0] * pairwise_curvature(x[0], grades_for(x[0]), segments_for(x[0])); }},
      // matmul.h
      {"matmul",
       whole,
       {matrix(real), five_by_three(real)},
       [](O x) { return matmul(x[0], x[1]); }},
      {"affine",
       whole,
       {matrix(real), five_by_three(real), {real, [](std::int64_t) { return Shape::vector(3); }}},
       [](O x) { return affine(x[0], x[1], x[2]); }},
      {"matvec",
       whole,
       {matrix(real), {real, [](std::int64_t) { return Shape::vector(5); }}},
       [](O x) { return matvec(x[0], x[1]); }},
      {"matmul_transposed",
       whole,
       {matrix(real), {real, [](std::int64_t) { return Shape::matrix(3, 5); }}},
       [](O x) { return matmul_transposed(x[0], x[1]); }},
      // layer_norm.h
      {"layer_norm",
       whole,
       {matrix(real), five(real), five(real)},
       [](O x) { return layer_norm(x[0], x[1], x[2], 1e-5); }},
      // attention.h
      {"attention",
       whole,
       {six_columns(real), six_columns(real), six_columns(real)},
       [](O x) { return attention(x[0], x[1], x[2], segments_for(x[0]), 2); }},
      {"attention_to_itself",
       whole,
       {six_columns(real)},
       [](O x) { return attention(x[0], x[0], x[0], segments_for(x[0]), 3); }},
      {"attention_of_sequences",
       whole,
       {{real, [](std::int64_t) { return Shape::matrix(4, 6); }},
        six_columns(real),
        six_columns(real)},
       [](O x) {
         return attention(x[0], x[1], x[2], segments_for(x[1]), 2, Queries::of_sequences);
       }},
      // take_rows.h
      {"take_rows",
       whole,
       {matrix(real)},
       [](O x) { return take_rows(x[0], index_for(x[0], x[0].size() / 5)); }},
      {"take_along_rows",
       whole,
       {matrix(real)},
       [](O x) { return take_along_rows(x[0], index_for(x[0], 5)); }},
      // slice.h
      {"slice", whole, {{real}}, [](O x) { return slice(x[0], middle(x[0])); }},
      {"slice_matrix", whole, {matrix(real)}, [](O x) { return slice(x[0], middle(x[0])); }},
      {"slice_mask",
       whole,
       {{real}, {real}},
       [](O x) {
         return where(slice(mask_for(x[0]), middle(x[0])), slice(x[0], middle(x[0])),
                      slice(x[1], middle(x[1])));
       }},
      {"slice_index",
       whole,
       {{real}},
       [](O x) { return take(x[0], slice(index_for(x[0]), middle(x[0]))); }},
      {"concat",
       whole,
       {{real}, {real}},
       [](O x) {
         return concat(std::array{x[0], x[1], x[0]}, 3 * x[0].size());
       }},
      {"concat_columns",
       whole,
       {matrix(real), {real, [](std::int64_t n) { return Shape::matrix(n, 2); }}},
       [](O x) { return concat_columns(x[0], x[1]); }},
      {"repeat", whole, {scalar(real)}, [](O x) { return repeat(x[0], 21); }},
      // gather.h
      {"take", whole, {{real}}, [](O x) { return take(x[0], index_for(x[0])); }},
  };
  return ops;
}

template <class Wanted>
std::vector<Op> ops_that(Wanted wanted) {
  std::vector<Op> chosen;
  std::copy_if(list().begin(), list().end(), std::back_inserter(chosen), wanted);
  return chosen;
}

}  // namespace

std::vector<Op> all_ops() { return list(); }

std::vector<Op> elementwise_ops() {
  return ops_that([](const Op& op) { return op.form == Form::elementwise; });
}

std::vector<Op> binary_ops() {
  return ops_that(
      [](const Op& op) { return op.form == Form::elementwise && op.operands.size() == 2; });
}

}  // namespace ultr::testing
