#pragma once

#include <algorithm>
#include <cmath>
#include <type_traits>
#include <utility>

#include "autograd/markov/rank_pass.h"
#include "autograd/ops/elementwise.h"
#include "kernels/log_add.h"

namespace ultr::detail {

/// Goes down the ranks and keeps one log mass per list and state: log P(in the state, observations
/// above).
template <class T>
class ForwardPass : RankPass<T> {
  using Base = RankPass<T>;
  using Base::begin, Base::here_, Base::lists, Base::model_, Base::node_, Base::states, Base::tape_,
      Base::there_;
  using P = Pack<T>;
  static constexpr std::type_identity<P> one{};

 public:
  ForwardPass(Tape& tape, const Node& node)
      : Base(tape, node),
        prefetcher_(tape.row_prefetcher()),
        operands_(node.inputs.size() + 1, &this->memory_),
        rows_(&this->memory_),
        terms_(&this->memory_) {
    for (std::size_t i = 0; i < node.inputs.size(); ++i) {
      const Node& input = tape.input_of(node, i);
      operands_[i].bind(input.value, input.shape.single() ? Broadcast::scalar : Broadcast::none,
                        model_.capacity);
    }
    static constexpr T zero = 0;
    operands_.back().bind(reinterpret_cast<const std::byte*>(&zero), Broadcast::scalar, 1);
    for (Operand<T>& operand : operands_) rows_.push_back(operand.row(0));
  }

  void run() {
    for (std::size_t s = 0; s < states(); ++s)
      if (model_.reaches(0, s))
        std::fill_n(here_[s], lists(0), *rows_[model_.states[s].start].from);
    for (std::size_t rank = 0; rank < model_.ranks(); ++rank) {
      if (model_.scores_impossible()) find_impossible(rank);
      for (std::size_t s = 0; s < states(); ++s)
        if (model_.reaches(rank, s)) observe(rank, s);
      const std::size_t next = lists(rank + 1);
      sum_states(rank);
      if (next > 0) move(rank, next);
    }
    tape_.row_prefetcher() = prefetcher_;
  }

 private:
  /// A term of sums of many lists, in log space: log masses and the logs of their factors.
  struct Term {
    const T* mass;
    OperandRow<T> factor;
    T* share = nullptr;  // the terms' shares in the sums; null if they are not needed

    /// Returns load(i, lanes...). Members are copied one by one: as a whole they would be loaded
    /// into a register before the members that were stored just now have reached memory.
    auto loader() const {
      return [mass = mass, from = factor.from, moves = factor.moves]<class Group>(
                 std::type_identity<Group>, std::size_t i, auto... lanes) {
        return Group::load(mass + i, lanes...) + Group::load(from + (i & moves), lanes...);
      };
    }
  };

  /// Returns the numbers of an input from an element on; zeros if there is no input.
  OperandRow<T> row(std::uint32_t input, std::size_t from) const {
    const OperandRow<T>& whole = input == no_input ? rows_.back() : rows_[input];
    return {whole.from + (from & whole.moves), whole.moves};
  }
  OperandRow<T> observed(std::size_t rank, std::size_t state) const {
    return row(model_.states[state].observed, begin(rank));
  }

  /// Adds the logs of the observations at a rank to the masses of a state.
  void observe(std::size_t rank, std::size_t state) {
    T* const mass = here_[state];
    const Term term{mass, observed(rank, state)};
    if (!model_.scores_impossible()) {
      if (model_.states[state].observed == no_input) return;
      for_each_pack<T>(lists(rank), [=, load = term.loader()](std::size_t i, auto... lanes) {
        load(one, i, lanes...).store(mass + i, lanes...);
      });
      return;
    }
    const T* const possible = Base::possible() + begin(rank);
    const P scored(model_.log_impossible);
    for_each_pack<T>(lists(rank), [=, load = term.loader()](std::size_t i, auto... lanes) {
      where(P::load(possible + i, lanes...) == P(0), P::load(mass + i, lanes...) + scored,
            load(one, i, lanes...))
          .store(mass + i, lanes...);
    });
  }

  /// Finds the lists whose observation at a rank no state allows.
  void find_impossible(std::size_t rank) {
    T* const possible = Base::possible() + begin(rank);
    std::fill_n(possible, lists(rank), T(0));
    for (std::size_t s = 0; s < states(); ++s) {
      if (!model_.reaches(rank, s)) continue;
      const Term term{here_[s], observed(rank, s)};
      for_each_pack<T>(lists(rank), [=, load = term.loader()](std::size_t i, auto... lanes) {
        where(load(one, i, lanes...) == P(-HUGE_VAL), P::load(possible + i, lanes...), P(1))
            .store(possible + i, lanes...);
      });
    }
  }

  /// Stores the logs of the sums over states that are numbers of the result.
  void sum_states(std::size_t rank) {
    const auto [first, to] = Base::summed(rank);
    if (first == lists(rank)) return;
    terms_.clear();
    for (std::size_t s = 0; s < states(); ++s)
      if (model_.reaches(rank, s)) {
        T* const share = Base::share_of_state(s);
        terms_.push_back({here_[s] + first, rows_.back(), share == nullptr ? nullptr : share + to});
      }
    add_terms(lists(rank) - first, reinterpret_cast<T*>(node_.value) + to);
  }

  /// Moves the masses of the first `next` lists to the next rank.
  void move(std::size_t rank, std::size_t next) {
    std::size_t m = 0;
    for (std::size_t t = 0; t < states(); ++t) {
      terms_.clear();
      for (; m < model_.moves.size() && model_.moves[m].to == t; ++m) {
        const ForwardClosure::Move& move = model_.moves[m];
        if (!model_.reaches(rank, move.from)) continue;
        T* const share = Base::share_of_move(m);
        terms_.push_back({here_[move.from], row(move.p, begin(rank)),
                          share == nullptr ? nullptr : share + begin(rank)});
      }
      add_terms(next, there_[t]);
    }
    std::swap(here_, there_);
  }

  /// Stores the logs of n sums of terms, and the shares of the terms.
  void add_terms(std::size_t n, T* sums) {
    if (terms_.empty()) {
      std::fill_n(sums, n, -static_cast<T>(HUGE_VAL));
    } else if (terms_.size() == 1) {
      for_each_pack<T>(
          n, [=, load = terms_[0].loader(), share = terms_[0].share](std::size_t i, auto... lanes) {
            const P x = load(one, i, lanes...);
            x.store(sums + i, lanes...);
            if (share != nullptr) where(x == P(-HUGE_VAL), 0, P(1)).store(share + i, lanes...);
          });
    } else {
      add(n, terms_[0], terms_[1], sums);
      for (std::size_t term = 2; term < terms_.size(); ++term) add_further(n, term, sums);
    }
  }

  /// Adds a term to n sums of all those before it.
  void add_further(std::size_t n, std::size_t term, T* sums) {
    T* const others = terms_[term].share == nullptr ? nullptr : Base::shares_of_others();
    add(n, {sums, rows_.back(), others}, terms_[term], sums);
    if (others == nullptr) return;
    for (std::size_t other = 0; other < term; ++other)
      for_each_pack<T>(n, [=, share = terms_[other].share](std::size_t i, auto... lanes) {
        (P::load(share + i, lanes...) * P::load(others + i, lanes...)).store(share + i, lanes...);
      });
  }

  /// Stores the logs of n sums of two terms, and the shares of both.
  [[gnu::flatten]] void add(std::size_t n, const Term& a, const Term& b, T* sums) {
    RowPrefetcher prefetcher = prefetcher_;
    for_each_pack_group<T, packs_in_group>(
        n, [=, &prefetcher, a = a.loader(), b = b.loader(), a_share = a.share, b_share = b.share](
               auto type, std::size_t i, auto... lanes) {
          using Group = typename decltype(type)::type;
          prefetcher.prefetch(Group::size / 2);  // takes about as long as other ops that prefetch
          const LogAdd<Group> sum(a(type, i, lanes...), b(type, i, lanes...));
          sum.value.store(sums + i, lanes...);
          if (a_share == nullptr) return;
          sum.slope_of_x.store(a_share + i, lanes...);
          sum.slope_of_y.store(b_share + i, lanes...);
        });
    prefetcher_ = prefetcher;
  }

  RowPrefetcher prefetcher_;
  std::pmr::vector<Operand<T>> operands_;  // the inputs, and 0
  std::pmr::vector<OperandRow<T>> rows_;   // of the operands
  std::pmr::vector<Term> terms_;
};

}  // namespace ultr::detail
