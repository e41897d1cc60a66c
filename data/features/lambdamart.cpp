#include "data/features/lambdamart.h"

#include <fmt/core.h>

#include "base/error.h"

namespace ultr {
namespace {

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

BoostedTrees grow(const LabelledLists& lists, const LambdaMartOptions& options,
                  std::uint64_t seed) {
  check_lists(lists);
  const std::vector<float> labels(lists.labels.begin(), lists.labels.end());
  return {{.features = lists.features,
           .feature_count = lists.feature_count,
           .labels = labels,
           .list_sizes = lists.list_sizes},
          options.trees,
          {{"objective", "rank:ndcg"},
           {"tree_method", "hist"},
           {"grow_policy", "lossguide"},
           {"max_depth", "0"},  // no limit but that of leaves
           {"max_leaves", std::to_string(options.leaves)},
           {"eta", fmt::format("{}", options.learning_rate)},
           {"subsample", fmt::format("{}", options.document_share)},
           {"colsample_bytree", fmt::format("{}", options.feature_share)}},
          seed};
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
    : trees_(grow(lists, options, seed)) {}

}  // namespace ultr
