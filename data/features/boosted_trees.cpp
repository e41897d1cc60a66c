#include "data/features/boosted_trees.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include <fmt/core.h>
#include <fmt/ranges.h>
#include <xgboost/c_api.h>

#include "base/error.h"

namespace ultr {
namespace {

/// Throws Error with XGBoost's message if `code` reports a failed call.
void check_xgboost(int code) {
  if (code == 0) return;
  std::string message =
      XGBGetLastError();  // "[time] file:line: reason", sometimes with a stack trace below
  message = message.substr(0, message.find('\n'));
  throw Error("XGBoost: " + message);
}

/// XGBoost's own copy of a row-major feature matrix.
class FeatureMatrix {
 public:
  FeatureMatrix(std::span<const float> features, std::size_t feature_count) {
    check_xgboost(XGDMatrixCreateFromMat(features.data(), features.size() / feature_count,
                                         feature_count, std::numeric_limits<float>::quiet_NaN(),
                                         &handle_));
  }
  FeatureMatrix(const FeatureMatrix&) = delete;
  FeatureMatrix& operator=(const FeatureMatrix&) = delete;
  ~FeatureMatrix() { XGDMatrixFree(handle_); }

  DMatrixHandle handle() const { return handle_; }

 private:
  DMatrixHandle handle_ = nullptr;
};

/// A booster of XGBoost.
using Booster = std::shared_ptr<void>;

Booster make_booster(DMatrixHandle matrix, const BoostedTrees::Settings& settings) {
  BoosterHandle handle = nullptr;
  const std::array matrices = {matrix};
  check_xgboost(XGBoosterCreate(matrices.data(), matrices.size(), &handle));
  Booster booster(handle, [](BoosterHandle made) { XGBoosterFree(made); });
  for (const auto& [name, value] : settings)
    check_xgboost(XGBoosterSetParam(handle, name, value.c_str()));
  return booster;
}

/// Returns a seed that XGBoost accepts.
std::string xgboost_seed(std::uint64_t seed) {
  constexpr std::uint64_t seeds = std::uint64_t{1} << 31;  // XGBoost accepts seeds below this
  return std::to_string(seed % seeds);
}

std::string model_json(const Booster& booster) {
  bst_ulong size = 0;
  const char* text = nullptr;
  check_xgboost(XGBoosterSaveModelToBuffer(booster.get(), R"({"format": "json"})", &size, &text));
  return {text, size};
}

/// Returns a booster that has only the last tree of another one.
Booster last_tree(const Booster& booster) {
  int trees = 0;
  check_xgboost(XGBoosterBoostedRounds(booster.get(), &trees));
  BoosterHandle handle = nullptr;
  check_xgboost(XGBoosterSlice(booster.get(), trees - 1, trees, 1, &handle));
  return {handle, [](BoosterHandle made) { XGBoosterFree(made); }};
}

/// Reads the only tree of a model. Its nodes are numbered anew, level by level, since XGBoost keeps
/// deleted ones.
RegressionTree only_tree(const std::string& model) {
  const nlohmann::json json = nlohmann::json::parse(model);
  const nlohmann::json& from =
      json.at("learner").at("gradient_booster").at("model").at("trees").at(0);
  const auto numbers = [&](const char* name) { return from.at(name).get<std::vector<float>>(); };
  const auto left = from.at("left_children").get<std::vector<int>>(),
             right = from.at("right_children").get<std::vector<int>>(),
             features = from.at("split_indices").get<std::vector<int>>(),
             missing_left = from.at("default_left").get<std::vector<int>>();
  const std::vector<float> values = numbers("split_conditions"), gains = numbers("loss_changes"),
                           covers = numbers("sum_hessian"), weights = numbers("base_weights");
  std::vector<std::size_t> order = {0};
  RegressionTree tree;
  for (std::size_t i = 0; i < order.size(); ++i) {
    const std::size_t n = order[i];
    TreeNode node{.value = values[n], .cover = covers[n], .weight = weights[n]};
    if (left[n] >= 0) {
      node.feature = features[n];
      node.gain = gains[n];
      node.missing_left = missing_left[n] != 0;
      node.left = static_cast<std::uint32_t>(order.size());
      node.right = node.left + 1;
      order.push_back(static_cast<std::size_t>(left[n]));
      order.push_back(static_cast<std::size_t>(right[n]));
    }
    tree.push_back(node);
  }
  return tree;
}

/// What grows trees: the data and, unless each tree has a booster of its own, the booster.
struct GrowerState {
  DMatrixHandle matrix = nullptr;
  Booster booster{};

  GrowerState() = default;
  GrowerState(const GrowerState&) = delete;
  GrowerState& operator=(const GrowerState&) = delete;
  ~GrowerState() {
    booster.reset();
    XGDMatrixFree(matrix);
  }
};

BoostedTrees::Settings growth_settings(const TreeGrowth& growth, int threads) {
  BoostedTrees::Settings settings = {
      {"verbosity", "0"},
      {"nthread", std::to_string(threads)},
      {"objective", "reg:squarederror"},  // unused
      {"base_score", "0"},
      {"tree_method", "hist"},
      {"grow_policy", growth.leaves > 0 ? "lossguide" : "depthwise"},
      {"max_leaves", std::to_string(growth.leaves)},
      {"max_depth", std::to_string(growth.depth)},
      {"max_bin", std::to_string(growth.bins)},
      {"eta", fmt::format("{}", growth.learning_rate)},
      {"min_child_weight", fmt::format("{}", growth.min_child_weight)},
      {"lambda", fmt::format("{}", growth.lambda)},
      {"gamma", fmt::format("{}", growth.min_gain)},
      {"colsample_bytree", fmt::format("{}", growth.columns)}};
  if (!growth.monotone.empty())
    settings.emplace_back("monotone_constraints",
                          fmt::format("({})", fmt::join(growth.monotone, ",")));
  return settings;
}

/// Formats a number of float32 with all of its bits.
std::string exact(float x) { return fmt::format("{:.8e}", x); }

/// Returns "name":[...] with one entry per node.
template <class Text>
std::string array_of(const char* name, const RegressionTree& tree, Text text) {
  std::vector<std::string> entries;
  for (const TreeNode& node : tree) entries.push_back(fmt::format("{}", text(node)));
  return fmt::format("\"{}\":[{}]", name, fmt::join(entries, ","));
}

std::string tree_json(const RegressionTree& tree, std::size_t number, std::size_t feature_count) {
  constexpr std::int64_t no_parent = std::numeric_limits<std::int32_t>::max();
  std::vector<std::int64_t> parents(tree.size(), no_parent);
  for (std::size_t i = 0; i < tree.size(); ++i)
    if (!tree[i].is_leaf())
      parents[tree[i].left] = parents[tree[i].right] = static_cast<std::int64_t>(i);
  const auto child = [](const TreeNode& node, std::uint32_t number_of) {
    return node.is_leaf() ? std::int64_t{-1} : std::int64_t{number_of};
  };
  const std::vector<std::string> parts = {
      array_of("base_weights", tree, [](const TreeNode& n) { return exact(n.weight); }),
      R"("categories":[],"categories_nodes":[],"categories_segments":[],"categories_sizes":[])",
      array_of("default_left", tree, [](const TreeNode& n) { return n.missing_left ? 1 : 0; }),
      fmt::format("\"id\":{}", number),
      array_of("left_children", tree, [&](const TreeNode& n) { return child(n, n.left); }),
      array_of("loss_changes", tree, [](const TreeNode& n) { return exact(n.gain); }),
      fmt::format("\"parents\":[{}]", fmt::join(parents, ",")),
      array_of("right_children", tree, [&](const TreeNode& n) { return child(n, n.right); }),
      array_of("split_conditions", tree, [](const TreeNode& n) { return exact(n.value); }),
      array_of("split_indices", tree, [](const TreeNode& n) { return std::max(n.feature, 0); }),
      array_of("split_type", tree, [](const TreeNode&) { return 0; }),
      array_of("sum_hessian", tree, [](const TreeNode& n) { return exact(n.cover); }),
      fmt::format(R"("tree_param":{{"num_deleted":"0","num_feature":"{}","num_nodes":"{}",)"
                  R"("size_leaf_vector":"0"}})",
                  feature_count, tree.size())};
  return fmt::format("{{{}}}", fmt::join(parts, ","));
}

}  // namespace

std::size_t whole_rows(std::span<const float> features, std::size_t feature_count) {
  if (feature_count == 0 || features.size() % feature_count != 0)
    throw Error(
        fmt::format("{} numbers do not fill rows of {} features", features.size(), feature_count));
  return features.size() / feature_count;
}

BoostedTrees::BoostedTrees(const TreeData& data, std::int64_t trees, const Settings& settings,
                           std::uint64_t seed)
    : trees_(trees), feature_count_(data.feature_count) {
  const std::size_t documents = whole_rows(data.features, feature_count_);
  if (documents == 0 || data.labels.size() != documents)
    throw Error(
        fmt::format("trees were given {} rows of features and {} labels; expected the same number "
                    "of both, at least 1",
                    documents, data.labels.size()));
  const FeatureMatrix matrix(data.features, feature_count_);
  check_xgboost(
      XGDMatrixSetFloatInfo(matrix.handle(), "label", data.labels.data(), data.labels.size()));
  if (!data.list_sizes.empty())
    check_xgboost(XGDMatrixSetUIntInfo(matrix.handle(), "group", data.list_sizes.data(),
                                       data.list_sizes.size()));
  booster_ = make_booster(matrix.handle(), settings);
  for (const auto& [name, value] :
       Settings{{"nthread", "1"}, {"verbosity", "0"}, {"seed", xgboost_seed(seed)}})
    check_xgboost(XGBoosterSetParam(booster_.get(), name, value.c_str()));
  for (int tree = 0; tree < static_cast<int>(trees_); ++tree)
    check_xgboost(XGBoosterUpdateOneIter(booster_.get(), tree, matrix.handle()));
}

std::vector<double> BoostedTrees::score(std::span<const float> features,
                                        std::optional<std::int64_t> trees) const {
  if (trees && (*trees < 1 || *trees > trees_))
    throw Error(fmt::format("asked for {} trees; expected 1 to {}", *trees, trees_));
  if (whole_rows(features, feature_count_) == 0) return {};
  const FeatureMatrix matrix(features, feature_count_);
  constexpr int sums_of_leaves = 1;  // the untransformed prediction
  bst_ulong count = 0;
  const float* scores = nullptr;
  check_xgboost(XGBoosterPredict(booster_.get(), matrix.handle(), sums_of_leaves,
                                 static_cast<unsigned>(trees.value_or(trees_)), 0, &count,
                                 &scores));
  return {scores, scores + count};
}

std::string BoostedTrees::json() const { return model_json(booster_); }

TreeGrower::TreeGrower(std::span<const float> features, std::size_t feature_count,
                       TreeGrowth growth, int threads)
    : documents_(whole_rows(features, feature_count)),
      feature_count_(feature_count),
      growth_(std::move(growth)),
      threads_(threads) {
  if (documents_ == 0) throw Error("there are no documents to grow trees on; expected at least 1");
  const auto state = std::make_shared<GrowerState>();
  check_xgboost(XGDMatrixCreateFromMat_omp(features.data(), documents_, feature_count,
                                           std::numeric_limits<float>::quiet_NaN(), &state->matrix,
                                           threads));
  if (growth_.columns == 1)
    state->booster = make_booster(state->matrix, growth_settings(growth_, threads_));
  state_ = state;
}

RegressionTree TreeGrower::grow(std::span<const double> slopes, std::span<const double> curvatures,
                                std::uint64_t seed) const {
  if (slopes.size() != documents_ || curvatures.size() != documents_)
    throw Error(fmt::format("a tree was given {} slopes and {} second derivatives; expected {}",
                            slopes.size(), curvatures.size(), documents_));
  // A round must depend on nothing but its arguments. If features are sampled, a booster goes on
  // with random numbers from tree to tree, so that each tree has a booster of its own. Otherwise
  // one is kept, which saves most of the time of small rounds: that of allocating its histograms.
  const GrowerState& state = *static_cast<const GrowerState*>(state_.get());
  Booster booster = state.booster;
  if (!booster) {
    BoostedTrees::Settings settings = growth_settings(growth_, threads_);
    settings.emplace_back("seed", xgboost_seed(seed));
    booster = make_booster(state.matrix, settings);
  }
  std::vector<float> g = exactly_summable(slopes), h = exactly_summable(curvatures);
  check_xgboost(XGBoosterBoostOneIter(booster.get(), state.matrix, g.data(), h.data(), documents_));
  return only_tree(model_json(last_tree(booster)));
}

std::vector<float> exactly_summable(std::span<const double> numbers) {
  double sum = 0;
  for (const double x : numbers) sum += std::abs(x);
  int exponent = 0;
  std::frexp(sum, &exponent);  // sum <= 2^exponent
  // Sums of multiples of the unit stay below 2^52 units, also after rounding up.
  constexpr int digits = 51;
  const double unit = std::ldexp(1.0, exponent - digits);
  std::vector<float> rounded(numbers.size());
  for (std::size_t i = 0; i < numbers.size(); ++i)
    rounded[i] =
        sum == 0 ? 0.0f
                 : static_cast<float>(
                       std::nearbyint(static_cast<double>(static_cast<float>(numbers[i])) / unit) *
                       unit);
  return rounded;
}

std::vector<float> xgboost_scores(const std::string& json, std::span<const float> features,
                                  std::size_t feature_count) {
  if (whole_rows(features, feature_count) == 0) return {};
  const FeatureMatrix matrix(features, feature_count);
  const Booster booster = make_booster(matrix.handle(), {{"nthread", "1"}, {"verbosity", "0"}});
  check_xgboost(XGBoosterLoadModelFromBuffer(booster.get(), json.data(), json.size()));
  constexpr int predictions = 0;
  bst_ulong count = 0;
  const float* scores = nullptr;
  check_xgboost(
      XGBoosterPredict(booster.get(), matrix.handle(), predictions, 0, 0, &count, &scores));
  return {scores, scores + count};
}

std::string xgboost_json(std::span<const RegressionTree> trees, float start,
                         std::size_t feature_count) {
  std::vector<std::string> texts;
  for (const RegressionTree& tree : trees)
    texts.push_back(tree_json(tree, texts.size(), feature_count));
  return fmt::format(
      R"({{"learner":{{"attributes":{{}},"feature_names":[],"feature_types":[],)"
      R"("gradient_booster":{{"model":{{"gbtree_model_param":{{"num_parallel_tree":"1",)"
      R"("num_trees":"{}","size_leaf_vector":"0"}},"tree_info":[{}],"trees":[{}]}},)"
      R"("name":"gbtree"}},"learner_model_param":{{"base_score":"{}","boost_from_average":"0",)"
      R"("num_class":"0","num_feature":"{}","num_target":"1"}},"objective":{{)"
      R"("lambda_rank_param":{{"fix_list_weight":"0","num_pairsample":"1"}},)"
      R"("name":"rank:pairwise"}}}},"version":[1,7,4]}})",
      trees.size(), fmt::join(std::vector<int>(trees.size(), 0), ","), fmt::join(texts, ","),
      exact(start), feature_count);
}

}  // namespace ultr
