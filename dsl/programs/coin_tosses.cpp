#include "dsl/programs/coin_tosses.h"

#include <algorithm>
#include <map>

#include "autograd/ops/arithmetic.h"
#include "autograd/ops/gather.h"
#include "autograd/ops/reductions.h"
#include "autograd/ops/select.h"
#include "autograd/ops/slice.h"
#include "options/config_tree.h"

namespace ultr {
namespace {

using Kind = ProbGraph::Kind;

/// The number of times that deciding an event tosses each coin, by the coin's node.
using Tosses = std::map<std::uint32_t, int>;

void add(Tosses& sum, const Tosses& other) {
  for (const auto& [coin, times] : other) sum[coin] += times;
}

/// Combines branches that exclude each other: the most tosses of each coin.
void widen(Tosses& most, const Tosses& other) {
  for (const auto& [coin, times] : other) most[coin] = std::max(most[coin], times);
}

Tosses tosses_of(const Prob& event) {
  const ProbGraph::Node& node = event.graph().node(event.node());
  const auto part = [&](std::size_t i) { return tosses_of(node.parts[i]); };
  switch (node.kind) {
    case Kind::always:
      return {};
    case Kind::logit:
      if (node.key.layer == nullptr)
        throw ConfigError(
            "the model adds logits up; expected probabilities that are single parameters, "
            "multiplied "
            "and mixed");
      return {{event.node(), 1}};
    case Kind::given:
      if (node.alternatives) return {{event.node(), 1}};
      break;
    case Kind::both: {
      Tosses all = part(0);
      add(all, part(1));
      return all;
    }
    case Kind::mixture: {
      Tosses all = part(1);
      widen(all, part(2));
      add(all, part(0));
      return all;
    }
    case Kind::either: {
      Tosses all = part(0);
      widen(all, part(1));
      return all;
    }
    default:
      break;
  }
  throw ConfigError(
      "the model has a probability that no coins decide; expected parameters, multiplied and "
      "mixed");
}

Tosses tosses_of(const std::vector<Move>& moves) {
  Tosses all;
  for (const Move& move : moves) widen(all, tosses_of(move.probability));
  return all;
}

/// Returns a coin's logit, one per document.
Tensor document_logit(const Prob& coin, const Session& session) {
  const ProbGraph::Node& node = coin.graph().node(coin.node());
  if (node.table) return take(node.values, *node.table);
  return node.scalar ? repeat(node.values, session.inputs().documents()) : node.values;
}

/// Returns Σ over sessions of the logits of the alternatives of which each session follows one.
Tensor start_logits(const Chain& chain, const Session& session) {
  Tensor sum = session.tape().constant(0);
  std::vector<NodeId> seen;
  for (const Move& start : chain.start)
    for (const auto& [way, times] : tosses_of(start.probability)) {
      const Tensor logits = *session.probabilities().node(way).alternatives;
      if (std::find(seen.begin(), seen.end(), logits.node()) != seen.end()) continue;
      seen.push_back(logits.node());
      const Tensor together = logits.shape().single() ? logits : ultr::sum(logits);
      sum = sum + session.inputs().sum_over_sessions(repeat(together, session.inputs().sessions()));
    }
  return sum;
}

}  // namespace

Tensor tossed_logits(const ClickModel& model, const Session& session) {
  if (!model.maximises_likelihood())
    throw ConfigError("the model is tempered, so training does not maximise a likelihood");
  const Chain chain = model.chain(session);
  Tosses looking, after_click, after_skip;
  for (const State& state : chain.states) {
    Tosses here = tosses_of(state.examination);
    if (!state.examination.is_never()) add(here, tosses_of(state.attraction));
    widen(looking, here);
    widen(after_click, tosses_of(state.after_click));
    widen(after_skip, tosses_of(state.after_skip));
  }
  Tosses all = looking;
  add(all, after_click);
  add(all, after_skip);

  ShardInputs& inputs = session.inputs();
  Tensor sum = start_logits(chain, session);
  for (const auto& [node, times] : all) {
    const Tensor x = document_logit(Prob(session.probabilities(), node, false), session);
    if (const int count = looking[node]; count > 0)
      sum = sum + inputs.sum_over_documents(x) * count;
    const int clicked = after_click[node], skipped = after_skip[node];
    if (clicked == 0 && skipped == 0) continue;
    const Tensor moving = where(inputs.clicked(), x * clicked, x * skipped);
    sum = sum + inputs.sum_over_documents(where(inputs.continues(), moving, 0));
  }
  return sum;
}

CompleteData complete_data(const ClickModel& model, const Session& session) {
  const auto* cascade = dynamic_cast<const CascadeModel*>(&model);
  if (cascade == nullptr)
    throw ConfigError("the model is not a cascade, so its hidden coins cannot be counted");
  const Cascade story = cascade->story(session);
  const auto is_coin = [](const Prob& p) {
    const ProbGraph::Node& node = p.graph().node(p.node());
    return node.kind == Kind::logit && node.key.layer != nullptr;
  };
  if (!story.after_skip.is_always() || !is_coin(story.after_click) || !is_coin(story.attraction))
    throw ConfigError(
        "the model hides coins even if sessions end with their last click; expected a cascade that "
        "always goes on after a skip and tosses one coin after a click, as sdbn and dcm");

  ShardInputs& inputs = session.inputs();
  const Prob attraction = story.attraction, go_on = story.after_click;
  const Tensor looked = where(inputs.clicked(), attraction, !attraction).log();
  const Tensor moved = where(inputs.last_click(), !go_on, go_on).log();
  const auto looked_sum = [&](Tensor x) {
    return inputs.sum_over_documents(where(inputs.until_last_click(), x, 0));
  };
  const auto clicked_sum = [&](Tensor x) {
    return inputs.sum_over_documents(where(inputs.clicked(), x, 0));
  };
  return {.log_likelihood = looked_sum(looked) + clicked_sum(moved),
          .tossed_logits = looked_sum(document_logit(attraction, session)) +
                           clicked_sum(document_logit(go_on, session))};
}

}  // namespace ultr
