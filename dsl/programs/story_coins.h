#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/random.h"
#include "dsl/chain.h"
#include "dsl/programs/latent_variable.h"

namespace ultr {

/// The coins of a story that a simulated user may toss. Events are decided from left to right: a
/// product by its factors, a mixture by its weight first.
class StoryCoins {
 public:
  /// When a coin is tossed: while the user looks at a document, or to decide where to go next.
  enum class Group : std::uint8_t { looking, moving, none };

  /// A toss: at a document of the shard, whose pair of positions (its own and the last click's) is
  /// `pair`. What named coins show is noted in `latent`, unless it is empty.
  struct Place {
    RandomStream& random;
    std::span<LatentVariable> latent;
    std::size_t document, pair = 0;
    Group group = Group::none;
  };

  /// `pairs`: the index of the documents' pairs of positions under the assumed last clicks, if the
  /// story depends on them.
  StoryCoins(ProbGraph& probabilities, std::optional<Index> pairs)
      : probabilities_(probabilities), pairs_(pairs) {}

  /// Registers the coins that deciding an event may toss.
  void add_event(const Prob& event, Group group);
  /// Registers the coins that picking a move may toss.
  void add_moves(const std::vector<Move>& moves);
  /// Registers moves of which one is drawn by their probabilities.
  void add_draw(const std::vector<Move>& moves);
  /// The names of the hidden variables that coins show; "examined" comes first.
  const std::vector<std::string>& names() const { return names_; }
  /// Adds a hidden variable that no coin shows, and returns its index.
  std::size_t add_name(const std::string& name);

  /// The tensors to read, for Tape::require; float64.
  std::vector<Tensor> inputs() const;
  /// Tensors of coins whose probabilities are not known by pair of positions.
  std::vector<Tensor> inputs_by_document() const;
  /// Reads the probabilities after a run.
  void read();

  /// Returns true if the event happens.
  bool happens(const Prob& event, const Place& place) const {
    return decide(event.node(), place) != event.complemented();
  }
  /// Returns the next move.
  const Move& pick(const std::vector<Move>& moves, const Place& place) const;
  /// Draws one of several moves by their probabilities.
  std::size_t draw(const std::vector<Move>& moves, const Place& place) const;

 private:
  static constexpr std::size_t no_index = ~std::size_t{0};

  struct Coin {
    Tensor log_p;
    bool by_pair = false;            // log_p has one number per pair of positions
    std::span<const double> logs{};  // of p after a run: one per document or pair, or one for all
    std::vector<float> near_p{};     // p, approximately
    std::size_t latent[2] = {no_index, no_index};  // by group

    std::size_t entry(const Place& place) const {
      return logs.size() == 1 ? 0 : by_pair ? place.pair : place.document;
    }
    double probability(const Place& place) const;
    bool shows_heads(const Place& place) const;
  };

  static bool is_one_coin(const std::vector<Move>& moves);
  void add_coin(std::uint32_t node, Group group);
  bool used_looking(const std::string& name) const;
  const Coin& coin_of(std::uint32_t node) const { return coins_[coin_of_node_[node]]; }
  bool decide(std::uint32_t node, const Place& place) const;

  ProbGraph& probabilities_;
  std::optional<Index> pairs_;
  std::vector<Coin> coins_;
  std::vector<std::size_t> coin_of_node_;      // index in coins_ by node; no_index: never tossed
  std::vector<const ProbGraph::Node*> nodes_;  // of probabilities_, found faster
  std::vector<std::string> names_ = {"examined"};
};

}  // namespace ultr
