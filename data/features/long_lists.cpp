#include "data/features/long_lists.h"

#include <algorithm>
#include <map>
#include <numeric>

#include <fmt/core.h>

#include "base/error.h"
#include "base/quantile.h"
#include "base/random.h"
#include "data/features/feature_lists.h"

namespace ultr {
namespace {

/// The documents of a list with one label.
struct Stratum {
  std::vector<std::size_t> documents;  // ranks in the list
  std::size_t kept = 0;                // how many of them stay
};

/// Sets how many documents of each stratum stay: most * share, rounded down, plus one for the
/// strata with the largest remainders.
void share_out(std::vector<Stratum*>& strata, std::size_t length, std::size_t most) {
  std::size_t left = most;
  for (Stratum* stratum : strata) {
    stratum->kept = most * stratum->documents.size() / length;
    left -= stratum->kept;
  }
  std::stable_sort(strata.begin(), strata.end(), [&](const Stratum* a, const Stratum* b) {
    return most * a->documents.size() % length > most * b->documents.size() % length;
  });
  for (std::size_t i = 0; i < left; ++i) ++strata[i]->kept;
}

void expect_labels(const FeatureLists& lists) {
  if (lists.columns().labels.empty() && lists.documents() > 0)
    throw DataError("the lists have no relevance labels; expected some to choose documents by");
}

/// Draws the ranks that stay, in rising order.
std::vector<std::size_t> draw(const FeatureListView& list, std::size_t length, std::size_t most,
                              RandomStream random) {
  std::map<std::int32_t, Stratum, std::greater<>> by_label;
  for (std::size_t k = 0; k < length; ++k)
    by_label[list.labels.empty() ? 0 : list.labels[k]].documents.push_back(k);
  std::vector<Stratum*> strata;
  for (auto& [label, stratum] : by_label) strata.push_back(&stratum);
  share_out(strata, length, most);
  std::vector<std::size_t> kept;
  for (auto& [label, stratum] : by_label) {
    auto& documents = stratum.documents;
    for (std::size_t i = 0; i < stratum.kept; ++i) {
      std::swap(documents[i], documents[i + random.below(documents.size() - i)]);
      kept.push_back(documents[i]);
    }
  }
  std::sort(kept.begin(), kept.end());
  return kept;
}

/// Returns the documents of each list at the ranks that choose(number of the list) returns, which
/// rise.
template <class Choose>
FeatureLists choose_documents(const FeatureLists& lists, const Choose& choose) {
  std::vector<std::size_t> kept;
  std::size_t first = 0;
  for (std::size_t i = 0; i < lists.lists(); ++i) {
    for (const std::size_t k : choose(i)) kept.push_back(first + k);
    first += lists.length(i);
  }
  return select_documents(lists, kept);
}

std::vector<std::size_t> all_ranks(std::size_t length) {
  std::vector<std::size_t> ranks(length);
  std::iota(ranks.begin(), ranks.end(), std::size_t{0});
  return ranks;
}

}  // namespace

void LongListOptions::fields(Fields& f) {
  f.optional_number("percentile", percentile,
                    "Cut lists to this percentile of training list lengths; documents are drawn so "
                    "that the shares of labels stay the same.",
                    {.low = 0, .high = 100, .low_open = true});
  f.integer("most_relevant", most_relevant,
            "Cut all lists, test lists included, to this many of their most relevant documents; "
            "0: keep all.",
            between(0, 1e6));
}

std::size_t length_percentile(const FeatureLists& lists, double percentile) {
  if (!(percentile > 0 && percentile <= 100))
    throw Error(fmt::format("length_percentile: {} %; expected above 0, at most 100", percentile));
  if (lists.lists() == 0) throw DataError("no list; expected lists to take a percentile of");
  std::vector<std::size_t> lengths(lists.lists());
  for (std::size_t i = 0; i < lengths.size(); ++i) lengths[i] = lists.length(i);
  const std::size_t at = nearest_rank(percentile / 100, lengths.size()) - 1;
  std::nth_element(lengths.begin(), lengths.begin() + static_cast<std::ptrdiff_t>(at),
                   lengths.end());
  return lengths[at];
}

FeatureLists cut_long_lists(const FeatureLists& lists, std::size_t most, std::uint64_t seed) {
  if (most == 0) throw Error("cut_long_lists: 0 documents; expected at least 1");
  return choose_documents(lists, [&](std::size_t i) {
    const std::size_t length = lists.length(i);
    if (length <= most) return all_ranks(length);
    // Step 1, since step 0 of this purpose splits sessions.
    return draw(lists[i], length, most, RandomStream(seed, RandomPurpose::split, 1, i));
  });
}

FeatureLists keep_most_relevant(const FeatureLists& lists, std::size_t most) {
  if (most == 0) throw Error("keep_most_relevant: 0 documents; expected at least 1");
  expect_labels(lists);
  return choose_documents(lists, [&](std::size_t i) {
    const std::span<const std::int32_t> labels = lists[i].labels;
    std::vector<std::size_t> ranks = all_ranks(labels.size());
    std::stable_sort(ranks.begin(), ranks.end(),
                     [&](std::size_t a, std::size_t b) { return labels[a] > labels[b]; });
    ranks.resize(std::min(most, ranks.size()));
    std::sort(ranks.begin(), ranks.end());
    return ranks;
  });
}

FeatureLists drop_lists_without_relevant(const FeatureLists& lists) {
  expect_labels(lists);
  return choose_documents(lists, [&](std::size_t i) {
    const std::span<const std::int32_t> labels = lists[i].labels;
    const bool keep = std::any_of(labels.begin(), labels.end(), [](int y) { return y > 0; });
    return all_ranks(keep ? labels.size() : 0);
  });
}

}  // namespace ultr
