#include "data/features/boosted_trees.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>

#include <fmt/core.h>
#include <fmt/ranges.h>
#include <xgboost/c_api.h>

#include "base/error.h"
#include "data/features/xgboost_json.h"

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

/// The data that trees are grown on and, unless each tree has a booster of its own, the booster.
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
      growth_(std::move(growth)),
      threads_(threads) {
  if (documents_ == 0) throw Error("there are no documents to grow trees on; expected at least 1");
  const auto state = std::make_shared<GrowerState>();
  check_xgboost(XGDMatrixCreateFromMat_omp(features.data(), documents_, feature_count,
                                           std::numeric_limits<float>::quiet_NaN(), &state->matrix,
                                           threads));
  if (!growth_.categorical.empty()) {
    std::vector<const char*> types(feature_count, "q");
    for (const std::size_t feature : growth_.categorical) types.at(feature) = "c";
    check_xgboost(
        XGDMatrixSetStrFeatureInfo(state->matrix, "feature_type", types.data(), types.size()));
  }
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
  return trees_of_xgboost_json(model_json(last_tree(booster))).trees.front();
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

LoadedTrees::LoadedTrees(const std::string& json, std::size_t feature_count, int threads)
    : feature_count_(feature_count) {
  BoosterHandle handle = nullptr;
  check_xgboost(XGBoosterCreate(nullptr, 0, &handle));
  booster_ = {handle, [](BoosterHandle made) { XGBoosterFree(made); }};
  check_xgboost(XGBoosterSetParam(handle, "nthread", std::to_string(threads).c_str()));
  check_xgboost(XGBoosterSetParam(handle, "verbosity", "0"));
  check_xgboost(XGBoosterLoadModelFromBuffer(handle, json.data(), json.size()));
}

std::vector<float> LoadedTrees::predict(std::span<const float> features, int what) const {
  if (whole_rows(features, feature_count_) == 0) return {};
  const FeatureMatrix matrix(features, feature_count_);
  const std::string config = fmt::format(
      R"({{"type":{},"training":false,"iteration_begin":0,"iteration_end":0,"strict_shape":true}})",
      what);
  const bst_ulong* shape = nullptr;
  bst_ulong dimensions = 0;
  const float* numbers = nullptr;
  check_xgboost(XGBoosterPredictFromDMatrix(booster_.get(), matrix.handle(), config.c_str(), &shape,
                                            &dimensions, &numbers));
  const bst_ulong count =
      std::accumulate(shape, shape + dimensions, bst_ulong{1}, std::multiplies<>());
  return {numbers, numbers + count};
}

std::vector<float> LoadedTrees::scores(std::span<const float> features) const {
  constexpr int predictions = 0;
  return predict(features, predictions);
}

std::vector<float> LoadedTrees::contributions(std::span<const float> features) const {
  constexpr int shap_values = 2;
  return predict(features, shap_values);
}

}  // namespace ultr
