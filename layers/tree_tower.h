#pragma once

#include <algorithm>
#include <atomic>
#include <map>
#include <mutex>

#include "layers/logit_layer.h"
#include "layers/regression_tree.h"

namespace ultr {

/// Options of `boosted_trees`.
struct TreeTowerOptions final : LayerOptions {
  std::int64_t rounds = 100;
  std::int64_t leaves = 31;
  std::int64_t depth = 0;
  double learning_rate = 0.1;
  double min_child_weight = 1;
  double lambda = 1;
  double min_gain = 0;
  double subsample = 1;
  double columns = 1;
  std::int64_t bins = 256;
  std::vector<std::int64_t> monotone;
  std::vector<std::int64_t> categorical;
  std::int64_t categories = 64;
  bool regrow = false;

  void fields(Fields& f) override;
  /// Maximum number of nodes per tree. Throws ConfigError, naming the parameter, unless leaves or
  /// depth limit trees to 2^20 leaves.
  std::int64_t nodes_per_tree(const std::string& parameter) const;
  /// Returns true if a feature, 0-based, is categorical.
  bool is_categorical(std::int64_t feature) const {
    return std::ranges::find(categorical, feature + 1) != categorical.end();
  }
  std::unique_ptr<LogitLayer> build(const LayerSetting& setting) const override;
};

/// Gradient-boosted regression trees over the features of documents: the logit is the start plus
/// one leaf value per tree, summed in float32 in the order of the trees. Gradients do not reach
/// trees. Training grows one more tree per epoch on the slopes of the loss in the logits (see
/// BoostingFitter).
///
/// The trees are numbers of one parameter, `name`.trees, so that whatever copies, saves and
/// restores parameters does so with trees:
///
///     row 0            initial logit, number of trees, checksum of the trees (two numbers), 1 if
///                      they are grown anew
///     each tree        a row with the number of its nodes, then one row per node: feature (-1: a
///                      leaf), threshold or leaf value, left and right child, 1 if missing values
///                      go left, gain, cover, weight; if features are categorical, bits of the
///                      categories that go right, 24 per number; room for as many nodes as a tree
///                      may have
class TreeTower final : public LogitLayer, public FeatureScorer {
 public:
  /// Throws ConfigError unless there is one logit per document and documents have features.
  TreeTower(const TreeTowerOptions& options, const LayerSetting& setting);

  Logits logits(const Inputs& inputs) const override { return {inputs.scores(*this), {}}; }
  std::vector<Parameter*> parameters() override { return {&table_}; }
  void shift(float by) override;
  std::optional<std::vector<EmbeddingTable*>> tables_by_entry() override {
    return std::vector<EmbeddingTable*>();
  }
  std::optional<GraphValue> graph(GraphBuilder& build, GraphValue features) const override {
    return build.trees(features, trees(), start());
  }
  /// Keeps the scores of rows while the features live: further trees then cost one look-up each.
  void score(const ParameterView& features, const std::shared_ptr<const void>& owner,
             std::span<const std::uint32_t> rows, std::span<float> scores) const override;

  const std::string& name() const { return name_; }
  const TreeTowerOptions& options() const { return options_; }
  std::int64_t features() const { return features_; }
  /// The initial logit, from which the sum of the leaves starts.
  float start() const { return table_.value(0); }
  /// The trees. Throws DataError if the parameter does not hold trees.
  const std::vector<RegressionTree>& trees() const;
  /// Adds a tree. No other thread may use the tower meanwhile. Throws Error if there is no room for
  /// the tree or a node is not in order.
  void add(const RegressionTree& tree);
  /// Removes all trees, and notes that those to come are grown anew. No other thread may use the
  /// tower meanwhile.
  void clear_to_regrow();
  /// Returns true after clear_to_regrow.
  bool is_regrown() const;

 private:
  /// The scores of the rows of one table. A cell has the number of trees that are summed, plus 1,
  /// in its upper half, and the bits of the score in its lower half; 0: unknown.
  struct KeptScores {
    KeptScores(std::int64_t rows, std::weak_ptr<const void> its_owner, std::uint64_t its_generation)
        : owner(std::move(its_owner)),
          generation(its_generation),
          cells(static_cast<std::size_t>(rows)) {}
    std::weak_ptr<const void> owner;
    std::uint64_t generation;
    std::vector<std::atomic<std::uint64_t>> cells;
  };

  std::int64_t row_of(std::size_t tree) const {
    return 1 + static_cast<std::int64_t>(tree) * (1 + nodes_per_tree_);
  }
  /// Reads trees_ from the parameter unless they are those of the parameter already.
  void read_trees() const;
  RegressionTree read_tree(std::size_t number) const;
  /// Returns the row of a node.
  std::vector<float> numbers_of(const TreeNode& node) const;
  std::uint64_t checksum_with(std::uint64_t before, const RegressionTree& tree) const;
  /// Throws Error unless features and children of all nodes exist and parents come first.
  void check(const RegressionTree& tree) const;
  std::shared_ptr<KeptScores> kept_scores(const ParameterView& features,
                                          const std::shared_ptr<const void>& owner) const;

  std::string name_;
  TreeTowerOptions options_;
  std::int64_t features_, nodes_per_tree_;
  StructureParameter table_;

  mutable std::mutex mutex_;  // protects what follows while it changes
  mutable std::vector<RegressionTree> trees_;
  mutable std::vector<std::uint64_t> checksums_;  // of the start and the trees up to each
  mutable std::uint64_t generation_ = 0;          // changes unless trees are only added
  mutable std::map<const void*, std::shared_ptr<KeptScores>> kept_;  // by the first feature
};

}  // namespace ultr
