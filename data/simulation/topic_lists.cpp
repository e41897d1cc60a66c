#include "data/simulation/topic_lists.h"

#include <algorithm>
#include <array>

#include "base/random.h"
#include "data/features/feature_lists_builder.h"

namespace ultr {
namespace {

/// Step of RandomPurpose::synthetic_data. Other made-up data use 0 to 7.
constexpr std::uint32_t topic_query_step = 8;
constexpr std::array<double, 5> topic_label_limits = {0.4, 0.65, 0.85, 0.95, 1};  // cumulative

struct Document {
  TokenText text;
  std::int32_t label = 0;
};

struct QueryDocuments {
  std::vector<Token> words;
  std::vector<Document> documents;
};

/// Draws words of topics and common words.
class Words {
 public:
  Words(std::int64_t topics, std::int64_t per_topic, std::int64_t common)
      : topics_(static_cast<std::uint64_t>(topics)),
        per_topic_(static_cast<std::uint64_t>(per_topic)),
        common_(static_cast<std::uint64_t>(common)) {}

  std::uint64_t topic(RandomStream& random) const { return random.below(topics_); }
  /// Draws another topic.
  std::uint64_t topic_other_than(std::uint64_t topic, RandomStream& random) const {
    return (topic + 1 + random.below(topics_ - 1)) % topics_;
  }
  Token of_topic(std::uint64_t topic, RandomStream& random) const {
    return static_cast<Token>(topic * per_topic_ + random.below(per_topic_));
  }
  Token common(RandomStream& random) const {
    return static_cast<Token>(topics_ * per_topic_ + random.below(common_));
  }

 private:
  std::uint64_t topics_, per_topic_, common_;
};

Document make_document(const Words& words, std::uint64_t topic, RandomStream& random) {
  constexpr double share_per_label = 0.2, common_share = 0.4;
  constexpr std::size_t title_words = 5, abstract_words = 15;
  const auto label =
      std::upper_bound(topic_label_limits.begin(), topic_label_limits.end(), random.uniform());
  Document document{.text = {},
                    .label = static_cast<std::int32_t>(label - topic_label_limits.begin())};
  const std::uint64_t other = words.topic_other_than(topic, random);
  const auto draw = [&](std::size_t count, std::vector<Token>& to) {
    for (std::size_t i = 0; i < count; ++i) {
      if (random.uniform() < share_per_label * document.label)
        to.push_back(words.of_topic(topic, random));
      else if (random.uniform() < common_share)
        to.push_back(words.common(random));
      else
        to.push_back(words.of_topic(other, random));
    }
  };
  draw(title_words, document.text.title);
  draw(abstract_words, document.text.abstract);
  return document;
}

}  // namespace

void TopicLists::fields(Fields& f) {
  f.integer("train_queries", train_queries_, "Training lists.", between(1, 1e6));
  f.integer("valid_queries", valid_queries_, "Validation lists.", between(0, 1e6));
  f.integer("test_queries", test_queries_, "Test lists.", between(0, 1e6));
  f.integer("length", length_, "Documents per list.", between(1, 10000));
  f.integer("topics", topics_, "Topics.", between(2, 1000));
  f.integer("words_per_topic", words_per_topic_, "Words that a topic has of its own.",
            between(1, 1000));
  f.integer("common_words", common_words_, "Words that documents of all topics use.",
            between(1, 10000));
  f.integer("query_words", query_words_, "Words of a query.", between(1, 100));
  f.integer("seed", seed_, "Seed of the lists; independent of the experiment's.", at_least(0));
}

ListGenerator::Parts TopicLists::make() const {
  const Words words(topics_, words_per_topic_, common_words_);
  std::uint64_t query_number = 0;
  const auto make_queries = [&](std::int64_t count) {
    std::vector<QueryDocuments> queries(static_cast<std::size_t>(count));
    for (QueryDocuments& query : queries) {
      RandomStream random(static_cast<std::uint64_t>(seed_), RandomPurpose::synthetic_data,
                          topic_query_step, ++query_number);
      const std::uint64_t topic = words.topic(random);
      for (std::int64_t i = 0; i < query_words_; ++i)
        query.words.push_back(words.of_topic(topic, random));
      for (std::int64_t i = 0; i < length_; ++i)
        query.documents.push_back(make_document(words, topic, random));
    }
    return queries;
  };
  const std::vector<QueryDocuments> train = make_queries(train_queries_);
  TokenCorpus corpus;
  for (const QueryDocuments& query : train)
    for (const Document& document : query.documents) corpus.add(document.text);

  std::uint64_t query_id = 0, document_id = 0;
  const auto make_lists = [&](const std::vector<QueryDocuments>& queries) {
    FeatureListsBuilder builder(lexical_feature_names.size());
    for (const QueryDocuments& query : queries) {
      builder.start_list(++query_id);
      for (const Document& document : query.documents) {
        const std::span<float> row = builder.add({.id = ++document_id, .label = document.label});
        const auto lexical = lexical_features(query.words, document.text, corpus);
        std::copy(lexical.begin(), lexical.end(), row.begin());
        add_words(query.words, document.text, builder);
      }
    }
    return queries.empty() ? FeatureLists() : builder.build();
  };
  return {.train = make_lists(train),
          .valid = make_lists(make_queries(valid_queries_)),
          .test = make_lists(make_queries(test_queries_))};
}

}  // namespace ultr
