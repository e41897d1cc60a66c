#include "data/simulation/synthetic_lists.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "data/read_features.h"
#include "options/config_tree.h"
#include "testing/errors.h"
#include "testing/make_lists.h"

namespace ultr::synthetic_lists_test {
namespace {

using testing::make_lists;
using testing::values;

/// Returns 1,000 training lists, generated once.
const FeatureLists& train() {
  static const FeatureLists lists = make_lists("synthetic").train;
  return lists;
}

using Numbers = std::vector<double>;

Numbers feature(std::string_view name) {
  std::vector<std::string_view> names(lexical_feature_names.begin(), lexical_feature_names.end());
  names.insert(names.end(), page_feature_names.begin(), page_feature_names.end());
  const auto column =
      static_cast<std::size_t>(std::find(names.begin(), names.end(), name) - names.begin());
  Numbers x;
  for (std::size_t i = 0; i < train().documents(); ++i)
    x.push_back(train().columns().features[i * train().features() + column]);
  return x;
}

Numbers labels() { return {train().columns().labels.begin(), train().columns().labels.end()}; }

double mean(const Numbers& x) {
  return std::accumulate(x.begin(), x.end(), 0.) / static_cast<double>(x.size());
}

double correlation(const Numbers& x, const Numbers& y) {
  const double mx = mean(x), my = mean(y);
  double xy = 0, xx = 0, yy = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    xy += (x[i] - mx) * (y[i] - my);
    xx += (x[i] - mx) * (x[i] - mx);
    yy += (y[i] - my) * (y[i] - my);
  }
  return xy / std::sqrt(xx * yy);
}

double quantile(Numbers x, double share) {
  std::sort(x.begin(), x.end());
  return x[static_cast<std::size_t>(share * static_cast<double>(x.size() - 1))];
}

/// Returns the share of a feature's variance that is between queries.
double share_between_queries(const Numbers& x) {
  const double overall = mean(x);
  double between = 0, total = 0;
  std::size_t at = 0;
  for (std::size_t l = 0; l < train().lists(); ++l) {
    const auto n = static_cast<std::ptrdiff_t>(train().length(l));
    const auto first = x.begin() + static_cast<std::ptrdiff_t>(at);
    const double m = mean(Numbers(first, first + n));
    between += static_cast<double>(n) * (m - overall) * (m - overall);
    at += static_cast<std::size_t>(n);
  }
  for (const double v : x) total += (v - overall) * (v - overall);
  return between / total;
}

TEST(SyntheticListsTest, PartsHaveTheirSizesAndDifferentQueries) {
  const auto parts = make_lists(
      "synthetic",
      "{train_queries: 30, valid_queries: 0, test_queries: 20, shortest: 3, longest: 6}");
  EXPECT_EQ(parts.train.lists(), 30u);
  EXPECT_EQ(parts.valid.lists(), 0u);
  EXPECT_EQ(parts.test.lists(), 20u);
  std::set<std::uint64_t> queries, documents;
  std::set<std::size_t> lengths;
  for (const FeatureLists* lists : {&parts.train, &parts.test}) {
    queries.insert(lists->columns().queries.begin(), lists->columns().queries.end());
    documents.insert(lists->columns().documents.begin(), lists->columns().documents.end());
    for (std::size_t l = 0; l < lists->lists(); ++l) lengths.insert(lists->length(l));
  }
  EXPECT_EQ(queries.size(), 50u);
  EXPECT_EQ(documents.size(), parts.train.documents() + parts.test.documents());
  EXPECT_EQ(lengths, (std::set<std::size_t>{3, 4, 5, 6}));
}

TEST(SyntheticListsTest, MoreQueriesOfAPartChangeNoEarlierList) {
  const auto few = make_lists("synthetic", "{train_queries: 20}"),
             more = make_lists("synthetic", "{train_queries: 40}");
  // Term weights depend on the corpus, which grows; the length of the body does not.
  constexpr std::size_t body_length = 2;
  for (std::size_t i = 0; i < few.train.documents(); ++i)
    EXPECT_EQ(few.train.columns().features[i * few.train.features() + body_length],
              more.train.columns().features[i * more.train.features() + body_length]);
}

TEST(SyntheticListsTest, LabelsHaveTheSharesThatAreAskedFor) {
  const auto shares_of = [](const FeatureLists& lists) {
    Numbers shares(5);
    for (const std::int32_t label : lists.columns().labels)
      shares[static_cast<std::size_t>(label)] += 1 / static_cast<double>(lists.documents());
    return shares;
  };
  const Numbers training = shares_of(train()), asked = {0.52, 0.32, 0.13, 0.02, 0.01};
  for (std::size_t y = 0; y < 5; ++y)
    EXPECT_NEAR(training[y], asked[y], 1 / static_cast<double>(train().documents())) << y;
  const FeatureLists test = make_lists("synthetic").test;
  const Numbers held_out = shares_of(test);
  for (std::size_t y = 0; y < 5; ++y) EXPECT_NEAR(held_out[y], asked[y], 0.03) << y;
  const Numbers without_some = shares_of(
      make_lists("synthetic", "{train_queries: 300, label_shares: [1, 0, 1, 0, 2]}").train);
  for (std::size_t y = 0; y < 5; ++y)
    EXPECT_NEAR(without_some[y], (Numbers{0.25, 0, 0.25, 0, 0.5})[y], 0.001) << y;
}

TEST(SyntheticListsTest, FeaturesHaveTheScalesOfLexicalOnes) {
  const Numbers query = feature("query_length");
  EXPECT_EQ(quantile(query, 0), 1);
  EXPECT_EQ(quantile(query, 1), 6);
  EXPECT_NEAR(mean(query), 2.5, 0.25);
  const Numbers length = feature("document_length"), title = feature("title_length"),
                body = feature("abstract_length");
  for (std::size_t i = 0; i < length.size(); ++i) EXPECT_EQ(length[i], title[i] + body[i]);
  EXPECT_NEAR(mean(title), 6, 1);
  EXPECT_GT(quantile(body, 0.99), 5 * quantile(body, 0.5)) << "a heavy tail";
  EXPECT_GT(quantile(feature("inlinks"), 0.99), 8 * quantile(feature("inlinks"), 0.5));
  const Numbers overlap = feature("overlap");
  EXPECT_EQ(quantile(overlap, 0), 0);
  EXPECT_EQ(quantile(overlap, 1), 1);
  EXPECT_LT(quantile(feature("ql_dirichlet"), 1), 0) << "log-likelihoods";
  EXPECT_GT(quantile(feature("bm25"), 0.9), 5);
  EXPECT_LT(quantile(feature("bm25"), 0.9), 60);
}

TEST(SyntheticListsTest, FeaturesAreCorrelatedAsLexicalOnesAre) {
  EXPECT_GT(correlation(feature("tf"), feature("tf_idf")), 0.8);
  EXPECT_GT(correlation(feature("bm25"), feature("bm25_abstract")), 0.8);
  EXPECT_GT(correlation(feature("bm25"), feature("tf")), 0.3);
  EXPECT_GT(correlation(feature("tf"), feature("document_length")), 0.2) << "long pages say more";
  EXPECT_GT(correlation(feature("inlinks"), feature("site_inlinks")), 0.1);
  EXPECT_LT(std::abs(correlation(feature("inlinks"), feature("query_length"))), 0.1);
}

TEST(SyntheticListsTest, SomeFeaturesHaveTheScaleOfTheirQuery) {
  EXPECT_NEAR(share_between_queries(feature("query_length")), 1, 1e-9);
  EXPECT_GT(share_between_queries(feature("ql_dirichlet")), 0.7);
  EXPECT_GT(share_between_queries(feature("bm25")), 0.2) << "it is a sum over words";
  EXPECT_LT(share_between_queries(feature("quality")), 0.1);
}

TEST(SyntheticListsTest, NoFeatureAloneTellsRelevance) {
  const Numbers y = labels();
  for (const std::string_view name :
       {"overlap", "tf_idf", "bm25", "bm25_title", "inlinks", "quality"}) {
    Numbers x = feature(name);
    for (double& v : x) v = std::log1p(v);  // as models transform heavy-tailed counts
    EXPECT_GT(correlation(x, y), 0.1) << name;
  }
  for (const std::string_view name : {"bm25", "bm25_title", "tf", "quality", "ql_dirichlet"})
    EXPECT_LT(correlation(feature(name), y), 0.7) << name;
}

TEST(SyntheticListsTest, NoiseHidesRelevance) {
  const auto told_by_title = [](const std::string& noise) {
    const FeatureLists lists = make_lists("synthetic", "{noise: " + noise + "}").train;
    Numbers x, y(lists.columns().labels.begin(), lists.columns().labels.end());
    for (std::size_t i = 0; i < lists.documents(); ++i)
      x.push_back(lists.columns().features[i * lists.features() + 8]);
    return correlation(x, y);
  };
  EXPECT_GT(told_by_title("0"), 1.5 * told_by_title("3"));
}

TEST(SyntheticListsTest, FurtherFeaturesAreAddedBehindTheNamedOnes) {
  const FeatureLists plain = make_lists("synthetic", "{train_queries: 200}").train;
  const FeatureLists wide = make_lists("synthetic", "{train_queries: 200, features: 136}").train;
  ASSERT_EQ(plain.features(), 17u);
  ASSERT_EQ(wide.features(), 136u);
  ASSERT_EQ(wide.documents(), plain.documents());
  const Numbers y(wide.columns().labels.begin(), wide.columns().labels.end());
  for (std::size_t i = 0; i < wide.documents(); ++i) {
    EXPECT_EQ(wide.columns().labels[i], plain.columns().labels[i]);
    for (std::size_t j = 0; j < 17; ++j)
      EXPECT_EQ(wide.columns().features[i * 136 + j], plain.columns().features[i * 17 + j]);
  }
  int telling = 0;
  for (std::size_t j = 17; j < 136; ++j) {
    Numbers x;
    for (std::size_t i = 0; i < wide.documents(); ++i)
      x.push_back(wide.columns().features[i * 136 + j]);
    EXPECT_GT(std::set<double>(x.begin(), x.end()).size(), 10u) << j;
    const double found = std::abs(correlation(x, y));
    const double most = (j - 17) % 5 == 4 ? 0.06 : 0.6;  // every fifth is noise
    EXPECT_LT(found, most) << j;
    telling += found > 0.1 ? 1 : 0;
  }
  EXPECT_GT(telling, 30);
}

TEST(SyntheticListsTest, DifficultyChangesTheNoiseOfQueries) {
  const auto labels_with = [](const std::string& options) {
    const FeatureLists lists = make_lists("synthetic", options).train;
    return Numbers(lists.columns().labels.begin(), lists.columns().labels.end());
  };
  EXPECT_NE(labels_with("{train_queries: 50, difficulty: 1}"), labels_with("{train_queries: 50}"));
  EXPECT_EQ(labels_with("{train_queries: 50, difficulty: 1, noise: 0}"),
            labels_with("{train_queries: 50, noise: 0}"))
      << "there is no noise to change";
  // The share of pairs of labels in the order that no noise gives, by query: it varies more.
  const auto spread = [&](const std::string& difficulty) {
    const std::string size = "{train_queries: 300, shortest: 30, longest: 30, ";
    const Numbers clear = labels_with(size + "noise: 0}");
    const Numbers noisy = labels_with(size + "noise: 1, difficulty: " + difficulty + "}");
    Numbers found;
    for (std::ptrdiff_t l = 0; l < 300; ++l) {
      const auto list = [l](const Numbers& x) {
        return Numbers(x.begin() + 30 * l, x.begin() + 30 * (l + 1));
      };
      found.push_back(correlation(list(clear), list(noisy)));
    }
    return quantile(found, 0.9) - quantile(found, 0.1);
  };
  EXPECT_GT(spread("1"), 1.3 * spread("0"));
}

TEST(SyntheticListsTest, RejectsOptionsThatDoNotFit) {
  const auto message = [](const std::string& options) {
    return testing::config_message([&] { make_lists("synthetic", options); });
  };
  EXPECT_EQ(message("{shortest: 9, longest: 8}"),
            "data.reader: shortest is 9 and longest is 8; expected shortest <= longest");
  EXPECT_EQ(message("{label_shares: [1, 2]}"),
            "data.reader: label_shares has 2 numbers; expected 5, one per label from 0");
  EXPECT_EQ(message("{label_shares: [0, 0, 0, 0, 0]}"),
            "data.reader: label_shares are all 0; expected some above 0");
}

}  // namespace
}  // namespace ultr::synthetic_lists_test
