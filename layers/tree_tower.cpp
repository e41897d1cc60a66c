#include "layers/tree_tower.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <utility>

#include <fmt/core.h>

#include "base/available_memory.h"
#include "base/error.h"
#include "options/config_tree.h"

namespace ultr {
namespace {

enum Head : std::size_t { head_start, head_trees, head_low, head_high, head_regrown };
enum NodeColumn : std::size_t {
  node_feature,
  node_value,
  node_left,
  node_right,
  node_missing_left,
  node_gain,
  node_cover,
  node_weight,
  node_columns
};

/// Numbers up to 2^24 are exact in float32.
constexpr std::int64_t most_exact = std::int64_t{1} << 24;

std::uint64_t checksum_after(std::uint64_t before, float number) {
  return (before ^ std::bit_cast<std::uint32_t>(number)) * 0x9E3779B97F4A7C15u ^ before >> 29;
}

float low_part(std::uint64_t checksum) { return static_cast<float>(checksum >> 16 & 0xffffff); }
float high_part(std::uint64_t checksum) { return static_cast<float>(checksum >> 40); }

// Categories are bits of numbers that are exact in float32.
constexpr std::uint32_t bits_per_number = 24;

/// Returns the columns of a node's row.
std::int64_t columns_of(const TreeTowerOptions& options) {
  const auto columns = static_cast<std::int64_t>(node_columns);
  if (options.categorical.empty()) return columns;
  return columns + (options.categories + bits_per_number - 1) / bits_per_number;
}

/// Returns true if a number of a file can be a node or a feature, or bits of categories.
bool is_whole(float x) {
  return x >= 0 && x < static_cast<float>(most_exact) && x == std::floor(x);
}

Categories categories_of(std::span<const float> numbers) {
  Categories categories;
  for (std::size_t i = 0; i < numbers.size(); ++i)
    for (std::uint32_t bit = 0; bit < bits_per_number; ++bit)
      if ((static_cast<std::uint32_t>(numbers[i]) >> bit & 1) != 0)
        categories.push_back(static_cast<std::uint32_t>(i) * bits_per_number + bit);
  return categories;
}

/// The number of rows that walk down a tree together.
constexpr std::size_t rows_together = 32;

/// The score of a row of features, up to a number of trees.
struct PartialScore {
  std::size_t place;  // in the results
  const float* features;
  std::uint32_t trees;
  float score;
};

/// Adds the leaf values of all further trees to at most rows_together scores, tree by tree. Each
/// tree is walked down for all of them together, so that their features are loaded from memory at
/// the same time.
void add_leaves(const std::vector<RegressionTree>& trees, std::span<PartialScore> scores) {
  std::size_t first = trees.size();
  for (const PartialScore& score : scores) first = std::min(first, std::size_t{score.trees});
  std::array<std::uint32_t, rows_together> at{};
  for (std::size_t t = first; t < trees.size(); ++t) {
    const RegressionTree& tree = trees[t];
    at.fill(0);
    for (bool walking = true; walking;) {
      walking = false;
      for (std::size_t i = 0; i < scores.size(); ++i) {
        const TreeNode& node = tree[at[i]];
        if (node.is_leaf()) continue;
        at[i] = node.goes_left(scores[i].features[node.feature]) ? node.left : node.right;
        walking = true;
      }
    }
    for (std::size_t i = 0; i < scores.size(); ++i)
      if (scores[i].trees <= t) {
        scores[i].score += tree[at[i]].value;
        scores[i].trees = static_cast<std::uint32_t>(t + 1);
      }
  }
}

/// Returns the setting. Throws ConfigError if trees cannot be grown for it.
const LayerSetting& checked(const LayerSetting& setting) {
  if (setting.domain != Domain::document)
    throw ConfigError(
        fmt::format("{}: 'boosted_trees' computes one logit per document; expected another layer "
                    "for one per {}",
                    setting.name, to_string(setting.domain)));
  if (setting.features == 0)
    throw ConfigError(fmt::format("{}: 'boosted_trees' needs features, which the data do not have",
                                  setting.name));
  if (setting.features > most_exact)
    throw ConfigError(fmt::format("{}: 'boosted_trees' over {} features; expected at most {}",
                                  setting.name, setting.features, most_exact));
  return setting;
}

}  // namespace

void TreeTowerOptions::fields(Fields& f) {
  LayerOptions::fields(f);
  f.integer("rounds", rounds, "Maximum number of trees; each epoch grows one.", between(1, 1e5));
  f.integer("leaves", leaves,
            "Maximum leaves per tree, of which the best is split next; 0: only depth limits trees.",
            between(0, 1 << 20));
  f.integer("depth", depth, "Maximum depth of a tree; 0: only leaves limit trees.", between(0, 64));
  f.number("learning_rate", learning_rate, "Factor applied to the leaf values of each tree.",
           {.low = 0, .high = 1, .low_open = true});
  f.number("min_child_weight", min_child_weight,
           "Minimum sum of second derivatives in a leaf, over all sessions.", at_least(0));
  f.number("lambda", lambda, "L2 penalty of leaf values.", at_least(0));
  f.number("min_gain", min_gain, "Minimum reduction of the loss that a split must bring.",
           at_least(0));
  f.number("subsample", subsample,
           "Fraction of the query-document pairs that each tree is grown on.",
           {.low = 0, .high = 1, .low_open = true});
  f.number("columns", columns, "Fraction of the features that each tree may split on.",
           {.low = 0, .high = 1, .low_open = true});
  f.integer("bins", bins, "Maximum number of thresholds per feature.", between(2, 65536));
  f.integers(
      "monotone", monotone,
      "Numbers of features, from 1, in which scores must not fall, or, if negative, must not "
      "rise.",
      between(-1e7, 1e7));
  f.integers("categorical", categorical,
             "Numbers of features, from 1, that are categories: whole numbers from 0, without an "
             "order.",
             between(1, 1e7));
  f.integer("categories", categories,
            "Maximum number of categories of a feature; larger numbers are errors.",
            between(2, 65536));
  f.boolean("regrow", regrow,
            "Grow all trees twice, the second time with the other parameters as learned beside the "
            "first trees.");
}

std::int64_t TreeTowerOptions::nodes_per_tree(const std::string& parameter) const {
  constexpr std::int64_t most_leaves = std::int64_t{1} << 20, most_depth = 20;
  if (leaves == 1 || (leaves == 0 && (depth == 0 || depth > most_depth)))
    throw ConfigError(fmt::format(
        "{}: leaves is {} and depth is {}; expected at least 2 leaves, or a depth of 1 to {}",
        parameter, leaves, depth, most_depth));
  std::int64_t most = leaves > 0 ? leaves : most_leaves;
  if (depth > 0 && depth <= most_depth) most = std::min(most, std::int64_t{1} << depth);
  return 2 * most - 1;
}

std::unique_ptr<LogitLayer> TreeTowerOptions::build(const LayerSetting& setting) const {
  const auto rows = static_cast<std::size_t>(rounds * (1 + nodes_per_tree(setting.name)));
  expect_memory(rows * static_cast<std::size_t>(columns_of(*this)) * sizeof(float),
                fmt::format("{}, {} trees", setting.name, rounds));
  return std::make_unique<TreeTower>(*this, setting);
}

TreeTower::TreeTower(const TreeTowerOptions& options, const LayerSetting& setting)
    : name_(checked(setting).name),
      options_(options),
      features_(setting.features),
      nodes_per_tree_(options.nodes_per_tree(name_)),
      table_(name_ + ".trees", 1 + options.rounds * (1 + nodes_per_tree_), columns_of(options)) {
  shift(static_cast<float>(setting.start));
}

void TreeTower::shift(float by) {
  trees();
  table_.value(0) += by;
  std::uint64_t checksum = checksum_after(0, start());
  for (const RegressionTree& tree : trees_) checksum = checksum_with(checksum, tree);
  table_.row(0)[head_low] = low_part(checksum);
  table_.row(0)[head_high] = high_part(checksum);
}

std::vector<float> TreeTower::numbers_of(const TreeNode& node) const {
  std::vector<float> numbers = {static_cast<float>(node.feature),
                                node.value,
                                static_cast<float>(node.left),
                                static_cast<float>(node.right),
                                node.missing_left ? 1.0f : 0.0f,
                                node.gain,
                                node.cover,
                                node.weight};
  numbers.resize(static_cast<std::size_t>(table_.columns()));
  if (node.categories == nullptr) return numbers;
  for (const std::uint32_t category : *node.categories)
    numbers[node_columns + category / bits_per_number] +=
        static_cast<float>(std::uint32_t{1} << category % bits_per_number);
  return numbers;
}

std::uint64_t TreeTower::checksum_with(std::uint64_t before, const RegressionTree& tree) const {
  for (const TreeNode& node : tree)
    for (const float number : numbers_of(node)) before = checksum_after(before, number);
  return before;
}

RegressionTree TreeTower::read_tree(std::size_t number) const {
  const std::int64_t head = row_of(number);
  const float nodes = table_.value(head);
  if (!(nodes >= 1 && nodes <= static_cast<float>(nodes_per_tree_)))
    throw DataError(fmt::format("{}: tree {} has {} nodes; expected 1 to {}", table_.name(), number,
                                nodes, nodes_per_tree_));
  RegressionTree tree(static_cast<std::size_t>(nodes));
  for (std::size_t i = 0; i < tree.size(); ++i) {
    const auto row = table_.row(head + 1 + static_cast<std::int64_t>(i));
    const bool leaf = row[node_feature] < 0;
    const auto its_categories = row.subspan(node_columns);
    if (!leaf && !(is_whole(row[node_feature]) && is_whole(row[node_left]) &&
                   is_whole(row[node_right]) && std::ranges::all_of(its_categories, is_whole)))
      throw DataError(fmt::format("{}: node {} of tree {} is no node", table_.name(), i, number));
    tree[i] = {.feature = leaf ? -1 : static_cast<std::int32_t>(row[node_feature]),
               .value = row[node_value],
               .left = leaf ? 0 : static_cast<std::uint32_t>(row[node_left]),
               .right = leaf ? 0 : static_cast<std::uint32_t>(row[node_right]),
               .missing_left = row[node_missing_left] != 0,
               .gain = row[node_gain],
               .cover = row[node_cover],
               .weight = row[node_weight]};
    if (!leaf && options_.is_categorical(tree[i].feature))
      tree[i].categories = std::make_shared<const Categories>(categories_of(its_categories));
  }
  check(tree);
  return tree;
}

void TreeTower::check(const RegressionTree& tree) const {
  for (std::size_t i = 0; i < tree.size(); ++i) {
    const TreeNode& node = tree[i];
    if (node.is_leaf()) continue;
    if (node.feature >= features_ || std::min(node.left, node.right) <= i ||
        std::max(node.left, node.right) >= tree.size())
      throw DataError(fmt::format(
          "{}: a node splits on feature {} with children {} and {}; expected a feature below {} "
          "and "
          "children from {} to {}",
          table_.name(), node.feature, node.left, node.right, features_, i + 1, tree.size() - 1));
    const bool categorical = options_.is_categorical(node.feature);
    if (categorical != (node.categories != nullptr) ||
        (categorical && !node.categories->empty() &&
         node.categories->back() >= static_cast<std::uint32_t>(options_.categories)))
      throw DataError(fmt::format(
          "{}: a node splits on feature {} by {}; expected {}", table_.name(), node.feature,
          node.categories == nullptr ? "a threshold" : "categories",
          categorical ? fmt::format("categories below {}", options_.categories) : "a threshold"));
  }
}

void TreeTower::read_trees() const {
  const auto head = table_.row(0);
  const std::uint64_t known =
      checksums_.empty() ? checksum_after(0, head[head_start]) : checksums_.back();
  const bool same_start =
      checksums_.empty() || checksums_.front() == checksum_after(0, head[head_start]);
  if (!checksums_.empty() && same_start && head[head_trees] == static_cast<float>(trees_.size()) &&
      head[head_low] == low_part(known) && head[head_high] == high_part(known))
    return;
  if (!(head[head_trees] >= 0 && head[head_trees] <= static_cast<float>(options_.rounds)))
    throw DataError(fmt::format("{}: has {} trees; expected at most {}", table_.name(),
                                head[head_trees], options_.rounds));
  std::vector<RegressionTree> trees;
  std::vector<std::uint64_t> checksums = {checksum_after(0, head[head_start])};
  for (std::size_t t = 0; t < static_cast<std::size_t>(head[head_trees]); ++t) {
    trees.push_back(read_tree(t));
    checksums.push_back(checksum_with(checksums.back(), trees.back()));
  }
  const bool only_more = checksums.size() >= checksums_.size() &&
                         std::equal(checksums_.begin(), checksums_.end(), checksums.begin());
  if (!only_more) ++generation_;
  trees_ = std::move(trees);
  checksums_ = std::move(checksums);
}

const std::vector<RegressionTree>& TreeTower::trees() const {
  const std::lock_guard lock(mutex_);
  read_trees();
  return trees_;
}

void TreeTower::add(const RegressionTree& tree) {
  const std::lock_guard lock(mutex_);
  read_trees();
  if (trees_.size() == static_cast<std::size_t>(options_.rounds) || tree.empty() ||
      tree.size() > static_cast<std::size_t>(nodes_per_tree_))
    throw Error(fmt::format("{}: tree {} has {} nodes; expected at most {} trees of 1 to {}",
                            table_.name(), trees_.size() + 1, tree.size(), options_.rounds,
                            nodes_per_tree_));
  check(tree);
  const std::int64_t head = row_of(trees_.size());
  table_.value(head) = static_cast<float>(tree.size());
  for (std::size_t i = 0; i < tree.size(); ++i)
    std::ranges::copy(numbers_of(tree[i]),
                      table_.row(head + 1 + static_cast<std::int64_t>(i)).begin());
  trees_.push_back(tree);
  checksums_.push_back(checksum_with(checksums_.back(), tree));
  table_.row(0)[head_trees] = static_cast<float>(trees_.size());
  table_.row(0)[head_low] = low_part(checksums_.back());
  table_.row(0)[head_high] = high_part(checksums_.back());
}

void TreeTower::clear_to_regrow() {
  const std::uint64_t checksum = checksum_after(0, start());
  const auto head = table_.row(0);
  head[head_trees] = 0;
  head[head_low] = low_part(checksum);
  head[head_high] = high_part(checksum);
  head[head_regrown] = 1;
}

bool TreeTower::is_regrown() const { return table_.row(0)[head_regrown] != 0; }

std::shared_ptr<TreeTower::KeptScores> TreeTower::kept_scores(
    const ParameterView& features, const std::shared_ptr<const void>& owner) const {
  const std::lock_guard lock(mutex_);
  read_trees();
  std::shared_ptr<KeptScores>& kept = kept_[features.values];
  const bool usable = kept && kept->generation == generation_ && !kept->owner.expired() &&
                      kept->cells.size() == static_cast<std::size_t>(features.rows);
  if (usable) return kept;
  kept = std::make_shared<KeptScores>(features.rows, owner, generation_);
  std::shared_ptr<KeptScores> result = kept;
  std::erase_if(kept_, [](const auto& entry) { return entry.second->owner.expired(); });
  return result;
}

void TreeTower::score(const ParameterView& features, const std::shared_ptr<const void>& owner,
                      std::span<const std::uint32_t> rows, std::span<float> scores) const {
  const std::shared_ptr<KeptScores> kept = kept_scores(features, owner);
  const auto* const values = static_cast<const float*>(features.values);
  const auto all = static_cast<std::uint32_t>(trees_.size());
  constexpr int half = 32;
  std::array<PartialScore, rows_together> partial;
  std::size_t count = 0;
  const auto complete = [&] {
    const auto found = std::span(partial).first(std::exchange(count, 0));
    add_leaves(trees_, found);
    for (const PartialScore& done : found) {
      // Two threads may compute the same score, which does no harm: both store the same bits.
      kept->cells[rows[done.place]].store(
          std::uint64_t{all + 1} << half | std::bit_cast<std::uint32_t>(done.score),
          std::memory_order_relaxed);
      scores[done.place] = done.score;
    }
  };
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const std::uint64_t known = kept->cells[rows[i]].load(std::memory_order_relaxed);
    const auto summed = static_cast<std::uint32_t>(known >> half);
    scores[i] = summed == 0 ? start() : std::bit_cast<float>(static_cast<std::uint32_t>(known));
    if (summed == all + 1) continue;
    partial[count++] = {i, values + std::int64_t{rows[i]} * features.stride,
                        summed == 0 ? 0 : summed - 1, scores[i]};
    if (count == rows_together) complete();
  }
  complete();
}

}  // namespace ultr
