#include "dsl/programs/same_coins.h"

#include <algorithm>
#include <cmath>

#include "base/random_streams.h"
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

/// Tosses at one document of each of several sessions, with approximate probabilities.
class SameCoins::Toss {
 public:
  using Floats = Pack<float>;

  /// `document` and `session` are the first of each, `draw` the number of the first draw.
  Toss(const SameCoins& coins, std::size_t document, std::size_t session, std::size_t draw)
      : coins_(coins), document_(document), session_(session), draw_(draw) {}

  /// Returns the lanes in which the event happens. `count`: number of sessions, if not all lanes.
  template <class... Count>
  Lanes<float> operator()(const Prob& event, Count... count) {
    const ProbGraph::Node& node = event.graph().node(event.node());
    Lanes<float> happens = Floats(0) == Floats(0);
    if (node.kind == ProbGraph::Kind::both) {
      happens = (*this)(node.parts[0], count...);
      happens = happens & (*this)(node.parts[1], count...);
    } else if (node.kind != ProbGraph::Kind::always) {
      happens = next_coin(count...);
    }
    return event.complemented() ? !happens : happens;
  }

  /// The lanes in which a coin was too near its edge for an approximation.
  Lanes<float> doubtful() const { return doubtful_; }

 private:
  /// Returns the lanes in which the uniform number is below p.
  template <class... Count>
  Lanes<float> next_coin(Count... count) {
    // Above the error of p <= 1: 2^-24 of |log p| by rounding it and 1.2 ulp of exp. And above that
    // of the uniform number, of which the upper 31 bits are rounded to 24.
    constexpr double close = 1e-6;
    const std::size_t lanes = std::min({Floats::size, count...});
    const std::span<const double> logs = coins_.logs_[coin_++];
    const std::uint64_t* const draws = coins_.draws(draw_++) + session_;
    float of_lanes[Floats::size] = {}, uniforms[Floats::size] = {};
    for (std::size_t lane = 0; lane < lanes; ++lane)
      uniforms[lane] = static_cast<float>(static_cast<std::int32_t>(draws[lane] >> 33)) * 0x1p-31f;
    if (logs.size() > 1)
      for (std::size_t lane = 0; lane < lanes; ++lane)
        of_lanes[lane] = static_cast<float>(logs[document_ + lane]);
    const Floats p = exp(logs.size() > 1 ? Floats::load(of_lanes)
                                         : Floats::broadcast(static_cast<float>(logs[0])));
    const Floats u = Floats::load(uniforms);
    doubtful_ = doubtful_ | (abs(u - p) < Floats(close));
    return u < p;
  }

  const SameCoins& coins_;
  std::size_t document_, session_, draw_, coin_ = 0;
  Lanes<float> doubtful_{};
};

/// Tosses at one document of one session.
class SameCoins::ExactToss {
 public:
  ExactToss(const SameCoins& coins, std::size_t document, std::size_t session, std::size_t draw)
      : coins_(coins), document_(document), session_(session), draw_(draw) {}

  bool operator()(const Prob& event) {
    const ProbGraph::Node& node = event.graph().node(event.node());
    bool happens = true;
    if (node.kind == ProbGraph::Kind::both) {
      happens = (*this)(node.parts[0]);
      happens &= (*this)(node.parts[1]);
    } else if (node.kind != ProbGraph::Kind::always) {
      const std::span<const double> logs = coins_.logs_[coin_++];
      const double log_p = logs.size() == 1 ? logs[0] : logs[document_];
      happens = uniform_of_bits(coins_.draws(draw_++)[session_]) < std::exp(log_p);
    }
    return event.complemented() ? !happens : happens;
  }

 private:
  const SameCoins& coins_;
  std::size_t document_, session_, draw_, coin_ = 0;
};

void SameCoins::draw(std::uint64_t seed, std::span<const std::uint64_t> numbers,
                     std::size_t first) {
  const std::size_t first_block = first / 2, end_block = (first + log_p_.size() + 1) / 2;
  first_drawn_ = 2 * first_block;
  draws_.resize(2 * (end_block - first_block) * shard_sessions);
  for (std::size_t block = first_block; block < end_block; ++block) {
    const std::span<std::uint64_t> of_block =
        std::span(draws_).subspan(2 * (block - first_block) * shard_sessions);
    draw_from_streams(seed, RandomPurpose::clicks, 0, numbers, static_cast<std::uint32_t>(block),
                      of_block, of_block.subspan(shard_sessions));
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
    for_each_pack<float>(count, [&](std::size_t j, auto... lanes) {
      const std::size_t document = shard.begin(rank) + j;
      Toss toss(*this, document, j, first);
      const Lanes<float> examined = toss(examination_, lanes...);
      const Lanes<float> clicked = examined & toss(attraction_, lanes...);
      const auto doubtful = toss.doubtful().vector;
      const bool some_doubtful = sum_of_lanes<std::int32_t, Pack<float>::size>(doubtful) != 0;
      for (std::size_t lane = 0; lane < std::min({Pack<float>::size, lanes...}); ++lane)
        clicks[document + lane] = static_cast<std::uint8_t>(clicked.vector[lane] & 1);
      for (std::size_t lane = 0; some_doubtful && lane < std::min({Pack<float>::size, lanes...});
           ++lane) {
        if (doubtful[lane] == 0) continue;
        ExactToss exact(*this, document + lane, j + lane, first);
        const bool looks = exact(examination_), likes = exact(attraction_);
        clicks[document + lane] = looks && likes ? 1 : 0;
      }
    });
  }
}

}  // namespace ultr
