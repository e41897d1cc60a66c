#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "data/features/lexical_features.h"
#include "data/simulation/list_generator.h"

namespace ultr {

/// What SyntheticLists say of a document beside its lexical features: counts of links to it and to
/// its site, an estimate of its quality from 0 to 100, and how deep its address is.
inline constexpr std::array<std::string_view, 4> page_feature_names = {"inlinks", "site_inlinks",
                                                                       "quality", "url_depth"};

/// Judged lists of made-up web pages. Pages and queries are made of words, and features are those
/// of lexical_features.h, in that order, computed from them, so that counts, TF-IDF, BM25 and query
/// likelihoods have the scales, heavy tails and correlations that they have on real text; then come
/// page_feature_names.
///
///     a query    1 to 6 words, 2.5 on average, from rare to fairly frequent ones
///     a page     topicality t and authority a, standard normal; is stuffed with the query's words
///                (s = 1) with probability 0.08, else s = 0. A title of about 6 and a body of about
///                100 words, log-normal; a share of them, which grows with t and with the length of
///                the query, is of the query, and more of its one word than of another; the rest is
///                from Zipf's law over 20,000
///     a label    by the page's utility u = t + 0.8 min(t, a) - 1.5 s + 0.5 q + noise ε, q and ε
///                standard normal, q the same for all pages of a query
///
/// Labels cut the utilities at those quantiles of the training pages at which they have the given
/// shares. No feature is t, a, s or q itself, and what there is depends on the query: its number of
/// words and how rare they are. So rankers that learn from features do much better than chance and
/// cannot be perfect. Parts have different queries; words are counted over training pages.
class SyntheticLists final : public ListGenerator {
 public:
  void fields(Fields& f) override;
  Parts make() const override;

 private:
  std::int64_t train_queries_ = 1000, valid_queries_ = 200, test_queries_ = 500;
  std::int64_t shortest_ = 5, longest_ = 35, seed_ = 1;
  double noise_ = 0.8;
  std::vector<double> label_shares_ = {0.52, 0.32, 0.13, 0.02, 0.01};
};

}  // namespace ultr
