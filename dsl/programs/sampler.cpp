#include "dsl/programs/sampler.h"

#include <algorithm>
#include <cmath>

#include <fmt/core.h>

#include "autograd/tape/partial_replay.h"
#include "base/available_memory.h"
#include "base/error.h"
#include "base/random.h"
#include "dsl/programs/same_coins.h"

namespace ultr {

const LatentVariable& SampledClicks::variable(const std::string& name) const {
  for (const LatentVariable& known : latent)
    if (known.name == name) return known;
  throw Error(fmt::format("there is no latent variable '{}'", name));
}

/// A story for lists of one length, recorded with all its coins as outputs.
class ClickSampler::Program {
 public:
  Program(const TrainableModel& model, std::size_t longest)
      : tape_(Precision::float64, Tape::Gradients::off),
        inputs_(tape_, longest, static_cast<std::size_t>(model.setting().positions),
                model.setting().features),
        probabilities_(tape_),
        session_(inputs_, probabilities_, LastClick::assumed),
        chain_(model.story().chain(session_)) {
    for (const State& state : chain_.states) {
      collect(state.examination, Group::looking);
      collect(state.attraction, Group::looking);
      for (const auto* moves : {&state.after_click, &state.after_skip}) {
        // With more than two ways to go, one is drawn at once by the ways' probabilities.
        const bool one_coin = is_one_coin(*moves);
        for (const Move& move : *moves) {
          if (one_coin)
            collect(move.probability, Group::moving);
          else
            coin(move.probability.node(), Group::none);
        }
      }
    }
    for (const Move& start : chain_.start) coin(start.probability.node(), Group::none);
    if (!chain_.start.empty()) {
      component_ = names_.size();
      names_.emplace_back("component");
    }
    for (std::uint32_t id = 0; id < probabilities_.size(); ++id)
      nodes_.push_back(&probabilities_.node(id));
    std::vector<Tensor> outputs;
    for (const Coin& coin : coins_) outputs.push_back(coin.log_p);
    if (!session_.last_click_was_used() && SameCoins::toss_in(chain_)) {
      same_coins_.emplace(chain_);
      outputs.insert(outputs.end(), same_coins_->inputs().begin(), same_coins_->inputs().end());
    }
    tape_.require(outputs);
    if (session_.last_click_was_used())
      after_clicks_.emplace(tape_, inputs_.assumed_position_pairs().node);
    expect_memory(tape_.memory(),
                  fmt::format("sampling {}, lists of {} documents", model.type(), longest));
  }

  void play(const Shard& shard, std::uint64_t seed, std::span<const std::uint64_t> numbers,
            std::vector<std::uint8_t>& clicks) {
    if (!same_coins_) {
      clicks = play(shard, seed, numbers).clicks;
      return;
    }
    inputs_.bind(shard);
    tape_.replay();
    same_coins_->play(shard, seed, numbers, clicks);
  }

  SampledClicks play(const Shard& shard, std::uint64_t seed,
                     std::span<const std::uint64_t> numbers) {
    inputs_.bind(shard);
    tape_.replay();
    for (Coin& coin : coins_) coin.logs = coin.log_p.float64_values();
    SampledClicks result;
    result.clicks.resize(shard.documents());
    for (const std::string& name : names_)
      result.latent.push_back(
          {name, std::vector<std::uint8_t>(shard.documents(), LatentVariable::not_tossed)});
    std::vector<User> users;
    for (std::size_t j = 0; j < shard.sessions(); ++j)
      users.push_back(
          arriving(j, RandomStream(seed, RandomPurpose::clicks, 0, numbers[j]), result));
    // Where coins depend on the last click, users wait after a click until those below are known.
    while (go_on(shard, users, result)) {
      std::vector<std::uint32_t> last_clicks;
      for (const User& user : users) last_clicks.push_back(user.last_click);
      inputs_.assume_last_clicks(shard, last_clicks);
      after_clicks_->run();
    }
    return result;
  }

 private:
  enum class Group : std::uint8_t { looking, moving, none };
  static constexpr std::size_t no_index = ~std::size_t{0};

  struct Coin {
    Tensor log_p;
    std::span<const double> logs{};  // of p after a run: one per document, or one for all
    std::size_t latent[2] = {no_index, no_index};  // by group

    /// Most coins are never tossed, least of all after the last click: the others need no exp.
    double probability(std::size_t document) const {
      return std::exp(logs.size() == 1 ? logs[0] : logs[document]);
    }
  };

  /// A user on the way down a list.
  struct User {
    std::size_t session;  // in the shard
    RandomStream random;
    std::size_t component, state;
    std::uint32_t rank = 0;        // next to look at
    std::uint32_t last_click = 0;  // number of the document, from 1; 0: none
  };

  User arriving(std::size_t session, RandomStream random, SampledClicks& result) const {
    const Toss toss{*this, random, result, session, Group::none};
    const std::size_t component = chain_.start.empty() ? 0 : toss.draw(chain_.start);
    const std::size_t state = chain_.start.empty() ? 0 : chain_.start[component].to;
    return {session, random, component, state};
  }

  /// Lets all users go on to the end of their lists, or to their next click if coins depend on it.
  /// Returns true if some have not come to the end.
  bool go_on(const Shard& shard, std::vector<User>& users, SampledClicks& result) const {
    bool some_wait = false;
    for (User& user : users) {
      bool waits = false;
      for (; !waits && user.session < shard.count(user.rank); ++user.rank)
        waits = look(user, shard.begin(user.rank) + user.session, result) && after_clicks_;
      some_wait |= user.session < shard.count(user.rank);
    }
    return some_wait;
  }

  /// Lets a user look at a document and move on. Returns true after a click.
  bool look(User& user, std::size_t document, SampledClicks& result) const {
    Toss toss{*this, user.random, result, document, Group::looking};
    if (component_ != no_index)
      result.latent[component_].values[document] = static_cast<std::uint8_t>(user.component);
    const State& state = chain_.states[user.state];
    const bool examined = toss(state.examination);
    // A user who cannot examine anything has left and tosses no more coins.
    const bool attracted = !state.examination.is_never() && toss(state.attraction);
    const bool clicked = examined && attracted;
    result.latent[0].values[document] = examined ? 1 : 0;
    result.clicks[document] = clicked ? 1 : 0;
    if (clicked) user.last_click = user.rank + 1;
    toss.group = Group::moving;
    user.state = toss.pick(clicked ? state.after_click : state.after_skip).to;
    return clicked;
  }

  static bool is_one_coin(const std::vector<Move>& moves) {
    if (moves.size() < 2) return true;
    const Prob &p = moves[0].probability, &q = moves[1].probability;
    return moves.size() == 2 && p.node() == q.node() && p.complemented() != q.complemented();
  }

  /// Registers a node as a coin that may be tossed.
  void coin(std::uint32_t node, Group group) {
    if (coin_of_node_.size() <= node) coin_of_node_.resize(node + 1, no_index);
    if (coin_of_node_[node] == no_index) {
      coin_of_node_[node] = coins_.size();
      coins_.push_back({.log_p = Prob(probabilities_, node, false).log()});
    }
    const std::string& name = probabilities_.node(node).name;
    if (name.empty() || group == Group::none) return;
    const bool moving = group == Group::moving;
    // Coins with the same name in the same group are mutually exclusive: they belong to different
    // states.
    const std::string full = moving && used_looking(name) ? "after." + name : name;
    auto known = std::find(names_.begin(), names_.end(), full);
    if (known == names_.end()) known = names_.insert(names_.end(), full);
    coins_[coin_of_node_[node]].latent[moving] = static_cast<std::size_t>(known - names_.begin());
  }

  bool used_looking(const std::string& name) const {
    return std::any_of(coins_.begin(), coins_.end(), [&](const Coin& coin) {
      return coin.latent[0] != no_index && names_[coin.latent[0]] == name;
    });
  }

  const Coin& coin_of(std::uint32_t node) const { return coins_[coin_of_node_[node]]; }

  /// Finds the coins that deciding an event may toss.
  void collect(const Prob& event, Group group) {
    const ProbGraph::Node& node = probabilities_.node(event.node());
    if (node.kind == ProbGraph::Kind::both || node.kind == ProbGraph::Kind::mixture)
      for (const Prob& part : node.parts) collect(part, group);
    else if (node.kind != ProbGraph::Kind::always)
      coin(event.node(), group);
  }

  /// Decides events at one document of one session.
  struct Toss {
    const Program& program;
    RandomStream& random;
    SampledClicks& result;
    std::size_t document;
    Group group;

    /// Returns true if the event happens. Stories read from left to right: "both" is decided by its
    /// parts.
    bool operator()(const Prob& event) const {
      return decide(event.node()) != event.complemented();
    }

    bool decide(std::uint32_t id) const {
      const ProbGraph::Node& node = *program.nodes_[id];
      switch (node.kind) {
        case ProbGraph::Kind::always:
          return true;
        case ProbGraph::Kind::both: {
          const bool first = (*this)(node.parts[0]), second = (*this)(node.parts[1]);
          return first && second;
        }
        case ProbGraph::Kind::mixture:
          return (*this)(node.parts[0]) ? (*this)(node.parts[1]) : (*this)(node.parts[2]);
        default:
          break;
      }
      const Coin& coin = program.coin_of(id);
      const bool shown = random.uniform() < coin.probability(document);
      const std::size_t latent = coin.latent[group == Group::moving ? 1 : 0];
      if (latent != no_index) result.latent[latent].values[document] = shown ? 1 : 0;
      return shown;
    }

    /// Returns the next move.
    const Move& pick(const std::vector<Move>& moves) const {
      if (moves.size() == 1) return moves[0];
      if (is_one_coin(moves)) return moves[(*this)(moves[0].probability) ? 0 : 1];
      return moves[draw(moves)];
    }

    /// Draws one of several moves by their probabilities.
    std::size_t draw(const std::vector<Move>& moves) const {
      double left = random.uniform();
      for (std::size_t i = 0; i < moves.size(); ++i) {
        const double p = program.coin_of(moves[i].probability.node()).probability(document);
        left -= moves[i].probability.complemented() ? 1 - p : p;
        if (left < 0) return i;
      }
      return moves.size() - 1;
    }
  };

  Tape tape_;
  ShardInputs inputs_;
  ProbGraph probabilities_;
  Session session_;
  Chain chain_;
  std::optional<SameCoins> same_coins_;        // if the story tosses the same ones everywhere
  std::optional<PartialReplay> after_clicks_;  // what depends on the last click, if anything does
  std::vector<const ProbGraph::Node*> nodes_;  // of probabilities_, found faster
  std::vector<Coin> coins_;
  std::vector<std::size_t> coin_of_node_;  // index in coins_ by node; no_index: never tossed
  std::vector<std::string> names_ = {"examined"};
  std::size_t component_ = no_index;  // index in names_; no_index if the user has no choice
};

ClickSampler::ClickSampler(const TrainableModel& model) : model_(model) {}
ClickSampler::~ClickSampler() = default;

ClickSampler::Program& ClickSampler::program(std::size_t longest) {
  if (by_length_.size() <= longest) by_length_.resize(longest + 1);
  if (!by_length_[longest]) by_length_[longest] = std::make_unique<Program>(model_, longest);
  return *by_length_[longest];
}

SampledClicks ClickSampler::sample(const Shard& shard, std::uint64_t seed,
                                   std::span<const std::uint64_t> numbers) {
  return program(shard.longest()).play(shard, seed, numbers);
}

void ClickSampler::sample_clicks(const Shard& shard, std::uint64_t seed,
                                 std::span<const std::uint64_t> numbers,
                                 std::vector<std::uint8_t>& clicks) {
  program(shard.longest()).play(shard, seed, numbers, clicks);
}

}  // namespace ultr
