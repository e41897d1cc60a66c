#pragma once

#include <algorithm>
#include <utility>

#include "autograd/markov/rank_pass.h"
#include "autograd/ops/elementwise.h"

namespace ultr::detail {

/// Goes back through the ranks. The gradient of a log mass is the posterior of its state, times the
/// gradient of the result.
template <class T>
class BackwardPass : RankPass<T> {
  using Base = RankPass<T>;
  using Base::begin, Base::here_, Base::lists, Base::model_, Base::node_, Base::states,
      Base::there_;
  using P = Pack<T>;

 public:
  BackwardPass(Tape& tape, const Node& node) : Base(tape, node) {
    for (std::size_t i = 0; i < node.inputs.size(); ++i) {
      targets_.push_back(tape.gradient_target<T>(node, i));
      kinds_.push_back(tape.input_of(node, i).shape.single() ? Broadcast::scalar : Broadcast::none);
    }
  }

  void run() {
    for (std::size_t rank = model_.ranks(); rank-- > 0;) {
      const std::size_t next = lists(rank + 1);
      pull_moves(rank, next);
      pull_sums(rank);
      pull_observations(rank);
    }
    for (std::size_t s = 0; s < states(); ++s)
      pull(model_.states[s].start, 0, lists(0),
           [mass = here_[s]](std::size_t i, auto... lanes) { return P::load(mass + i, lanes...); });
  }

 private:
  /// Adds gradients to those of n elements of an input, from an element on. gradient(i, lanes...)
  /// returns a pack of them.
  template <class Gradient>
  void pull(std::uint32_t input, std::size_t from, std::size_t n, Gradient gradient) {
    if (input == no_input || !targets_[input]) return;
    Tape::Target<T>& target = targets_[input];
    const bool single = kinds_[input] == Broadcast::scalar;
    add_gradient<T>({target.data + (single ? 0 : from), target.add}, kinds_[input], 1, n,
                    [&](std::size_t) { return gradient; });
    if (single) target.add = true;  // the next rank's is added
  }

  /// Replaces the gradients of masses at the next rank, which the first `next` lists have, by their
  /// parts of the gradients at this one.
  void pull_moves(std::size_t rank, std::size_t next) {
    std::swap(here_, there_);
    for (T* gradients : here_) std::fill_n(gradients, lists(rank), T(0));
    for (std::size_t m = 0; m < model_.moves.size(); ++m) {
      const ForwardClosure::Move& move = model_.moves[m];
      const std::size_t from = begin(rank), moved = model_.reaches(rank, move.from) ? next : 0;
      const T *const arrived = there_[move.to], *const share = Base::share_of_move(m) + from;
      T* const mass = here_[move.from];
      const auto gradient = [=](std::size_t i, auto... lanes) {
        return P::load(arrived + i, lanes...) * P::load(share + i, lanes...);
      };
      for_each_pack<T>(moved, [=](std::size_t i, auto... lanes) {
        (P::load(mass + i, lanes...) + gradient(i, lanes...)).store(mass + i, lanes...);
      });
      pull(move.p, from, moved, gradient);
      pull(move.p, from + moved, lists(rank) - moved, [](auto...) { return P(0); });
    }
  }

  /// Adds the gradients of the sums over states that are numbers of the result.
  void pull_sums(std::size_t rank) {
    const auto [first, to] = Base::summed(rank);
    const T* const gradient = reinterpret_cast<const T*>(node_.gradient) + to;
    for (std::size_t s = 0; s < states(); ++s) {
      if (!model_.reaches(rank, s)) continue;
      const T* const share = Base::share_of_state(s) + to;
      T* const mass = here_[s] + first;
      for_each_pack<T>(lists(rank) - first, [=](std::size_t i, auto... lanes) {
        (P::load(mass + i, lanes...) +
         P::load(gradient + i, lanes...) * P::load(share + i, lanes...))
            .store(mass + i, lanes...);
      });
    }
  }

  /// Adds the gradients of the observations at a rank, which are those of the masses.
  void pull_observations(std::size_t rank) {
    for (std::size_t s = 0; s < states(); ++s) {
      const std::uint32_t input = model_.states[s].observed;
      const T* const mass = here_[s];
      if (!model_.scores_impossible()) {
        pull(input, begin(rank), lists(rank),
             [=](std::size_t i, auto... lanes) { return P::load(mass + i, lanes...); });
        continue;
      }
      const T* const possible = Base::possible() + begin(rank);
      pull(input, begin(rank), lists(rank), [=](std::size_t i, auto... lanes) {
        return P::load(mass + i, lanes...) * P::load(possible + i, lanes...);
      });
    }
  }

  std::pmr::vector<Tape::Target<T>> targets_{&this->memory_};  // by input
  std::pmr::vector<Broadcast> kinds_{&this->memory_};
};

}  // namespace ultr::detail
