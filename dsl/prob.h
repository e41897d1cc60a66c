#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "autograd/tape/tape.h"
#include "layers/logit_layer.h"

namespace ultr {

class ProbGraph;

/// A probability in log space, written as in a paper:
///
///     p * q            independent and
///     !p               complement
///     p + q            exclusive or: the events cannot both happen
///     mix(w, p, q)     w p + (1-w) q
///     p / q            conditioning: the probability of p given q, where p implies q
///     where(c, p, q)   p where c was observed, else q
///
/// It carries log p and log(1-p). Each is recorded on the tape when first needed and kept there.
/// From a logit both are exact log-sigmoids, and a complement only swaps them. A Prob is a handle
/// of 16 bytes; the graph it points to must outlive it.
class Prob {
 public:
  Prob() = default;
  Prob(ProbGraph& graph, std::uint32_t node, bool complemented)
      : graph_(&graph), node_(node), complemented_(complemented) {}

  /// log p: a scalar, or one number per document.
  Tensor log() const;
  /// log(1-p): a scalar, or one number per document.
  Tensor log_complement() const { return (!*this).log(); }
  /// p: a scalar, or one number per document. Where p is too small for the tape's precision, it is
  /// the smallest normal number: only a probability that `is_never` is 0.
  Tensor value() const;

  ProbGraph& graph() const { return *graph_; }
  std::uint32_t node() const { return node_; }
  bool complemented() const { return complemented_; }
  /// True if the probability is known to be 0 (is_never) or 1 (is_always) when the story is
  /// recorded.
  bool is_never() const;
  bool is_always() const;

  friend Prob operator!(Prob p) { return {*p.graph_, p.node_, !p.complemented_}; }
  friend bool operator==(const Prob&, const Prob&) = default;

 private:
  ProbGraph* graph_ = nullptr;
  std::uint32_t node_ = 0;
  bool complemented_ = false;
};

Prob operator*(Prob p, Prob q);
Prob operator+(Prob p, Prob q);
Prob operator/(Prob p, Prob q);
Prob mix(Prob w, Prob p, Prob q);
Prob where(Mask condition, Prob p, Prob q);

/// A logit: one per document, or one for all. The sum of two is the logit of an additive model.
class Logit {
 public:
  Logit(ProbGraph& graph, Tensor values) : graph_(&graph), values_(values) {}

  Tensor values() const { return values_; }

  friend Logit operator+(Logit a, Logit b);
  /// Returns the probability with this logit, σ(x).
  friend Prob sigmoid(Logit x);

 private:
  ProbGraph* graph_;
  Tensor values_;
};

/// Returns the logit of a coin. Throws Error if the probability was not made from logits.
Logit logit_of(Prob coin);

/// The identity of a coin: its layer and, if its logits depend on the last click, whether that is
/// the observed one or an assumed one.
struct CoinKey {
  const LogitLayer* layer = nullptr;
  bool last_click_matters = false;
  bool last_click_is_assumed = false;
  std::optional<std::size_t> alternative = {};  // for a layer with one logit per alternative
  friend bool operator==(const CoinKey&, const CoinKey&) = default;
};

/// The probabilities of one recorded story. Sampling walks this graph; everything else uses Prob.
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
    std::string name;  // of a logit or an alternative: the parameter's
    CoinKey key;       // of a logit or an alternative
    Tensor values;     // of a logit or given: logits or log probabilities
    std::optional<Tensor> alternatives;  // of an alternative: the logits of all
    // The domain of its numbers: one for all documents (scalar), one per entry of a table with an
    // index that gives each document's entry (table), or else one per document.
    bool scalar = true;
    std::optional<Index> table;
    // Caches, [0] of log p and [1] of log(1-p): one number per entry, and repeated for the
    // documents.
    std::optional<Tensor> log[2], document_log[2];
    std::optional<Tensor> document_value[2];  // p and 1-p
  };

  explicit ProbGraph(Tape& tape) : tape_(tape) {}
  ProbGraph(const ProbGraph&) = delete;
  ProbGraph& operator=(const ProbGraph&) = delete;

  Tape& tape() const { return tape_; }
  Prob always();
  Prob never() { return !always(); }
  /// Returns σ(logits) as the coin called `name`.
  Prob from_logits(const Logits& logits, std::string name, const CoinKey& key = {});
  /// Returns the coin that was made with this key before, if any.
  std::optional<Prob> known_coin(const CoinKey& key);
  /// Returns the probabilities softmax(logits) of mutually exclusive alternatives, of which exactly
  /// one happens; logits: [alternatives].
  std::vector<Prob> from_alternatives(Tensor logits, const std::string& name,
                                      const LogitLayer& layer);
  /// Returns the probability e^log_p; log_p is a scalar or one number per document, at most 0.
  Prob from_log(Tensor log_p);
  /// Returns the probability e^log_p whose log(1-p) is known too, which is more exact near 1.
  Prob from_logs(Tensor log_p, Tensor log_complement);

  const Node& node(std::uint32_t id) const { return nodes_[id]; }
  std::uint32_t size() const { return static_cast<std::uint32_t>(nodes_.size()); }

  // For the operators of Prob.

  Prob add(Node node);
  /// Returns the node that was made of the same parts in the same way before, if any, so that an
  /// expression repeated in a story is computed once.
  std::optional<Prob> known(Kind kind, const std::vector<Prob>& parts, Mask condition);
  /// Adds a node made of parts. It stays per table entry if all parts do.
  Prob compound(Kind kind, std::vector<Prob> parts);
  /// Returns log p of a node, or log(1-p): a scalar or one number per document.
  Tensor document_log(std::uint32_t id, bool complement);
  /// Returns p of a node, or 1-p: see Prob::value.
  Tensor document_value(std::uint32_t id, bool complement);

 private:
  /// Returns log p of a node, or log(1-p): one number per entry of its domain.
  Tensor log(std::uint32_t id, bool complement);
  Tensor record_log(std::uint32_t id, bool complement);
  /// Returns log p of a selected node, or log(1-p), if it says whether a coin showed heads, or two
  /// coins both did: one op takes half the logarithms of a choice between two. Returns nothing if
  /// it does not.
  std::optional<Tensor> record_outcome(const Node& selected, bool complement);

  Tape& tape_;
  std::deque<Node> nodes_;
  std::optional<Prob> always_;
};

}  // namespace ultr
