#include "dsl/prob.h"

#include <algorithm>
#include <cmath>

#include "autograd/ops/arithmetic.h"
#include "autograd/ops/gather.h"
#include "autograd/ops/logspace.h"
#include "autograd/ops/outcomes.h"
#include "autograd/ops/reductions.h"
#include "autograd/ops/select.h"
#include "autograd/ops/slice.h"
#include "base/error.h"

namespace ultr {
namespace {

using Kind = ProbGraph::Kind;

}  // namespace

// Handles ----------------------------------------------------------------------------------------

Tensor Prob::log() const { return graph_->document_log(node_, complemented_); }

Tensor Prob::value() const { return graph_->document_value(node_, complemented_); }

bool Prob::is_always() const { return graph_->node(node_).kind == Kind::always && !complemented_; }

bool Prob::is_never() const { return graph_->node(node_).kind == Kind::always && complemented_; }

// Constants are folded here, so that a story may use them freely: the cascade model's "never goes
// on" costs nothing.

Prob operator*(Prob p, Prob q) {
  if (p.is_always() || q.is_never()) return q;
  if (q.is_always() || p.is_never()) return p;
  return p.graph().compound(Kind::both, {p, q});
}

Prob operator+(Prob p, Prob q) {
  if (p.is_never() || q.is_always()) return q;
  if (q.is_never() || p.is_always()) return p;
  return p.graph().compound(Kind::either, {p, q});
}

Prob operator/(Prob p, Prob q) {
  if (q.is_always() || p.is_never()) return p;
  return p.graph().compound(Kind::ratio, {p, q});
}

Prob mix(Prob w, Prob p, Prob q) {
  if (w.is_always()) return p;
  if (w.is_never()) return q;
  if (p == q) return p;
  if (p.is_never()) return !w * q;
  if (q.is_never()) return w * p;
  if (p.is_always()) return !(!w * !q);
  if (q.is_always()) return !(w * !p);
  return p.graph().compound(Kind::mixture, {w, p, q});
}

Prob where(Mask condition, Prob p, Prob q) {
  ProbGraph& graph = p.graph();
  if (p == q) return p;
  ProbGraph::Node chosen;
  chosen.kind = Kind::selected;
  chosen.parts = {p, q};
  chosen.condition = condition;
  chosen.scalar = false;
  if (const auto known = graph.known(chosen.kind, chosen.parts, condition)) return *known;
  return graph.add(std::move(chosen));
}

// Graph ------------------------------------------------------------------------------------------

Logit operator+(Logit a, Logit b) { return {*a.graph_, a.values_ + b.values_}; }

Prob sigmoid(Logit x) { return x.graph_->from_logits({x.values_, std::nullopt}, ""); }

Logit logit_of(Prob coin) {
  const ProbGraph::Node& node = coin.graph().node(coin.node());
  if (node.kind != Kind::logit) throw Error("logit_of: the probability is not a coin of logits");
  const Tensor values = node.table ? take(node.values, *node.table) : node.values;
  return {coin.graph(), coin.complemented() ? -values : values};
}

Prob ProbGraph::add(Node node) {
  nodes_.push_back(std::move(node));
  return {*this, static_cast<std::uint32_t>(nodes_.size() - 1), false};
}

std::optional<Prob> ProbGraph::known(Kind kind, const std::vector<Prob>& parts, Mask condition) {
  for (std::uint32_t id = 0; id < nodes_.size(); ++id) {
    const Node& node = nodes_[id];
    if (node.kind == kind && !node.parts.empty() && node.condition == condition &&
        node.parts == parts)
      return Prob(*this, id, false);
  }
  return std::nullopt;
}

Prob ProbGraph::always() {
  if (!always_) always_ = add({});
  return *always_;
}

Prob ProbGraph::from_logits(const Logits& logits, std::string name, const CoinKey& key) {
  Node node;
  node.key = key;
  node.kind = Kind::logit;
  node.name = std::move(name);
  node.values = logits.values;
  node.table = logits.per_document;
  node.scalar = !node.table && logits.values.shape().single();
  return add(std::move(node));
}

std::vector<Prob> ProbGraph::from_alternatives(Tensor logits, const std::string& name,
                                               const LogitLayer& layer) {
  const Tensor shares = log_softmax(logits);
  std::vector<Prob> ways;
  for (std::int64_t way = 0; way < logits.shape().capacity(); ++way) {
    Node node;
    node.kind = Kind::given;
    node.key.layer = &layer;
    node.key.alternative = static_cast<std::size_t>(way);
    node.name = name;
    node.values = shares.shape().single() ? shares : slice(shares, {way, 1});
    node.alternatives = logits;
    ways.push_back(add(std::move(node)));
  }
  return ways;
}

std::optional<Prob> ProbGraph::known_coin(const CoinKey& key) {
  for (std::uint32_t id = 0; id < nodes_.size(); ++id)
    if (nodes_[id].key.layer != nullptr && nodes_[id].key == key) return Prob(*this, id, false);
  return std::nullopt;
}

Prob ProbGraph::from_log(Tensor log_p) {
  Node node;
  node.kind = Kind::given;
  node.values = log_p;
  node.scalar = log_p.shape().single();
  return add(std::move(node));
}

Prob ProbGraph::from_logs(Tensor log_p, Tensor log_complement) {
  const Prob p = from_log(log_p);
  nodes_[p.node()].log[true] = log_complement;
  return p;
}

Prob ProbGraph::compound(Kind kind, std::vector<Prob> parts) {
  if (const auto same = known(kind, parts, {})) return *same;
  Node node;
  node.kind = kind;
  bool shared = true;  // all parts are scalars or entries of one table
  for (const Prob& part : parts) {
    const Node& from = nodes_[part.node()];
    if (from.scalar) continue;
    node.scalar = false;
    if (!from.table || (node.table && node.table->node != from.table->node)) shared = false;
    if (from.table) node.table = from.table;
  }
  if (!shared) node.table.reset();
  node.parts = std::move(parts);
  return add(std::move(node));
}

Tensor ProbGraph::log(std::uint32_t id, bool complement) {
  auto& log_p = nodes_[id].log[complement];
  if (!log_p) log_p = record_log(id, complement);
  return *log_p;
}

Tensor ProbGraph::document_log(std::uint32_t id, bool complement) {
  Node& node = nodes_[id];
  if (!node.table) return log(id, complement);
  auto& log_p = node.document_log[complement];
  if (!log_p) log_p = take(log(id, complement), *node.table);
  return *log_p;
}

std::optional<Tensor> ProbGraph::record_outcome(const Node& selected, bool complement) {
  const Prob p = selected.parts[0];
  const Node& outcome = nodes_[p.node()];
  if (outcome.scalar || outcome.table || selected.parts[1] != !p) return std::nullopt;
  const bool fails = p.complemented() != complement;  // where the condition holds
  if (outcome.kind == Kind::logit)
    return log_outcome(selected.condition, fails ? -outcome.values : outcome.values);
  if (outcome.kind != Kind::both || fails) return std::nullopt;
  for (const Prob& coin : outcome.parts)
    if (nodes_[coin.node()].kind != Kind::logit) return std::nullopt;
  const auto logits = [](Prob coin) { return logit_of(coin).values(); };
  return log_both(selected.condition, logits(outcome.parts[0]), logits(outcome.parts[1]));
}

Tensor ProbGraph::record_log(std::uint32_t id, bool complement) {
  const Node& node = nodes_[id];
  const auto part = [&](std::size_t i, bool other = false) {
    const Prob& p = node.parts[i];
    const bool complemented = p.complemented() != other;
    return node.table ? log(p.node(), complemented) : document_log(p.node(), complemented);
  };
  switch (node.kind) {
    case Kind::always:
      return tape_.constant(complement ? -HUGE_VAL : 0);
    case Kind::logit:
      return complement ? log_one_minus_sigmoid(node.values) : log_sigmoid(node.values);
    case Kind::mixture:
      return logaddexp(part(0) + part(1, complement), part(0, true) + part(2, complement));
    case Kind::selected:
      if (const auto log_p = record_outcome(node, complement)) return *log_p;
      return where(node.condition, part(0, complement), part(1, complement));
    default:
      break;
  }
  if (complement) {
    const Tensor log_p = log(id, false);
    if (node.kind == Kind::both) return log1mexp(log_p);
    // Rounding may put the log of a sum or a quotient slightly above 0, where log(1-p) is
    // undefined.
    return log1mexp(clamp(log_p, -HUGE_VAL, 0));
  }
  switch (node.kind) {
    case Kind::both:
      return part(0) + part(1);
    case Kind::either:
      return logaddexp(part(0), part(1));
    case Kind::ratio:
      return part(0) - part(1);
    default:
      return node.values;  // given
  }
}

}  // namespace ultr
