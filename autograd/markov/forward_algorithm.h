#pragma once

#include <cstddef>
#include <optional>
#include <span>

#include "autograd/tape/tensor.h"

/// Likelihoods of sequences by the forward algorithm of hidden Markov models (Rabiner, 1989).
namespace ultr {

/// Lists whose elements are stored rank by rank, the longest lists first: element k of list j is
/// row begin[k] + j, and count[k] lists have one.
struct RankedLists {
  std::span<const Extent> begin, count;
  Extent elements = 0;  // of all lists
  Mask continues;       // elements that are not the last of their list
};

struct HiddenState {
  /// log of the share of lists that start here: a scalar. Nothing if none does.
  std::optional<Tensor> log_start{};
  /// log P(observation | state): one per element, or a scalar. Nothing if it is certain.
  std::optional<Tensor> log_observed{};
};

/// A move from a state to that of the next element.
struct HiddenMove {
  std::size_t from, to;
  /// log P(move | state and observation): one per element, or a scalar. Nothing if it is certain.
  /// Those of last elements are not read.
  std::optional<Tensor> log_p{};
};

struct HiddenMarkovModel {
  std::span<const HiddenState> states{};
  std::span<const HiddenMove> moves{};
  /// If given, an observation that no state allows scores this, has gradient 0 and leaves the state
  /// as it was. Otherwise its list has log-likelihood -inf and gradient 0.
  std::optional<double> log_impossible{};
};

/// Returns log P(observations of a list): [lists]. With m_s(0) = log_start of state s and
///
///     m_t(k+1) = log Σ_s e^(m_s(k) + log_observed_s(k) + log_p_st(k))
///
/// it is log Σ_s e^(m_s(K) + log_observed_s(K)) for the last rank K. Slopes are posteriors:
/// P(state s at k | observations) for log_observed_s(k), and P(move from s to t after k |
/// observations) for log_p_st(k). Throws ShapeError if a tensor or a state's number does not fit.
Tensor log_likelihoods(const HiddenMarkovModel& model, const RankedLists& lists);
/// Returns the same of the observations up to each element: [elements].
Tensor log_likelihoods_so_far(const HiddenMarkovModel& model, const RankedLists& lists);

}  // namespace ultr
