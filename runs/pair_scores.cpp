#include "runs/pair_scores.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <span>

#include <fmt/core.h>

#include "base/error.h"
#include "base/text/quote.h"
#include "dsl/relevance_layer.h"
#include "layers/sequence_encoder.h"
#include "training/predictor.h"

namespace ultr {
namespace {

/// Returns true if relevance reads the words of documents (`of_words`), or anything else of them.
bool is_read(const TrainableModel& model, bool of_words) {
  std::vector<const TrainableModel::Layer*> layers = relevance_factors(model);
  if (layers.empty())  // of a combination of parameters
    for (const TrainableModel::Layer& layer : model.layers())
      if (is_of_documents(layer.domain)) layers.push_back(&layer);
  return std::ranges::any_of(layers, [&](const TrainableModel::Layer* layer) {
    return (dynamic_cast<const SequenceEncoder*>(layer->layer.get()) != nullptr) == of_words;
  });
}

/// Returns true if both scale every number alike, to the bit.
bool are_same(const FeatureScaling& a, const FeatureScaling& b) {
  const auto same = [](const FeatureScaling::Feature& x, const FeatureScaling::Feature& y) {
    return x.mean == y.mean && x.deviation == y.deviation;
  };
  return a.log1p() == b.log1p() && a.keeps_missing() == b.keeps_missing() &&
         std::ranges::equal(a.statistics(), b.statistics(), same);
}

/// Returns the features of the rows of the dictionary. Where documents of the training sessions
/// bring their own, these are those with which a pair is first shown.
FeatureTable features_of_pairs(const Dataset& dataset) {
  const SessionLog& log = dataset.train;
  if (log.features().empty()) return dataset.features;
  std::vector<std::uint32_t> first(static_cast<std::size_t>(dataset.dictionary.rows()));
  for (std::size_t document = log.documents(); document-- > 0;)
    first[log.rows()[document]] = static_cast<std::uint32_t>(document + 1);
  return log.features().of_rows(std::span(first).subspan(1));
}

}  // namespace

void refuse_unknown_pairs(const SavedModel& saved) {
  throw DataError(
      fmt::format("{}: knows none of the query-document pairs of the training sessions; expected a "
                  "run that was trained on these pairs",
                  saved.run().string()));
}

PairScores::PairScores(const std::filesystem::path& run, Registry& registry, int threads)
    : saved_(run, registry), threads_(threads) {
  const Predictor predictor(saved_.model(), 1);
  reads_dictionary_ = predictor.reads_dictionary();
  reads_positions_ = predictor.relevance_reads_positions();
  reads_words_ = is_read(saved_.model(), true);
  reads_features_ = is_read(saved_.model(), false);
}

std::vector<float> PairScores::features(const ExperimentData& data,
                                        const FeatureTable& known) const {
  const std::size_t count = saved_.features(), rows = static_cast<std::size_t>(known.rows());
  std::vector<float> values(rows * count);  // row 0 is zero
  if (!reads_features_) return values;
  if (static_cast<std::size_t>(known.count()) != count)
    throw DataError(fmt::format(
        "{}: its model reads {} features per document, and the data have {}; expected equally "
        "many",
        saved_.run().string(), count, known.count()));
  const auto &ours = data.feature_names, &theirs = saved_.feature_names();
  for (std::size_t i = 0; i < count && !ours.empty() && !theirs.empty(); ++i)
    if (ours[i] != theirs[i])
      throw DataError(
          fmt::format("{}: feature {} of its model is {}, that of the data {}; "
                      "expected the same features in the same order",
                      saved_.run().string(), i + 1, quote(theirs[i]), quote(ours[i])));
  const std::span<const std::size_t> order = data.bias_columns.order();
  const bool as_they_are = are_same(*data.scaling, *saved_.scaling()) &&
                           std::ranges::equal(order, saved_.bias_columns().order());
  for (std::size_t row = 1; row < rows; ++row) {
    const std::span<const float> from = known.row(static_cast<std::int64_t>(row));
    const std::span<float> to = std::span(values).subspan(row * count, count);
    if (as_they_are) {
      std::ranges::copy(from, to.begin());
      continue;
    }
    for (std::size_t i = 0; i < count; ++i) {
      const std::size_t feature = order.empty() ? i : order[i];
      // Numbers that were missing stay replaced.
      to[feature] = static_cast<float>(data.scaling->undo(from[i], feature));
    }
    saved_.scaling()->apply(to);
    saved_.bias_columns().move_last(to);
  }
  return values;
}

TokenTable PairScores::words(const ExperimentData& data, const TokenTable& known) const {
  const std::int64_t vocabulary = saved_.model().setting().features.tokens().vocabulary();
  const Vocabulary &ours = data.vocabulary, &theirs = saved_.vocabulary();
  if (known.empty())
    throw DataError(fmt::format("{}: its model reads words, which the data do not have",
                                saved_.run().string()));
  if (theirs.empty() != ours.empty())
    throw DataError(fmt::format("{}: its model reads {}, and the data have {}; expected the same",
                                saved_.run().string(), theirs.empty() ? "tokens" : "texts",
                                theirs.empty() ? "texts" : "tokens"));
  std::vector<std::uint32_t> token_of(static_cast<std::size_t>(first_word));  // by our token
  std::iota(token_of.begin(), token_of.end(), 0u);
  for (const std::string& word : ours.words_by_token()) token_of.push_back(theirs.find(word));
  TokenColumnsBuilder builder;
  std::vector<std::uint32_t> tokens;
  for (std::int64_t row = 1; row < known.rows(); ++row) {
    const DocumentTokens words = known[row];
    tokens.assign(words.tokens.begin(), words.tokens.end());
    if (!theirs.empty())
      for (std::uint32_t& token : tokens) token = token_of.at(token);
    builder.add(tokens, words.types);
  }
  return {builder.build(), vocabulary};
}

FeatureTable PairScores::inputs(const ExperimentData& data) const {
  const FeatureTable known = features_of_pairs(data.dataset);
  if (known.empty())
    throw DataError(fmt::format("{}: its model reads {} of documents, which the data do not have",
                                saved_.run().string(), reads_words_ ? "words" : "features"));
  FeatureTable table(features(data, known), static_cast<std::int64_t>(saved_.features()),
                     static_cast<std::int64_t>(saved_.bias_columns().count()),
                     saved_.scaling()->keeps_missing());
  if (reads_words_) table.set_tokens(words(data, known.tokens()));
  return table;
}

std::vector<std::uint32_t> PairScores::rows_in_run(const PairDictionary& pairs) const {
  std::vector<std::uint32_t> rows(static_cast<std::size_t>(pairs.rows()), PairDictionary::unknown);
  if (!reads_dictionary_) return rows;
  const std::vector<std::uint64_t> queries = pairs.queries(), documents = pairs.documents();
  for (std::size_t row = 1; row < rows.size(); ++row)
    rows[row] = saved_.dictionary().find(queries[row], documents[row]);
  const auto unknown = std::ranges::count(rows, PairDictionary::unknown);
  if (static_cast<std::size_t>(unknown) == rows.size()) refuse_unknown_pairs(saved_);
  return rows;
}

std::vector<double> PairScores::of(const ExperimentData& data) const {
  std::vector<double> scores =
      relevance_logits(saved_.model(), rows_in_run(data.dataset.dictionary), threads_,
                       saved_.features() > 0 ? inputs(data) : FeatureTable());
  for (std::size_t row = 1; row < scores.size(); ++row)
    if (!std::isfinite(scores[row]))
      throw DataError(fmt::format(
          "{}: its model scores a document as {}; expected a finite number, as for documents like "
          "those that it was trained on",
          saved_.run().string(), scores[row]));
  return scores;
}

}  // namespace ultr
