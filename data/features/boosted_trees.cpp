#include "data/features/boosted_trees.h"

#include <array>
#include <limits>

#include <fmt/core.h>
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
  BoosterHandle booster = nullptr;
  const std::array matrices = {matrix.handle()};
  check_xgboost(XGBoosterCreate(matrices.data(), matrices.size(), &booster));
  booster_ = {booster, [](BoosterHandle handle) { XGBoosterFree(handle); }};
  for (const auto& [name, value] : settings)
    check_xgboost(XGBoosterSetParam(booster, name, value.c_str()));
  constexpr std::uint64_t seeds = std::uint64_t{1} << 31;  // XGBoost accepts seeds below this
  for (const auto& [name, value] :
       Settings{{"nthread", "1"}, {"verbosity", "0"}, {"seed", std::to_string(seed % seeds)}})
    check_xgboost(XGBoosterSetParam(booster, name, value.c_str()));
  for (int tree = 0; tree < static_cast<int>(trees_); ++tree)
    check_xgboost(XGBoosterUpdateOneIter(booster, tree, matrix.handle()));
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

std::string BoostedTrees::json() const {
  bst_ulong size = 0;
  const char* text = nullptr;
  check_xgboost(XGBoosterSaveModelToBuffer(booster_.get(), R"({"format": "json"})", &size, &text));
  return {text, size};
}

}  // namespace ultr
