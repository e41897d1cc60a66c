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
                    "documents; expected the same number of each, at least 1",
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
           {"max_depth", "0"},  // limited by the number of leaves only
           {"max_leaves", std::to_string(options.leaves)},
           {"eta", fmt::format("{}", options.learning_rate)},
           {"subsample", fmt::format("{}", options.document_share)},
           {"colsample_bytree", fmt::format("{}", options.feature_share)}},
          seed};
}

}  // namespace

void LambdaMartOptions::fields(Fields& f) {
  f.integer("trees", trees, "Number of trees.", between(1, 1e6));
  f.integer("leaves", leaves,
            "Maximum leaves per tree; XGBoost does not split where second derivatives sum to less "
            "than 1.",
            between(2, 1e6));
  f.number("learning_rate", learning_rate, "Factor applied to the values of each tree.",
           {.low = 0, .high = 1, .low_open = true});
  f.number("document_share", document_share,
           "Fraction of the documents that each tree is grown on.",
           {.low = 0, .high = 1, .low_open = true});
  f.number("feature_share", feature_share, "Fraction of the features that each tree may split on.",
           {.low = 0, .high = 1, .low_open = true});
}

LambdaMart::LambdaMart(const LabelledLists& lists, const LambdaMartOptions& options,
                       std::uint64_t seed)
    : BoostedTrees(grow(lists, options, seed)) {}

}  // namespace ultr
