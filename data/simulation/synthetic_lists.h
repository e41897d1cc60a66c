#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "data/features/lexical_features.h"
#include "data/simulation/list_generator.h"

namespace ultr {

/// Features of a document in SyntheticLists beside the lexical ones: counts of links to it and to
/// its site, an estimate of its quality from 0 to 100, and the depth of its URL.
inline constexpr std::array<std::string_view, 4> page_feature_names = {"inlinks", "site_inlinks",
                                                                       "quality", "url_depth"};

/// Generates judged lists of synthetic web pages. Pages and queries are made of words. The features
/// are those of lexical_features.h, in that order, then page_feature_names. Lexical features are
/// computed from the words, so that counts, TF-IDF, BM25 and query likelihoods have the scales,
/// heavy tails and correlations of real text.
///
///     a query    1 to 6 words, 2.5 on average, from rare to fairly frequent ones
///     a page     topicality t and authority a, standard normal. With probability 0.08 it is
///                stuffed with the query's words: s = 1, else s = 0. The title has about 6 words,
///                the body about 100, both log-normal. A share of the words, which grows with t and
///                with the length of the query, is drawn from the query, some words of it more
///                often than others; the rest is from Zipf's law over 20,000 words.
///     a label    from the page's utility u = t + 0.8 min(t, a) - 1.5 s + 0.5 q + noise ε; q and ε
///                are standard normal, q is the same for all pages of a query
///
/// Further features, if more are asked for, are what large data sets have in plenty: monotone
/// functions of weighted sums of a few noisy views of t, a, s and q that a page has, a fifth of
/// them of nothing but noise of their own. All of them share the noise of the views, so that t and
/// a cannot be averaged out of them.
///
/// The noise of a query's labels is noise * exp(difficulty z - difficulty^2 / 2), z standard
/// normal: of some queries features tell the labels well, of others hardly.
///
/// Labels cut the utilities at the quantiles of the training pages that give the requested shares.
/// No feature is t, a, s or q itself, and lexical features also depend on the number and rarity of
/// the query's words. Rankers that learn from features therefore do much better than chance but
/// cannot be perfect. Parts have different queries; word statistics are from training pages only.
class SyntheticLists final : public ListGenerator {
 public:
  void fields(Fields& f) override;
  void check() const override;
  bool has_words() const override { return words_; }
  Parts make() const override;

 private:
  /// Returns the factor of the noise in the labels of a query, which is number `query` of all.
  double difficulty_of(std::uint64_t query) const;

  std::int64_t train_queries_ = 1000, valid_queries_ = 200, test_queries_ = 500;
  std::int64_t shortest_ = 5, longest_ = 35, seed_ = 1;
  std::int64_t features_ =
      static_cast<std::int64_t>(lexical_feature_names.size() + page_feature_names.size());
  double noise_ = 0.8, difficulty_ = 0;
  bool words_ = false;
  std::vector<double> label_shares_ = {0.52, 0.32, 0.13, 0.02, 0.01};
};

}  // namespace ultr
