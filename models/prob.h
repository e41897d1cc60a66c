#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "autograd/tape.h"
#include "layers/logit_layer.h"

namespace ultr {

class ProbGraph;

/// A probability in log space, written like one in a paper:
///
///     p * q            independent and
///     !p               complement
///     p + q            exclusive or: the events cannot both happen
///     mix(w, p, q)     w p + (1-w) q
///     p / q            conditioning: the probability of p given q, where p implies q
///     where(c, p, q)   p where c was observed, else q
///
/// It carries log p and log(1-p), each recorded on the tape when first needed and kept there. From
/// a logit both are exact log-sigmoids, and a complement only swaps them. A handle of 16 bytes; the
/// graph it points to must outlive it.
class Prob {
 public:
  Prob() = default;
  Prob(ProbGraph& graph, std::uint32_t node, bool complemented)
      : graph_(&graph), node_(node), complemented_(complemented) {}

  /// log p: a scalar, or one number a document.
  Tensor log() const;
  /// log(1-p).
  Tensor log_complement() const { return (!*this).log(); }

  ProbGraph& graph() const { return *graph_; }
  std::uint32_t node() const { return node_; }
  bool complemented() const { return complemented_; }
  /// Whether it is known to be 0 or 1 when the story is recorded.
  bool is_never() const;
  bool is_always() const;

  friend Prob operator!(Prob p) { return {*p.graph_, p.node_, !p.complemented_}; }
  friend Prob operator*(Prob p, Prob q);
  friend Prob operator+(Prob p, Prob q);
  friend Prob operator/(Prob p, Prob q);
  friend Prob mix(Prob w, Prob p, Prob q);
  friend Prob where(Mask condition, Prob p, Prob q);

 private:
  ProbGraph* graph_ = nullptr;
  std::uint32_t node_ = 0;
  bool complemented_ = false;
};

Prob mix(Prob w, Prob p, Prob q);
Prob where(Mask condition, Prob p, Prob q);

/// A logit, one a document or one for all; the sum of two is that of an additive model.
class Logit {
 public:
  Logit(ProbGraph& graph, Tensor values) : graph_(&graph), values_(values) {}

  friend Logit operator+(Logit a, Logit b);
  /// The probability with this logit.
  friend Prob sigmoid(Logit x);

 private:
  ProbGraph* graph_;
  Tensor values_;
};

/// The logit of a coin. Throws Error for a probability that was not made from logits.
Logit logit_of(Prob coin);

/// Whose coin it is: a layer's, which may differ with the last click that is assumed.
struct CoinKey {
  const LogitLayer* layer = nullptr;
  bool last_click_matters = false;
  bool assumed = false;  // else it is the observed one
  std::optional<std::size_t> last_click = {};
  std::optional<std::size_t> alternative = {};  // which of the layer's, if it has one a way to go
  friend bool operator==(const CoinKey&, const CoinKey&) = default;
};

/// The probabilities of one recorded story. Sampling walks it; everything else uses Prob.
class ProbGraph {
 public:
  enum class Kind : std::uint8_t {
    always,    // 1
    logit,     // σ(x): a coin with a name
    given,     // e^x, x = log p
    both,      // p q
    either,    // p + q
    mixture,   // w p + (1-w) q
    ratio,     // p / q
    selected,  // where(condition, p, q)
  };
  struct Node {
    Kind kind = Kind::always;
    std::vector<Prob> parts;
    Mask condition;    // of selected, and of a logit that was chosen between x and -x
    std::string name;  // of a logit or one of several ways: the parameter's
    CoinKey key;       // of the same
    Tensor values;     // of a logit or given: logits or log probabilities
    std::optional<Tensor> alternatives;  // of a given one of several ways: the logits of all
    // What its numbers belong to: one for all, one an entry of a table with an index that says
    // whose it is, or (neither) one a document.
    bool scalar = true;
    std::optional<Index> table;
    // Caches, [0] of log p and [1] of log(1-p): one an entry, and repeated for the documents.
    std::optional<Tensor> log[2], document_log[2];
  };

  explicit ProbGraph(Tape& tape) : tape_(tape) {}
  ProbGraph(const ProbGraph&) = delete;
  ProbGraph& operator=(const ProbGraph&) = delete;

  Tape& tape() const { return tape_; }
  Prob always();
  Prob never() { return !always(); }
  /// σ(logits), the coin called `name`.
  Prob from_logits(const Logits& logits, std::string name, const CoinKey& key = {});
  /// The coin that was made with this key before, if any.
  std::optional<Prob> known_coin(const CoinKey& key);
  /// The ways of which one is gone, with the shares softmax(logits); logits: [ways].
  std::vector<Prob> from_alternatives(Tensor logits, const std::string& name,
                                      const LogitLayer& layer);
  /// e^log_p; log_p is a scalar or one number a document, at most 0.
  Prob from_log(Tensor log_p);
  /// The same where log(1-p) is known too, which is more exact near 1.
  Prob from_logs(Tensor log_p, Tensor log_complement);

  const Node& node(std::uint32_t id) const { return nodes_[id]; }

 private:
  friend class Prob;
  friend Prob operator*(Prob p, Prob q);
  friend Prob operator+(Prob p, Prob q);
  friend Prob operator/(Prob p, Prob q);
  friend Prob mix(Prob w, Prob p, Prob q);
  friend Prob where(Mask condition, Prob p, Prob q);

  Prob add(Node node);
  /// The node that was made of the same parts in the same way before, if any: what a story says
  /// twice is computed once.
  std::optional<Prob> known(Kind kind, const std::vector<Prob>& parts, Mask condition);
  /// A node made of parts, in the largest domain they share.
  Prob compound(Kind kind, std::vector<Prob> parts);
  /// log p of a node, or log(1-p), one an entry of its domain.
  Tensor log(std::uint32_t id, bool complement);
  Tensor record_log(std::uint32_t id, bool complement);
  /// The same as a scalar or one number a document.
  Tensor document_log(std::uint32_t id, bool complement);

  Tape& tape_;
  std::deque<Node> nodes_;
  std::optional<Prob> always_;
};

}  // namespace ultr
