#include "analyses/cross_validation.h"

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
  std::vector<std::size_t> first = {0};  // document of each list
  for (std::size_t i = 0; i < judged.size(); ++i) {
    fold_of_list.push_back(fold_of(judged.query(i), seed, fold_count));
    first.push_back(first.back() + judged.rows(i).size());
  }
  CrossValidation found;
  found.scores.resize(first.back());
  std::vector<LabelledRows> others;
  for (std::uint64_t fold = 0; fold < fold_count; ++fold) {
    others.push_back(judged_outside(dataset, fold_of_list, fold));
    found.lists += others.back().sizes.size();
    found.documents += others.back().labels.size();
    if (others.back().sizes.empty())
      throw DataError(fmt::format(
          "all {} judged lists are in one of {} folds; expected more queries, so that the lists "
          "of each fold are ranked by trees that learned from others",
          judged.size(), fold_count));
  }
  found.lists /= fold_count - 1;  // each is outside of all folds but its own
  found.documents /= fold_count - 1;
  std::vector<std::optional<LambdaMart>> trees(fold_count);
  for_each_worker(threads, [&](std::size_t worker) {
    for (std::uint64_t fold = worker; fold < fold_count;
         fold += static_cast<std::uint64_t>(threads)) {
      trees[fold].emplace(others[fold].lists(), options, seed);
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
