#include "runs/teacher.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <span>

#include <fmt/core.h>

#include "base/error.h"
#include "base/text/quote.h"
#include "dsl/relevance_layer.h"
#include "experiment/run_directory.h"
#include "layers/sequence_encoder.h"
#include "losses/distill.h"
#include "options/config_tree.h"
#include "training/predictor.h"
#include "training/ranking_evaluation.h"

namespace ultr {
namespace {

bool is_read(const TrainableModel& model, bool of_words) {
  std::vector<const TrainableModel::Layer*> layers = relevance_factors(model);
  if (layers.empty())  // of a combination of parameters
    for (const TrainableModel::Layer& layer : model.layers())
      if (is_of_documents(layer.domain)) layers.push_back(&layer);
  return std::ranges::any_of(layers, [&](const TrainableModel::Layer* layer) {
    return (dynamic_cast<const SequenceEncoder*>(layer->layer.get()) != nullptr) == of_words;
  });
}

/// Undoes FeatureScaling::apply, up to rounding; numbers that were missing stay replaced.
double unscaled(double x, const FeatureScaling& scaling, std::size_t feature) {
  const FeatureScaling::Feature& its = scaling.statistics()[feature];
  const double y = x * its.deviation + its.mean;
  return scaling.log1p() ? std::copysign(std::expm1(std::abs(y)), y) : y;
}

/// Returns true if both scale every number alike, to the bit.
bool are_same(const FeatureScaling& a, const FeatureScaling& b) {
  const auto same = [](const FeatureScaling::Feature& x, const FeatureScaling::Feature& y) {
    return x.mean == y.mean && x.deviation == y.deviation;
  };
  return a.log1p() == b.log1p() && a.keeps_missing() == b.keeps_missing() &&
         std::ranges::equal(a.statistics(), b.statistics(), same);
}

/// Returns a log with other targets: those of the rows of its documents.
SessionLog with_targets(const SessionLog& log, std::span<const float> by_row) {
  SessionLog taught;
  std::vector<float> targets;
  for (std::size_t i = 0; i < log.sessions(); ++i) {
    SessionView session = log[i];
    targets.clear();
    for (const std::uint32_t row : session.rows) targets.push_back(by_row[row]);
    session.targets = targets;
    taught.add(session);
  }
  if (!log.features().empty()) taught.set_features(log.features());
  return taught;
}

/// Returns the lists on which student and teacher are compared. Labels do not matter.
JudgedLists held_out(const Dataset& dataset) {
  if (dataset.labels.size() > 0) return dataset.labels;
  const SessionLog& log = dataset.test.sessions() > 0    ? dataset.test
                          : dataset.valid.sessions() > 0 ? dataset.valid
                                                         : dataset.train;
  JudgedLists lists;
  for (std::size_t i = 0; i < log.sessions(); ++i)
    lists.add(log[i].rows, std::vector<int>(log[i].rows.size()), log[i].query);
  return lists;
}

}  // namespace

Teacher::Teacher(const std::filesystem::path& run, Registry& registry, int threads)
    : saved_(run, registry), threads_(threads) {
  const Predictor predictor(saved_.model(), 1);
  if (saved_.features() == 0 || predictor.reads_dictionary() ||
      predictor.relevance_reads_positions())
    throw DataError(fmt::format(
        "{}: cannot teach: the relevance of its model, {}, depends on {}; expected a tower over "
        "the features or words of documents",
        run.string(), saved_.model().type(),
        predictor.relevance_reads_positions() ? "positions" : "query-document pairs by number"));
  reads_words_ = is_read(saved_.model(), true);
  reads_features_ = is_read(saved_.model(), false);
}

std::vector<float> Teacher::features(const ExperimentData& data) const {
  const FeatureTable& known = data.dataset.features;
  const std::size_t count = saved_.features(), rows = static_cast<std::size_t>(known.rows());
  std::vector<float> values(rows * count);  // row 0 is zero
  if (!reads_features_) return values;
  if (static_cast<std::size_t>(known.count()) != count)
    throw DataError(fmt::format(
        "{}: the teacher reads {} features per document, and the data have {}; expected equally "
        "many",
        saved_.run().string(), count, known.count()));
  const auto &ours = data.feature_names, &theirs = saved_.feature_names();
  for (std::size_t i = 0; i < count && !ours.empty() && !theirs.empty(); ++i)
    if (ours[i] != theirs[i])
      throw DataError(
          fmt::format("{}: feature {} of the teacher is {}, that of the data {}; "
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
      to[feature] =
          static_cast<float>(unscaled(static_cast<double>(from[i]), *data.scaling, feature));
    }
    saved_.scaling()->apply(to);
    saved_.bias_columns().move_last(to);
  }
  return values;
}

TokenTable Teacher::words(const ExperimentData& data) const {
  const TokenTable& known = data.dataset.features.tokens();
  const std::int64_t vocabulary = saved_.model().setting().features.tokens().vocabulary();
  const Vocabulary &ours = data.vocabulary, &theirs = saved_.vocabulary();
  if (known.empty())
    throw DataError(fmt::format("{}: the teacher reads words, which the data do not have",
                                saved_.run().string()));
  if (theirs.empty() != ours.empty())
    throw DataError(fmt::format("{}: the teacher reads {}, and the data have {}; expected the same",
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

FeatureTable Teacher::inputs(const ExperimentData& data) const {
  if (data.dataset.features.empty())
    throw DataError(fmt::format("{}: the teacher reads {} of documents, which the data do not have",
                                saved_.run().string(), reads_words_ ? "words" : "features"));
  FeatureTable table(features(data), static_cast<std::int64_t>(saved_.features()),
                     static_cast<std::int64_t>(saved_.bias_columns().count()),
                     saved_.scaling()->keeps_missing());
  if (reads_words_) table.set_tokens(words(data));
  return table;
}

std::vector<float> Teacher::scores(const ExperimentData& data) const {
  const std::vector<double> logits =
      relevance_logits(saved_.model(), data.dataset.dictionary.rows(), threads_, inputs(data));
  std::vector<float> scores(logits.begin(), logits.end());
  for (std::size_t row = 1; row < scores.size(); ++row)
    if (!std::isfinite(scores[row]))
      throw DataError(fmt::format(
          "{}: the teacher scores a document as {}; expected a finite number, as for documents "
          "like those that it was trained on",
          saved_.run().string(), scores[row]));
  return scores;
}

std::string teacher_of(const TrainableModel& model) {
  const auto* loss = dynamic_cast<const DistillLoss*>(&model.story());
  return loss == nullptr ? std::string() : loss->teacher();
}

std::optional<Teacher> make_teacher(const TrainableModel& model, const ExperimentOptions& options) {
  if (dynamic_cast<const DistillLoss*>(&model.story()) == nullptr) return std::nullopt;
  const std::string run = teacher_of(model);
  if (run.empty())
    throw ConfigError("loss.teacher is missing; expected the folder of a trained run");
  return std::optional<Teacher>(std::in_place, run, *options.known_types, count_threads(options));
}

std::optional<TaughtData> taught_data(const TrainableModel& model, const ExperimentOptions& options,
                                      const ExperimentData& data) {
  const std::optional<Teacher> teacher = make_teacher(model, options);
  if (!teacher) return std::nullopt;
  TaughtData taught{.teacher = teacher_of(model),
                    .model_type = teacher->model_type(),
                    .scores = teacher->scores(data),
                    .data = {.dataset = {},
                             .scaling = data.scaling,
                             .bias_columns = data.bias_columns,
                             .feature_names = data.feature_names,
                             .vocabulary = data.vocabulary,
                             .learns_labels = false,
                             .truth = data.truth,
                             .policy_scores = data.policy_scores,
                             .position_bias = data.position_bias}};
  const Dataset& given = data.dataset;
  taught.data.dataset = {.dictionary = {},
                         .train = with_targets(given.train, taught.scores),
                         .valid = with_targets(given.valid, taught.scores),
                         .test = with_targets(given.test, taught.scores),
                         .features = given.features,
                         .labels = given.labels,
                         .positions = given.positions,
                         .notes = given.notes};
  return taught;
}

TeacherAgreement agreement_with_teacher(const TrainableModel& student, const TaughtData& taught,
                                        int threads) {
  const JudgedLists lists = held_out(taught.data.dataset);
  std::vector<double> theirs;
  for (std::size_t i = 0; i < lists.size(); ++i)
    for (const std::uint32_t row : lists.rows(i))
      theirs.push_back(static_cast<double>(taught.scores[row]));
  return {rank_agreement(relevance_logits(student, lists, threads), theirs, lists), taught.teacher,
          taught.model_type};
}

}  // namespace ultr
