#include "data/lambdamart.h"

#include <array>
#include <cmath>
#include <limits>
#include <string>
#include <utility>

#include <fmt/core.h>
#include <xgboost/c_api.h>

#include "autograd/error.h"

namespace ultr {
namespace {

/// Throws XGBoost's message if a call of it failed.
void check_xgboost(int code) {
  if (code == 0) return;
  std::string message = XGBGetLastError();  // "[time] file:line: why", perhaps with a stack
  message = message.substr(0, message.find('\n'));
  throw Error("XGBoost: " + message);
}

/// Rows of features as XGBoost has them.
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

/// Throws Error unless features are whole rows; their number.
std::size_t whole_rows(std::span<const float> features, std::size_t feature_count) {
  if (feature_count == 0 || features.size() % feature_count != 0)
    throw Error(fmt::format("{} numbers are no whole number of rows of {} features",
                            features.size(), feature_count));
  return features.size() / feature_count;
}

void check_lists(const LabelledLists& lists) {
  const std::size_t documents = whole_rows(lists.features, lists.feature_count);
  std::size_t listed = 0;
  for (const std::uint32_t size : lists.list_sizes) {
    if (size == 0) throw Error("LambdaMART was given a list without documents");
    listed += size;
  }
  if (documents == 0 || listed != documents || lists.labels.size() != documents)
    throw Error(
        fmt::format("LambdaMART was given {} rows of features, {} labels and lists of {} "
                    "documents; expected as many of each, at least 1",
                    documents, lists.labels.size(), listed));
  for (const std::int32_t label : lists.labels)
    if (label < 0 || label > largest_lambdamart_label)
      throw Error(fmt::format("LambdaMART was given label {}; expected 0 to {}", label,
                              largest_lambdamart_label));
}

}  // namespace

void LambdaMartOptions::fields(Fields& f) {
  f.integer("trees", trees, "Trees.", between(1, 1e6));
  f.integer("leaves", leaves,
            "Leaves of a tree at most; XGBoost splits no further where second derivatives sum to "
            "below 1.",
            between(2, 1e6));
  f.number("learning_rate", learning_rate, "Share of each tree's values that is added.",
           {.low = 0, .high = 1, .low_open = true});
  f.number("document_share", document_share, "Share of the documents that a tree is grown on.",
           {.low = 0, .high = 1, .low_open = true});
  f.number("feature_share", feature_share, "Share of the features that a tree may split on.",
           {.low = 0, .high = 1, .low_open = true});
}

LambdaMart::LambdaMart(const LabelledLists& lists, const LambdaMartOptions& options,
                       std::uint64_t seed)
    : trees_(options.trees), feature_count_(lists.feature_count) {
  check_lists(lists);
  const FeatureMatrix matrix(lists.features, feature_count_);
  const std::vector<float> labels(lists.labels.begin(), lists.labels.end());
  check_xgboost(XGDMatrixSetFloatInfo(matrix.handle(), "label", labels.data(), labels.size()));
  check_xgboost(XGDMatrixSetUIntInfo(matrix.handle(), "group", lists.list_sizes.data(),
                                     lists.list_sizes.size()));
  BoosterHandle booster = nullptr;
  const std::array matrices = {matrix.handle()};
  check_xgboost(XGBoosterCreate(matrices.data(), matrices.size(), &booster));
  booster_ = {booster, [](BoosterHandle handle) { XGBoosterFree(handle); }};
  constexpr std::uint64_t seeds = std::uint64_t{1} << 31;  // that XGBoost takes
  for (const auto& [name, value] : std::initializer_list<std::pair<const char*, std::string>>{
           {"objective", "rank:ndcg"},
           {"tree_method", "hist"},
           {"grow_policy", "lossguide"},
           {"max_depth", "0"},  // no limit but that of leaves
           {"max_leaves", std::to_string(options.leaves)},
           {"eta", fmt::format("{}", options.learning_rate)},
           {"subsample", fmt::format("{}", options.document_share)},
           {"colsample_bytree", fmt::format("{}", options.feature_share)},
           {"nthread", "1"},
           {"verbosity", "0"},
           {"seed", std::to_string(seed % seeds)}})
    check_xgboost(XGBoosterSetParam(booster, name, value.c_str()));
  for (int tree = 0; tree < static_cast<int>(trees_); ++tree)
    check_xgboost(XGBoosterUpdateOneIter(booster, tree, matrix.handle()));
}

std::vector<double> LambdaMart::score(std::span<const float> features,
                                      std::optional<std::int64_t> trees) const {
  if (trees && (*trees < 1 || *trees > trees_))
    throw Error(fmt::format("asked for {} trees of {}; expected 1 to all", *trees, trees_));
  if (whole_rows(features, feature_count_) == 0) return {};
  const FeatureMatrix matrix(features, feature_count_);
  constexpr int ranking_scores = 1;  // sums of leaves, not transformed
  bst_ulong count = 0;
  const float* scores = nullptr;
  check_xgboost(XGBoosterPredict(booster_.get(), matrix.handle(), ranking_scores,
                                 static_cast<unsigned>(trees.value_or(trees_)), 0, &count,
                                 &scores));
  return {scores, scores + count};
}

}  // namespace ultr
