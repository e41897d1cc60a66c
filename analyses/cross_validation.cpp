#include "analyses/cross_validation.h"

#include <algorithm>
#include <optional>

#include <fmt/core.h>

#include "analyses/labelled_rows.h"
#include "base/error.h"
#include "data/log/parallel_shards.h"
#include "metrics/group_folds.h"

namespace ultr {
namespace {

/// Returns the judged documents of the lists that are in any other fold.
LabelledRows judged_outside(const Dataset& dataset, const std::vector<std::uint64_t>& fold_of_list,
                            std::uint64_t fold) {
  LabelledRows lists(dataset.features);
  std::vector<std::uint32_t> rows;
  std::vector<std::int32_t> labels;
  for (std::size_t i = 0; i < dataset.labels.size(); ++i) {
    if (fold_of_list[i] == fold) continue;
    rows.clear();
    labels.clear();
    for (std::size_t k = 0; k < dataset.labels.rows(i).size(); ++k) {
      if (dataset.labels.labels(i)[k] < 0) continue;
      rows.push_back(dataset.labels.rows(i)[k]);
      labels.push_back(dataset.labels.labels(i)[k]);
    }
    lists.add(rows, labels);
  }
  return lists;
}

}  // namespace

CrossValidation cross_validate(const Dataset& dataset, const LambdaMartOptions& options,
                               std::uint64_t fold_count, std::uint64_t seed, int threads) {
  const JudgedLists& judged = dataset.labels;
  std::vector<std::uint64_t> fold_of_list;
  std::vector<std::size_t> first = {0};                // document of each list
  std::vector<std::size_t> lists_of_fold(fold_count);  // with judgements
  CrossValidation found;
  for (std::size_t i = 0; i < judged.size(); ++i) {
    fold_of_list.push_back(fold_of(judged.query(i), seed, fold_count));
    first.push_back(first.back() + judged.rows(i).size());
    const auto documents = static_cast<std::size_t>(
        std::ranges::count_if(judged.labels(i), [](int label) { return label >= 0; }));
    if (documents == 0) continue;
    ++lists_of_fold[fold_of_list.back()];
    ++found.lists;
    found.documents += documents;
  }
  found.scores.resize(first.back());
  if (std::ranges::find(lists_of_fold, found.lists) != lists_of_fold.end())
    throw DataError(fmt::format(
        "all {} judged lists are in one of {} folds; expected more queries, so that the lists "
        "of each fold are ranked by trees that learned from others",
        judged.size(), fold_count));
  std::vector<std::optional<LambdaMart>> trees(fold_count);
  for_each_worker(threads, [&](std::size_t worker) {
    for (std::uint64_t fold = worker; fold < fold_count;
         fold += static_cast<std::uint64_t>(threads)) {
      trees[fold].emplace(judged_outside(dataset, fold_of_list, fold).lists(), options, seed);
      for (std::size_t i = 0; i < judged.size(); ++i) {
        if (fold_of_list[i] != fold) continue;
        const std::vector<double> scores =
            scores_of_rows(*trees[fold], dataset.features, judged.rows(i));
        std::ranges::copy(scores, found.scores.begin() + static_cast<std::ptrdiff_t>(first[i]));
      }
    }
  });
  for (std::optional<LambdaMart>& its : trees) found.trees.push_back(std::move(*its));
  return found;
}

}  // namespace ultr
