#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory_resource>
#include <span>
#include <vector>

#include "autograd/tape/tape.h"

/// The ground that passes of the forward algorithm stand on. Only for autograd/markov.
namespace ultr::detail {

/// Stands for a tensor that a model does not have.
inline constexpr std::uint32_t no_input = ~std::uint32_t{0};

/// The model, with numbers of the node's inputs in place of tensors; `no_input` where there is
/// none.
struct ForwardClosure {
  struct State {
    std::uint32_t start, observed;
  };
  struct Move {
    std::uint32_t from, to, p;
  };
  std::span<const Extent> begin, count;
  std::span<const State> states;
  std::span<const Move> moves;            // ordered by the state that they go to
  std::span<const std::uint8_t> reached;  // [rank][state]: 1 if lists can be there, else 0
  std::uint32_t continues;
  std::size_t capacity;  // the most elements of all lists
  std::byte* workspace;  // two arrays per state, and one more, of one number per list
  std::byte* possible;   // null unless impossible observations are scored
  bool so_far;
  double log_impossible;

  std::size_t ranks() const { return begin.size(); }
  bool scores_impossible() const { return possible != nullptr; }
  bool reaches(std::size_t rank, std::size_t state) const {
    return reached[rank * states.size() + state] != 0;
  }
};

/// Base of the passes over ranks: the model, and arrays of one number per list or per element.
template <class T>
class RankPass {
 protected:
  RankPass(Tape& tape, const Node& node)
      : tape_(tape), node_(node), model_(*static_cast<const ForwardClosure*>(node.closure)) {
    for (std::size_t s = 0; s < states(); ++s) {
      here_.push_back(workspace(s));
      there_.push_back(workspace(states() + s));
    }
  }

  std::size_t states() const { return model_.states.size(); }
  /// Returns the number of lists that have an element at a rank.
  std::size_t lists(std::size_t rank) const {
    return rank < model_.ranks() ? size(model_.count[rank]) : 0;
  }
  std::size_t begin(std::size_t rank) const { return size(model_.begin[rank]); }
  /// Lists whose sums over states are numbers of the result: the first of them, and its number.
  struct Summed {
    std::size_t first, number;
  };
  /// Returns the lists that are summed at a rank: all if likelihoods so far are wanted, else those
  /// that end there.
  Summed summed(std::size_t rank) const {
    const std::size_t next = lists(rank + 1);
    return model_.so_far ? Summed{0, begin(rank)} : Summed{next, next};
  }

  // Arrays of one number per element, saved for the backward pass; null if there is none.

  /// The share of a move among those that arrive in the same state.
  T* share_of_move(std::size_t move) const { return saved(move); }
  /// The share of a state in the sum over states.
  T* share_of_state(std::size_t state) const { return saved(model_.moves.size() + state); }
  /// 0 where no state allows the observation, else 1. Not null if such observations are scored.
  T* possible() const { return reinterpret_cast<T*>(model_.possible); }
  /// Memory for one number per list.
  T* shares_of_others() const { return workspace(2 * states()); }

  Tape& tape_;
  const Node& node_;
  const ForwardClosure& model_;
  /// Holds the vectors of usual models. Allocating took 2% of a training step.
  std::array<std::byte, 8192> buffer_;
  std::pmr::monotonic_buffer_resource memory_{buffer_.data(), buffer_.size()};
  /// By state, one number per list: log masses, or their gradients; at this rank and at the next.
  std::pmr::vector<T*> here_{&memory_}, there_{&memory_};

 private:
  std::size_t size(Extent extent) const { return static_cast<std::size_t>(tape_.size_of(extent)); }
  T* workspace(std::size_t array) const {
    return reinterpret_cast<T*>(model_.workspace) +
           array * static_cast<std::size_t>(model_.count[0].capacity());
  }
  T* saved(std::size_t array) const {
    return node_.saved == nullptr ? nullptr
                                  : reinterpret_cast<T*>(node_.saved) + array * model_.capacity;
  }
};

}  // namespace ultr::detail
