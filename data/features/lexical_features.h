#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>
#include <unordered_set>
#include <vector>

namespace ultr {

/// A word as its number in a vocabulary of up to 2^20 words.
using Token = std::uint32_t;
inline constexpr Token largest_token = (1u << 20) - 1;

/// The text of a document.
struct TokenText {
  std::vector<Token> title, abstract;
};

/// Word counts in one field of a corpus.
class TermStatistics {
 public:
  /// Counts the words of one more document.
  void add(std::span<const Token> text);

  double documents() const { return documents_; }
  /// Mean number of words of a document.
  double mean_length() const { return documents_ == 0 ? 0 : length_ / documents_; }
  /// Number of documents that contain the word.
  double document_frequency(Token token) const;
  /// Fraction of the corpus's words that are this word.
  double probability(Token token) const;
  /// ln(1 + (N - n + 1/2) / (n + 1/2)) for N documents, n of which contain the word. Always
  /// positive.
  double inverse_document_frequency(Token token) const;

 private:
  struct Count {
    double documents = 0, occurrences = 0;
    double last_document = 0;  // the latest that has the word, from 1
  };
  std::vector<Count> counts_;  // by token
  double documents_ = 0, length_ = 0;
};

/// The documents whose words are counted. Each distinct text counts once.
class TokenCorpus {
 public:
  /// Adds a document, unless the same text was added before.
  void add(const TokenText& text);

  const TermStatistics& titles() const { return titles_; }
  const TermStatistics& abstracts() const { return abstracts_; }
  /// Statistics of title and abstract together.
  const TermStatistics& documents() const { return documents_; }

 private:
  TermStatistics titles_, abstracts_, documents_;
  std::unordered_set<std::uint64_t> known_;  // hashes of texts
};

/// Names of the features, in order. In the formulas, q stands for the query's words (a repeated
/// word counts each time), d for the words of title and abstract, tf for the number of times a word
/// occurs in d, idf for TermStatistics::inverse_document_frequency, and p(t) for a word's
/// probability in the corpus:
///
///     query_length, title_length, abstract_length, document_length    in words
///     overlap                    fraction of the query's distinct words that are in d; 0 without
///                                words
///     tf                         Σ_q tf
///     tf_idf                     Σ_q tf idf
///     bm25, bm25_title, bm25_abstract
///         Σ_q idf tf (k1 + 1) / (tf + k1 (1 - b + b |d| / mean |d|)), k1 = 1.2, b = 0.75, over d
///         and over each field alone (Robertson & Zaragoza, 2009)
///     ql_jelinek_mercer_short, ql_jelinek_mercer_long
///         Σ_q ln((1 - λ) tf / |d| + λ p), λ = 0.1 for short and 0.7 for long queries
///     ql_dirichlet               Σ_q ln((tf + μ p) / (|d| + μ)), μ = 2000
///
/// For the smoothing see Zhai & Lafferty, 2004. The query likelihoods (ql) leave out words that are
/// not in the corpus, which would make them -∞ for every document.
inline constexpr std::array<std::string_view, 13> lexical_feature_names = {
    "query_length",
    "title_length",
    "abstract_length",
    "document_length",
    "overlap",
    "tf",
    "tf_idf",
    "bm25",
    "bm25_title",
    "bm25_abstract",
    "ql_jelinek_mercer_short",
    "ql_jelinek_mercer_long",
    "ql_dirichlet"};

/// Returns the features of a query and a document, which need not be in the corpus.
std::array<float, lexical_feature_names.size()> lexical_features(std::span<const Token> query,
                                                                 const TokenText& text,
                                                                 const TokenCorpus& corpus);

}  // namespace ultr
