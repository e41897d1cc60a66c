#include "data/simulation/synthetic_lists.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include <fmt/core.h>

#include "base/random.h"
#include "base/sigmoid.h"
#include "data/features/feature_lists_builder.h"
#include "data/simulation/simulated_relevance.h"
#include "options/config_tree.h"

namespace ultr {
namespace {

/// Steps of RandomPurpose::synthetic_data. Simulated relevance uses 0 and 1, OneHotLists 3 and 4.
constexpr std::uint32_t query_step = 2, view_step = 5, further_feature_step = 6,
                        difficulty_step = 7;
constexpr std::size_t named_features = lexical_feature_names.size() + page_feature_names.size();
constexpr double vocabulary = 20000;

/// Draws exp(mean + deviation N), N standard normal, rounded and clamped to [low, high].
std::size_t log_normal(RandomStream& random, double mean, double deviation, double low,
                       double high) {
  const double drawn = std::round(std::exp(mean + deviation * random.normal()));
  return static_cast<std::size_t>(std::clamp(drawn, low, high));
}

/// Draws a word by Zipf's law with exponent 1 over the words from rank `first` on.
Token word(RandomStream& random, double first = 1) {
  return static_cast<Token>(first * std::pow(vocabulary / first, random.uniform())) - 1;
}

struct Page {
  TokenText text;
  std::array<float, page_feature_names.size()> features = {};
  double utility = 0;
  double topicality = 0, authority = 0;
  bool stuffed = false;
};

struct QueryPages {
  std::vector<Token> words;
  std::vector<Page> pages;
  double offset = 0;  // q
};

std::vector<Token> query_words(RandomStream& random) {
  std::size_t count = 1;
  while (count < 6 && random.uniform() < 0.62) ++count;
  std::vector<Token> words(count);
  for (Token& w : words) w = word(random, 30);
  return words;
}

/// Draws how much of a page is about each of the query's words, as cumulative shares.
std::vector<double> emphasis(std::size_t words, RandomStream& random) {
  std::vector<double> cumulative(words);
  double sum = 0;
  for (double& c : cumulative) c = sum += std::exp(random.normal());
  for (double& c : cumulative) c /= sum;
  return cumulative;
}

/// Draws `length` words, each from the query with probability `share`.
std::vector<Token> text(std::size_t length, double share, const std::vector<Token>& query,
                        const std::vector<double>& emphasised, RandomStream& random) {
  std::vector<Token> words(length);
  for (Token& w : words) {
    if (random.uniform() >= share) {
      w = word(random);
      continue;
    }
    const auto chosen = std::lower_bound(emphasised.begin(), emphasised.end(), random.uniform());
    w = query[static_cast<std::size_t>(
        std::min<std::ptrdiff_t>(chosen - emphasised.begin(), std::ssize(query) - 1))];
  }
  return words;
}

Page make_page(const std::vector<Token>& query, double query_offset, double noise,
               RandomStream& random) {
  const double topicality = random.normal(), authority = random.normal();
  const bool stuffed = random.uniform() < 0.08;
  Page page;
  const std::vector<double> emphasised = emphasis(query.size(), random);
  const double more_words = std::sqrt(static_cast<double>(query.size()) / 2.5);
  page.text.title =
      text(log_normal(random, 1.7, 0.4, 1, 30), 0.5 * more_words * sigmoid(1.5 * topicality - 0.5),
           query, emphasised, random);
  page.text.abstract = text(log_normal(random, 4.3, 0.8, 5, 3000),
                            0.08 * more_words * (stuffed ? 3 : 1) * sigmoid(1.5 * topicality - 1),
                            query, emphasised, random);
  const auto estimate = [&] { return 0.7 * authority + 0.7 * random.normal(); };
  page.features = {std::floor(static_cast<float>(std::exp(2 + 1.2 * estimate()))),
                   std::floor(static_cast<float>(std::exp(4 + 1.5 * estimate()))),
                   std::round(static_cast<float>(100 * sigmoid(1.4 * estimate()))),
                   1 + std::floor(static_cast<float>(std::exp(0.6 - 0.4 * estimate())))};
  page.topicality = topicality;
  page.authority = authority;
  page.stuffed = stuffed;
  page.utility = topicality + 0.8 * std::min(topicality, authority) - (stuffed ? 1.5 : 0) +
                 0.5 * query_offset + noise * random.normal();
  return page;
}

/// The features beyond the named ones.
class FurtherFeatures {
 public:
  FurtherFeatures(std::uint64_t seed, std::size_t count) : seed_(seed) {
    for (std::size_t j = 0; j < count; ++j) {
      RandomStream random(seed, RandomPurpose::synthetic_data, further_feature_step, j);
      Feature& feature = features_.emplace_back();
      feature.form = static_cast<Form>(random.below(3));
      // A weight is not 0 for one view in three. Every fifth feature has none.
      for (double& weight : feature.weights)
        weight = random.below(3) == 0 && j % 5 != 4 ? random.normal() : 0;
    }
  }

  /// Sets the features of a page, which is number `page` of all.
  void write(const Page& page, double query_offset, std::uint64_t number,
             std::span<float> row) const {
    if (features_.empty()) return;
    RandomStream random(seed_, RandomPurpose::synthetic_data, view_step, number);
    const std::array<double, views> seen = {
        page.topicality + 1.5 * random.normal(),  page.topicality + 1.5 * random.normal(),
        page.authority + 1.5 * random.normal(),   page.authority + 1.5 * random.normal(),
        (page.stuffed ? 1 : 0) + random.normal(), query_offset};
    for (std::size_t j = 0; j < features_.size(); ++j) {
      const Feature& feature = features_[j];
      double x = 0.5 * random.normal();
      for (std::size_t v = 0; v < views; ++v) x += feature.weights[v] * seen[v];
      if (feature.form == Form::count) x = std::floor(std::exp(2 + std::min(x, 8.)));
      if (feature.form == Form::share) x = sigmoid(x);
      row[j] = static_cast<float>(x);
    }
  }

 private:
  static constexpr std::size_t views = 6;
  enum class Form : std::uint8_t { plain, count, share };
  struct Feature {
    Form form = Form::plain;
    std::array<double, views> weights = {};
  };

  std::uint64_t seed_;
  std::vector<Feature> features_;
};

/// Returns the lowest utilities of pages with labels 1, 2, ....
std::vector<double> label_limits(const std::vector<QueryPages>& train,
                                 const std::vector<double>& shares) {
  std::vector<double> utilities;
  for (const QueryPages& query : train)
    for (const Page& page : query.pages) utilities.push_back(page.utility);
  std::sort(utilities.begin(), utilities.end());
  const double sum = std::accumulate(shares.begin(), shares.end(), 0.);
  std::vector<double> limits;
  double below = 0;
  for (std::size_t label = 0; label + 1 < shares.size(); ++label) {
    below += shares[label] / sum;
    const auto at =
        static_cast<std::size_t>(std::llround(below * static_cast<double>(utilities.size())));
    limits.push_back(at < utilities.size() ? utilities[at] : HUGE_VAL);
  }
  return limits;
}

}  // namespace

void SyntheticLists::fields(Fields& f) {
  f.integer("train_queries", train_queries_, "Training lists.", between(1, 1e6));
  f.integer("valid_queries", valid_queries_, "Validation lists.", between(0, 1e6));
  f.integer("test_queries", test_queries_, "Test lists.", between(0, 1e6));
  f.integer("shortest", shortest_, "Documents in the shortest lists.", between(1, 10000));
  f.integer("longest", longest_,
            "Documents in the longest lists; all lengths between are equally likely.",
            between(1, 10000));
  f.integer("features", features_,
            "Features of a document; those beyond the named 17 are noisy measurements.",
            between(static_cast<double>(named_features), 10000));
  f.number("noise", noise_, "Standard deviation of the noise in labels.", at_least(0));
  f.number("difficulty", difficulty_,
           "Standard deviation, over queries, of the logarithm of this noise.", between(0, 3));
  f.numbers("label_shares", label_shares_, "Relative frequencies of labels 0 to 4.", at_least(0));
  f.boolean("words", words_, "Keep the words of queries and pages.");
  f.integer("seed", seed_, "Seed of the lists; independent of the experiment's.", at_least(0));
}

void SyntheticLists::check() const {
  if (shortest_ > longest_)
    throw ConfigError(
        fmt::format("data.reader: shortest is {} and longest is {}; expected shortest <= longest",
                    shortest_, longest_));
  if (label_shares_.size() != largest_simulated_label + 1)
    throw ConfigError(
        fmt::format("data.reader: label_shares has {} numbers; expected {}, one per label from 0",
                    label_shares_.size(), largest_simulated_label + 1));
  if (std::accumulate(label_shares_.begin(), label_shares_.end(), 0.) <= 0)
    throw ConfigError("data.reader: label_shares are all 0; expected some above 0");
}

double SyntheticLists::difficulty_of(std::uint64_t query) const {
  if (difficulty_ == 0) return 1;
  RandomStream random(static_cast<std::uint64_t>(seed_), RandomPurpose::synthetic_data,
                      difficulty_step, query);
  return std::exp(difficulty_ * random.normal() - difficulty_ * difficulty_ / 2);
}

ListGenerator::Parts SyntheticLists::make() const {
  std::uint64_t query_number = 0;
  const auto make_pages = [&](std::int64_t count) {
    std::vector<QueryPages> queries(static_cast<std::size_t>(count));
    for (QueryPages& query : queries) {
      RandomStream random(static_cast<std::uint64_t>(seed_), RandomPurpose::synthetic_data,
                          query_step, ++query_number);
      const auto lengths = static_cast<std::uint64_t>(longest_ - shortest_ + 1);
      query.pages.resize(static_cast<std::size_t>(shortest_) + random.below(lengths));
      query.words = query_words(random);
      query.offset = random.normal();
      const double noise = noise_ * difficulty_of(query_number);
      for (Page& page : query.pages) page = make_page(query.words, query.offset, noise, random);
    }
    return queries;
  };
  const std::vector<QueryPages> train = make_pages(train_queries_);
  const std::vector<double> limits = label_limits(train, label_shares_);
  TokenCorpus corpus;
  for (const QueryPages& query : train)
    for (const Page& page : query.pages) corpus.add(page.text);

  const auto features = static_cast<std::size_t>(features_);
  const FurtherFeatures further(static_cast<std::uint64_t>(seed_), features - named_features);
  std::uint64_t query_id = 0, document_id = 0;
  const auto make_lists = [&](const std::vector<QueryPages>& queries) {
    FeatureListsBuilder builder(features);
    for (const QueryPages& query : queries) {
      builder.start_list(++query_id);
      for (const Page& page : query.pages) {
        const auto label = std::upper_bound(limits.begin(), limits.end(), page.utility);
        const std::span<float> row = builder.add(
            {.id = ++document_id, .label = static_cast<std::int32_t>(label - limits.begin())});
        const auto lexical = lexical_features(query.words, page.text, corpus);
        std::copy(page.features.begin(), page.features.end(),
                  std::copy(lexical.begin(), lexical.end(), row.begin()));
        further.write(page, query.offset, document_id, row.subspan(named_features));
        if (words_) add_words(query.words, page.text, builder);
      }
    }
    return queries.empty() ? FeatureLists() : builder.build();
  };
  Parts parts;
  parts.train = make_lists(train);
  parts.valid = make_lists(make_pages(valid_queries_));
  parts.test = make_lists(make_pages(test_queries_));
  return parts;
}

}  // namespace ultr
