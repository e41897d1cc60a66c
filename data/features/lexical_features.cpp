#include "data/features/lexical_features.h"

#include <algorithm>
#include <cmath>

namespace ultr {
namespace {

std::vector<Token> joined(const TokenText& text) {
  std::vector<Token> all = text.title;
  all.insert(all.end(), text.abstract.begin(), text.abstract.end());
  return all;
}

/// Hashes the words with FNV-1a. A number that is not a token separates title and abstract.
std::uint64_t hash(const TokenText& text) {
  std::uint64_t state = 0xcbf29ce484222325u;
  const auto mix = [&](Token token) {
    for (int shift = 0; shift < 32; shift += 8)
      state = (state ^ (token >> shift & 0xffu)) * 0x100000001b3u;
  };
  for (const Token token : text.title) mix(token);
  mix(largest_token + 1);
  for (const Token token : text.abstract) mix(token);
  return state;
}

double frequency(Token token, std::span<const Token> text) {
  return static_cast<double>(std::count(text.begin(), text.end(), token));
}

double bm25(std::span<const Token> query, std::span<const Token> text,
            const TermStatistics& terms) {
  constexpr double k1 = 1.2, b = 0.75;
  const double mean = terms.mean_length();
  const double length = mean == 0 ? 0 : static_cast<double>(text.size()) / mean;
  double sum = 0;
  for (const Token token : query) {
    const double tf = frequency(token, text);
    sum +=
        terms.inverse_document_frequency(token) * tf * (k1 + 1) / (tf + k1 * (1 - b + b * length));
  }
  return sum;
}

/// Σ ln smoothed(tf, p) over the query's words that occur in the corpus.
template <class Smoothed>
double query_likelihood(std::span<const Token> query, std::span<const Token> text,
                        const TermStatistics& terms, Smoothed smoothed) {
  double sum = 0;
  for (const Token token : query) {
    const double p = terms.probability(token);
    if (p > 0) sum += std::log(smoothed(frequency(token, text), p));
  }
  return sum;
}

double jelinek_mercer(std::span<const Token> query, std::span<const Token> text,
                      const TermStatistics& terms, double lambda) {
  const double length = std::max(static_cast<double>(text.size()), 1.);  // avoids 0 / 0
  return query_likelihood(query, text, terms, [&](double tf, double p) {
    return (1 - lambda) * tf / length + lambda * p;
  });
}

double dirichlet(std::span<const Token> query, std::span<const Token> text,
                 const TermStatistics& terms) {
  constexpr double mu = 2000;
  const auto length = static_cast<double>(text.size());
  return query_likelihood(query, text, terms,
                          [&](double tf, double p) { return (tf + mu * p) / (length + mu); });
}

}  // namespace

void TermStatistics::add(std::span<const Token> text) {
  ++documents_;
  length_ += static_cast<double>(text.size());
  for (const Token token : text) {
    if (counts_.size() <= token) counts_.resize(token + 1);
    Count& count = counts_[token];
    ++count.occurrences;
    if (count.last_document != documents_) ++count.documents;
    count.last_document = documents_;
  }
}

double TermStatistics::document_frequency(Token token) const {
  return token < counts_.size() ? counts_[token].documents : 0;
}

double TermStatistics::probability(Token token) const {
  return token < counts_.size() && length_ > 0 ? counts_[token].occurrences / length_ : 0;
}

double TermStatistics::inverse_document_frequency(Token token) const {
  const double n = document_frequency(token);
  return std::log1p((documents_ - n + 0.5) / (n + 0.5));
}

void TokenCorpus::add(const TokenText& text) {
  if (!known_.insert(hash(text)).second) return;
  titles_.add(text.title);
  abstracts_.add(text.abstract);
  documents_.add(joined(text));
}

std::array<float, lexical_feature_names.size()> lexical_features(std::span<const Token> query,
                                                                 const TokenText& text,
                                                                 const TokenCorpus& corpus) {
  const std::vector<Token> all = joined(text);
  const TermStatistics& terms = corpus.documents();
  std::vector<Token> distinct(query.begin(), query.end());
  std::sort(distinct.begin(), distinct.end());
  distinct.erase(std::unique(distinct.begin(), distinct.end()), distinct.end());
  const auto found = std::count_if(distinct.begin(), distinct.end(),
                                   [&](Token token) { return frequency(token, all) > 0; });
  double tf = 0, tf_idf = 0;
  for (const Token token : query) {
    tf += frequency(token, all);
    tf_idf += frequency(token, all) * terms.inverse_document_frequency(token);
  }
  const auto size = [](const auto& words) { return static_cast<double>(words.size()); };
  const std::array<double, lexical_feature_names.size()> values = {
      size(query),
      size(text.title),
      size(text.abstract),
      size(all),
      distinct.empty() ? 0 : static_cast<double>(found) / size(distinct),
      tf,
      tf_idf,
      bm25(query, all, terms),
      bm25(query, text.title, corpus.titles()),
      bm25(query, text.abstract, corpus.abstracts()),
      jelinek_mercer(query, all, terms, 0.1),
      jelinek_mercer(query, all, terms, 0.7),
      dirichlet(query, all, terms)};
  std::array<float, lexical_feature_names.size()> features;
  std::transform(values.begin(), values.end(), features.begin(),
                 [](double value) { return static_cast<float>(value); });
  return features;
}

}  // namespace ultr
