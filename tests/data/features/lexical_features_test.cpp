#include "data/features/lexical_features.h"

#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ultr::lexical_features_test {
namespace {

/// Three documents: title [1], abstract [2, 3]; [1, 1], [4]; [], [2].
TokenCorpus corpus() {
  TokenCorpus made;
  made.add({{1}, {2, 3}});
  made.add({{1, 1}, {4}});
  made.add({{}, {2}});
  return made;
}

float feature(const std::string& name, const std::vector<Token>& query, const TokenText& text,
              const TokenCorpus& over = corpus()) {
  const auto values = lexical_features(query, text, over);
  for (std::size_t i = 0; i < values.size(); ++i)
    if (lexical_feature_names[i] == name) return values[i];
  throw std::runtime_error("no feature " + name);
}

/// Inverse document frequency ln(1 + (3 - n + 1/2) / (n + 1/2)) of a word in n of the 3 documents.
double idf(double n) { return std::log(1 + (3 - n + 0.5) / (n + 0.5)); }

TEST(TermStatisticsTest, CountsDocumentsAndOccurrences) {
  const TokenCorpus made = corpus();
  const TermStatistics& terms = made.documents();
  EXPECT_EQ(terms.documents(), 3);
  EXPECT_EQ(terms.mean_length(), (3 + 3 + 1) / 3.);
  EXPECT_EQ(terms.document_frequency(1), 2);
  EXPECT_EQ(terms.document_frequency(4), 1);
  EXPECT_EQ(terms.document_frequency(99), 0);
  EXPECT_EQ(terms.probability(1), 3. / 7);
  EXPECT_EQ(terms.probability(99), 0);
  EXPECT_DOUBLE_EQ(terms.inverse_document_frequency(2), idf(2));
  EXPECT_DOUBLE_EQ(terms.inverse_document_frequency(99), idf(0));
  EXPECT_EQ(made.titles().documents(), 3);
  EXPECT_EQ(made.titles().mean_length(), 3 / 3.);
  EXPECT_EQ(made.titles().document_frequency(1), 2);
  EXPECT_EQ(made.abstracts().document_frequency(1), 0);
}

TEST(TokenCorpusTest, CountsATextOnce) {
  TokenCorpus made = corpus();
  made.add({{1, 1}, {4}});
  EXPECT_EQ(made.documents().documents(), 3);
  made.add({{1}, {1, 4}});
  EXPECT_EQ(made.documents().documents(), 4) << "the same words, but not the same title";
}

TEST(LexicalFeaturesTest, Lengths) {
  const TokenText text = {{1}, {2, 3}};
  EXPECT_EQ(feature("query_length", {5, 5, 1, 2}, text), 4);
  EXPECT_EQ(feature("title_length", {1}, text), 1);
  EXPECT_EQ(feature("abstract_length", {1}, text), 2);
  EXPECT_EQ(feature("document_length", {1}, text), 3);
}

TEST(LexicalFeaturesTest, OverlapCountsDistinctWords) {
  EXPECT_FLOAT_EQ(feature("overlap", {5, 5, 1, 2}, {{1}, {2, 3}}), 2.f / 3);
  EXPECT_EQ(feature("overlap", {5}, {{1}, {2, 3}}), 0);
  EXPECT_EQ(feature("overlap", {}, {{1}, {2, 3}}), 0);
}

TEST(LexicalFeaturesTest, TermFrequencies) {
  // The document has word 1 twice and word 4 once; the query has word 1 twice.
  EXPECT_EQ(feature("tf", {1, 1, 4, 9}, {{1, 1}, {4}}), 2 + 2 + 1);
  EXPECT_FLOAT_EQ(feature("tf_idf", {1, 1, 4, 9}, {{1, 1}, {4}}),
                  static_cast<float>(2 * 2 * idf(2) + idf(1)));
}

TEST(LexicalFeaturesTest, Bm25) {
  const auto term = [](double n, double tf, double length, double mean) {
    return idf(n) * tf * (1.2 + 1) / (tf + 1.2 * (1 - 0.75 + 0.75 * length / mean));
  };
  const TokenText text = {{1, 1}, {4}};
  EXPECT_FLOAT_EQ(feature("bm25", {1, 4, 3, 9}, text),
                  static_cast<float>(term(2, 2, 3, 7. / 3) + term(1, 1, 3, 7. / 3)));
  EXPECT_FLOAT_EQ(feature("bm25_title", {1, 4, 3, 9}, text), static_cast<float>(term(2, 2, 2, 1)));
  EXPECT_FLOAT_EQ(feature("bm25_abstract", {1, 4, 3, 9}, text),
                  static_cast<float>(term(1, 1, 1, 4. / 3)));
}

TEST(LexicalFeaturesTest, QueryLikelihoods) {
  const TokenText text = {{1, 1}, {4}};
  const double p1 = 3. / 7, p2 = 2. / 7;  // word 9 is not in the corpus
  for (const auto& [name, lambda] :
       {std::pair("ql_jelinek_mercer_short", 0.1), {"ql_jelinek_mercer_long", 0.7}})
    EXPECT_FLOAT_EQ(
        feature(name, {1, 2, 9}, text),
        static_cast<float>(std::log((1 - lambda) * 2 / 3 + lambda * p1) + std::log(lambda * p2)));
  EXPECT_FLOAT_EQ(feature("ql_dirichlet", {1, 2, 9}, text),
                  static_cast<float>(std::log((2 + 2000 * p1) / (3 + 2000)) +
                                     std::log(2000 * p2 / (3 + 2000))));
}

TEST(LexicalFeaturesTest, AreFiniteWithoutWordsAndWithoutCorpus) {
  for (const std::vector<Token>& query : {std::vector<Token>{}, {1, 2}, {99}})
    for (const TokenText& text : {TokenText{{}, {}}, {{1}, {}}, {{}, {99}}})
      for (const TokenCorpus& over : {TokenCorpus(), corpus()})
        for (const float value : lexical_features(query, text, over))
          EXPECT_TRUE(std::isfinite(value));
}

}  // namespace
}  // namespace ultr::lexical_features_test
