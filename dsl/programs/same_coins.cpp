#include "dsl/programs/same_coins.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "base/random.h"
#include "kernels/vector_math.h"

namespace ultr {
namespace {

bool has_mixture(const Prob& event) {
  const ProbGraph::Node& node = event.graph().node(event.node());
  if (node.kind == ProbGraph::Kind::mixture) return true;
  return node.kind == ProbGraph::Kind::both &&
         (has_mixture(node.parts[0]) || has_mixture(node.parts[1]));
}

/// Appends log p of the coins that decide an event, in the order in which they are tossed.
void record_coins(const Prob& event, std::vector<Tensor>& log_p) {
  const ProbGraph::Node& node = event.graph().node(event.node());
  if (node.kind == ProbGraph::Kind::both)
    for (const Prob& part : node.parts) record_coins(part, log_p);
  else if (node.kind != ProbGraph::Kind::always)
    log_p.push_back(Prob(event.graph(), event.node(), false).log());
}

}  // namespace

bool SameCoins::toss_in(const Chain& chain) {
  if (chain.states.size() != 1 || !chain.start.empty()) return false;
  const State& state = chain.states[0];
  return !state.examination.is_never() && state.after_click.size() == 1 &&
         state.after_skip.size() == 1 && !has_mixture(state.examination) &&
         !has_mixture(state.attraction);
}

SameCoins::SameCoins(const Chain& chain)
    : examination_(chain.states[0].examination), attraction_(chain.states[0].attraction) {
  record_coins(examination_, log_p_);
  record_coins(attraction_, log_p_);
}

/// Tosses at one document of each of several sessions.
class SameCoins::Toss {
 public:
  using Doubles = Pack<double>;

  /// `document` and `session` are the first of each.
  Toss(const SameCoins& coins, std::size_t document, std::size_t session, std::size_t draw)
      : coins_(coins), document_(document), session_(session), draw_(draw) {}

  template <class... Count>
  Lanes<double> operator()(const Prob& event, Count... count) {
    const ProbGraph::Node& node = event.graph().node(event.node());
    Lanes<double> happens = Doubles(0) == Doubles(0);
    if (node.kind == ProbGraph::Kind::both) {
      happens = (*this)(node.parts[0], count...);
      happens = happens & (*this)(node.parts[1], count...);
    } else if (node.kind != ProbGraph::Kind::always) {
      happens = next_coin(count...);
    }
    return event.complemented() ? !happens : happens;
  }

 private:
  /// True where the uniform number is below p = std::exp(log p). The kernels' exp decides unless
  /// they are close.
  template <class... Count>
  Lanes<double> next_coin(Count... count) {
    constexpr double close = 1e-13;  // far above the error of exp, and rare
    const std::span<const double> logs = coins_.logs_[coin_++];
    const Doubles log_p = logs.size() == 1 ? Doubles::broadcast(logs[0])
                                           : Doubles::load(logs.data() + document_, count...);
    const Doubles p = exp(log_p), u = Doubles::load(uniforms(), count...);
    ++draw_;
    Lanes<double> heads = u < p;
    const Lanes<double> doubtful = abs(u - p) < Doubles(close);
    std::int64_t some = 0;
    for (std::size_t lane = 0; lane < Doubles::size; ++lane) some |= doubtful.vector[lane];
    if (some == 0) return heads;
    for (std::size_t lane = 0; lane < Doubles::size; ++lane)
      heads.vector[lane] = u.vector[lane] < std::exp(log_p.vector[lane]) ? -1 : 0;
    return heads;
  }
  const double* uniforms() const {
    return &coins_.uniforms_[(draw_ - coins_.first_drawn_) * shard_sessions + session_];
  }

  const SameCoins& coins_;
  std::size_t document_, session_, draw_, coin_ = 0;
};

void SameCoins::draw(std::uint64_t seed, std::span<const std::uint64_t> numbers,
                     std::size_t first) {
  const std::size_t first_block = first / 2, end_block = (first + log_p_.size() + 1) / 2;
  first_drawn_ = 2 * first_block;
  uniforms_.resize(2 * (end_block - first_block) * shard_sessions);
  for (std::size_t block = first_block; block < end_block; ++block) {
    random_blocks_of_streams(seed, RandomPurpose::clicks, 0, numbers,
                             static_cast<std::uint32_t>(block), blocks_);
    for (std::size_t which = 0; which < 2; ++which) {
      double* const to = &uniforms_[(2 * block + which - first_drawn_) * shard_sessions];
      for (std::size_t j = 0; j < numbers.size(); ++j)
        to[j] =
            static_cast<double>(static_cast<std::int64_t>(bits_of_block(blocks_[j], which) >> 11)) *
            0x1p-53;
    }
  }
}

void SameCoins::play(const Shard& shard, std::uint64_t seed, std::span<const std::uint64_t> numbers,
                     std::vector<std::uint8_t>& clicks) {
  logs_.clear();
  for (const Tensor& log_p : log_p_) logs_.push_back(log_p.float64_values());
  clicks.resize(shard.documents());
  for (std::size_t rank = 0; rank < shard.longest(); ++rank) {
    const std::size_t count = shard.count(rank), first = rank * log_p_.size();
    draw(seed, numbers.first(count), first);
    for_each_pack<double>(count, [&](std::size_t j, auto... lanes) {
      const std::size_t document = shard.begin(rank) + j;
      Toss toss(*this, document, j, first);
      const Lanes<double> examined = toss(examination_, lanes...);
      const Lanes<double> clicked = examined & toss(attraction_, lanes...);
      std::int64_t outcomes[Pack<double>::size];
      std::memcpy(outcomes, &clicked.vector, sizeof outcomes);
      for (std::size_t lane = 0; lane < std::min({Pack<double>::size, lanes...}); ++lane)
        clicks[document + lane] = outcomes[lane] != 0 ? 1 : 0;
    });
  }
}

}  // namespace ultr
