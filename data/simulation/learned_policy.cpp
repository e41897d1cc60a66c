#include <algorithm>

#include <fmt/core.h>

#include "base/error.h"
#include "base/text/text_hash.h"
#include "data/simulation/logging_policy.h"

namespace ultr {
namespace {

/// Step of RandomPurpose::simulation that folds are drawn from. Noise of policies takes one per
/// ranking, of which there are less.
constexpr std::uint32_t fold_step = 0x10000000;

/// Returns a number that lists of one query share.
std::uint64_t query_of(const FeatureLists& lists, std::size_t list) {
  const FeatureListView view = lists[list];
  if (!lists.columns().queries.empty()) return view.query;
  const std::span<const float> first = view.features.first(lists.features());
  return hash_text({reinterpret_cast<const char*>(first.data()), first.size_bytes()});
}

/// The documents of one fold, or of all others: indices over all lists.
std::vector<std::size_t> documents_of(const FeatureLists& lists,
                                      std::span<const std::uint32_t> folds, std::uint32_t fold,
                                      bool inside) {
  std::vector<std::size_t> documents;
  std::size_t document = 0;
  for (std::size_t l = 0; l < lists.lists(); ++l)
    for (std::size_t k = 0; k < lists.length(l); ++k, ++document)
      if ((folds[l] == fold) == inside) documents.push_back(document);
  return documents;
}

std::vector<double> at(std::span<const double> values, std::span<const std::size_t> documents) {
  std::vector<double> chosen;
  chosen.reserve(documents.size());
  for (const std::size_t document : documents) chosen.push_back(values[document]);
  return chosen;
}

/// Draws the fold of each list.
std::vector<std::uint32_t> folds_of(const FeatureLists& lists, std::uint32_t count,
                                    std::uint64_t seed) {
  std::vector<std::uint32_t> folds;
  for (std::size_t l = 0; l < lists.lists(); ++l) {
    RandomStream random(seed, RandomPurpose::simulation, fold_step, query_of(lists, l));
    folds.push_back(static_cast<std::uint32_t>(random.below(count)));
  }
  return folds;
}

}  // namespace

void LearnedPolicyOptions::fields(Fields& f) {
  LoggingPolicyOptions::fields(f);
  f.integer("folds", folds_,
            "Folds of lists, each ranked by a policy that learned from the others; 1: one policy "
            "learns from all.",
            between(1, 1000));
}

PolicyScores LearnedPolicyOptions::fit(const PolicyTraining& training) const {
  const FeatureLists& lists = training.lists;
  if (lists.features() == 0)
    throw DataError("the lists have no features; expected some that a policy can learn from");
  if (folds_ == 1) return learn(training);
  const auto count = static_cast<std::uint32_t>(folds_);
  const std::vector<std::uint32_t> folds = folds_of(lists, count, training.seed);
  std::vector<PolicyScores> scores;
  for (std::uint32_t fold = 0; fold < count; ++fold) {
    const std::vector<std::size_t> others = documents_of(lists, folds, fold, false);
    if (others.empty())
      throw DataError(
          fmt::format("all {} training lists are in one of {} folds; expected more "
                      "lists for a policy to be trained on those outside a fold",
                      lists.lists(), folds_));
    const std::vector<double> relevance = at(training.relevance, others);
    scores.push_back(learn({.lists = select_documents(lists, others),
                            .relevance = relevance,
                            .seed = training.seed,
                            .threads = training.threads}));
  }
  return [scores, count, seed = training.seed](const FeatureLists& ranked,
                                               std::span<const double> relevance) {
    const std::vector<std::uint32_t> its_folds = folds_of(ranked, count, seed);
    std::vector<double> all(ranked.documents());
    for (std::uint32_t fold = 0; fold < count; ++fold) {
      const std::vector<std::size_t> documents = documents_of(ranked, its_folds, fold, true);
      if (documents.empty()) continue;
      const std::vector<double> found =
          scores[fold](select_documents(ranked, documents), at(relevance, documents));
      for (std::size_t i = 0; i < documents.size(); ++i) all[documents[i]] = found[i];
    }
    return all;
  };
}

}  // namespace ultr
