#include "dsl/programs/story_coins.h"

#include <algorithm>
#include <cmath>

#include "kernels/vector_math.h"

namespace ultr {
namespace {

using Kind = ProbGraph::Kind;

}  // namespace

double StoryCoins::Coin::probability(const Place& place) const {
  return std::exp(logs[entry(place)]);
}

bool StoryCoins::Coin::shows_heads(const Place& place) const {
  constexpr double close = 1e-6;  // far above the error of near_p, and rare
  const double u = place.random.uniform(), above = u - double{near_p[entry(place)]};
  return std::abs(above) > close ? above < 0 : u < probability(place);
}

void StoryCoins::add_event(const Prob& event, Group group) {
  const ProbGraph::Node& node = probabilities_.node(event.node());
  if (node.kind == Kind::both || node.kind == Kind::mixture)
    for (const Prob& part : node.parts) add_event(part, group);
  else if (node.kind != Kind::always)
    add_coin(event.node(), group);
}

void StoryCoins::add_moves(const std::vector<Move>& moves) {
  if (!is_one_coin(moves)) return add_draw(moves);
  for (const Move& move : moves) add_event(move.probability, Group::moving);
}

void StoryCoins::add_draw(const std::vector<Move>& moves) {
  for (const Move& move : moves) add_coin(move.probability.node(), Group::none);
}

std::size_t StoryCoins::add_name(const std::string& name) {
  names_.push_back(name);
  return names_.size() - 1;
}

bool StoryCoins::is_one_coin(const std::vector<Move>& moves) {
  if (moves.size() < 2) return true;
  const Prob &p = moves[0].probability, &q = moves[1].probability;
  return moves.size() == 2 && p.node() == q.node() && p.complemented() != q.complemented();
}

void StoryCoins::add_coin(std::uint32_t id, Group group) {
  if (coin_of_node_.size() <= id) coin_of_node_.resize(id + 1, no_index);
  const ProbGraph::Node& node = probabilities_.node(id);
  if (coin_of_node_[id] == no_index) {
    coin_of_node_[id] = coins_.size();
    Coin& coin = coins_.emplace_back();
    coin.log_p = Prob(probabilities_, id, false).log();
    coin.by_pair = pairs_ && node.table && node.table->node == pairs_->node && node.log[0];
    if (coin.by_pair) coin.log_p = *node.log[0];
  }
  if (node.name.empty() || group == Group::none) return;
  const bool moving = group == Group::moving;
  // Coins with the same name in the same group are mutually exclusive: they belong to different
  // states.
  const std::string full = moving && used_looking(node.name) ? "after." + node.name : node.name;
  auto known = std::find(names_.begin(), names_.end(), full);
  if (known == names_.end()) known = names_.insert(names_.end(), full);
  coins_[coin_of_node_[id]].latent[moving] = static_cast<std::size_t>(known - names_.begin());
}

bool StoryCoins::used_looking(const std::string& name) const {
  return std::any_of(coins_.begin(), coins_.end(), [&](const Coin& coin) {
    return coin.latent[0] != no_index && names_[coin.latent[0]] == name;
  });
}

std::vector<Tensor> StoryCoins::inputs() const {
  std::vector<Tensor> inputs;
  for (const Coin& coin : coins_) inputs.push_back(coin.log_p);
  return inputs;
}

std::vector<Tensor> StoryCoins::inputs_by_document() const {
  std::vector<Tensor> inputs;
  for (const Coin& coin : coins_)
    if (!coin.by_pair) inputs.push_back(coin.log_p);
  return inputs;
}

void StoryCoins::read() {
  for (std::uint32_t id = static_cast<std::uint32_t>(nodes_.size()); id < probabilities_.size();
       ++id)
    nodes_.push_back(&probabilities_.node(id));
  for (Coin& coin : coins_) {
    coin.logs = coin.log_p.float64_values();
    coin.near_p.resize(coin.logs.size());
    std::transform(coin.logs.begin(), coin.logs.end(), coin.near_p.begin(),
                   [](double log) { return static_cast<float>(log); });
    for_each_pack<float>(coin.near_p.size(), [&](std::size_t i, auto... lanes) {
      exp(Pack<float>::load(&coin.near_p[i], lanes...)).store(&coin.near_p[i], lanes...);
    });
  }
}

bool StoryCoins::decide(std::uint32_t id, const Place& place) const {
  const ProbGraph::Node& node = *nodes_[id];
  switch (node.kind) {
    case Kind::always:
      return true;
    case Kind::both: {
      const bool first = happens(node.parts[0], place), second = happens(node.parts[1], place);
      return first && second;
    }
    case Kind::mixture:
      return happens(node.parts[0], place) ? happens(node.parts[1], place)
                                           : happens(node.parts[2], place);
    default:
      break;
  }
  const Coin& coin = coin_of(id);
  const bool heads = coin.shows_heads(place);
  const std::size_t latent = coin.latent[place.group == Group::moving ? 1 : 0];
  if (latent != no_index && !place.latent.empty())
    place.latent[latent].values[place.document] = heads ? 1 : 0;
  return heads;
}

const Move& StoryCoins::pick(const std::vector<Move>& moves, const Place& place) const {
  if (moves.size() == 1) return moves[0];
  if (is_one_coin(moves)) return moves[happens(moves[0].probability, place) ? 0 : 1];
  return moves[draw(moves, place)];
}

std::size_t StoryCoins::draw(const std::vector<Move>& moves, const Place& place) const {
  double left = place.random.uniform();
  for (std::size_t i = 0; i < moves.size(); ++i) {
    const Prob& way = moves[i].probability;
    const double p = coin_of(way.node()).probability(place);
    left -= way.complemented() ? 1 - p : p;
    if (left < 0) return i;
  }
  return moves.size() - 1;
}

}  // namespace ultr
