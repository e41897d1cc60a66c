#pragma once

#include "data/features/lexical_features.h"
#include "data/simulation/list_generator.h"

namespace ultr {

/// Generates judged lists of documents made of the words of topics, in which words predict
/// relevance only together with the query:
///
///     a topic      words_per_topic words of its own
///     a query      query_words words of one topic, drawn uniformly
///     a document   a title of 5 words and an abstract of 15. With probability s, a word is drawn
///     from
///                  the topic of the query; else from another topic, which the document chose, or
///                  with probability 0.4 from common_words words that all documents use
///     a label      y from 0 to 4, drawn with probabilities 0.4, 0.25, 0.2, 0.1, 0.05; s = 0.2 y
///
/// All topics are equally likely, so a document alone tells nothing. Lexical features, which are
/// those of lexical_features.h, count the words that document and query share, which is few of the
/// words of their topic: they rank better than chance, but a ranker that has learned which words
/// belong together ranks better. Parts have different queries; word statistics are from training
/// documents only.
class TopicLists final : public ListGenerator {
 public:
  void fields(Fields& f) override;
  bool has_words() const override { return true; }
  Parts make() const override;

 private:
  std::int64_t train_queries_ = 1000, valid_queries_ = 200, test_queries_ = 500, length_ = 10,
               topics_ = 20, words_per_topic_ = 30, common_words_ = 200, query_words_ = 2,
               seed_ = 1;
};

}  // namespace ultr
