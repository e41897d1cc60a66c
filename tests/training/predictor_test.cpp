#include "training/predictor.h"

#include <cmath>

#include <gtest/gtest.h>

#include "base/error.h"
#include "testing/small_log.h"

namespace ultr::predictor_test {
namespace {

constexpr std::int64_t features = 3;

/// Returns lists of 1 to 5 documents, of pairs 1, 2, ..., in several shards.
SessionLog uneven_log(std::uint32_t rows) {
  SessionLog log;
  std::uint32_t row = 0;
  for (std::size_t i = 0; i < 600; ++i) {
    std::vector<std::uint32_t> shown;
    std::vector<std::uint16_t> positions;
    std::vector<std::uint8_t> clicks;
    for (std::size_t k = 0; k <= i % 5; ++k) {
      shown.push_back(row++ % rows);
      positions.push_back(static_cast<std::uint16_t>(k));
      clicks.push_back(static_cast<std::uint8_t>((i + k) % 3 == 0));
    }
    log.add({.rows = shown, .positions = positions, .clicks = clicks});
  }
  return log;
}

/// Returns a feature value of a row.
float feature(std::int64_t row, std::int64_t column) {
  return row == 0 ? 0 : static_cast<float>(std::sin(static_cast<double>(row * 7 + column)));
}

FeatureTable table_of(std::span<const std::int64_t> rows) {
  std::vector<float> values(features);
  for (const std::int64_t row : rows)
    for (std::int64_t c = 0; c < features; ++c) values.push_back(feature(row, c));
  return {std::move(values), features};
}

TrainableModel pbm(const std::string& attraction, const ModelSetting& setting) {
  const Choice choice(testing::registry().models(), "pbm");
  testing::configure(*choice.options, "attraction: " + attraction);
  TrainableModel model = choice.as<ModelOptions>().build(setting);
  testing::randomise(model, -1, 1, 3);
  return model;
}

TEST(PredictorTest, NumbersAreThoseOfTheDocumentsInTheLogsOrder) {
  const SessionLog log = uneven_log(40);
  const TrainableModel model = pbm("{baseline: false}", {.rows = 40, .positions = 5});
  const Parameter &examination = *model.parameters()[0], &attraction = *model.parameters()[1];
  Predictor predictor(model, 2);
  EXPECT_TRUE(predictor.predicts_clicks());
  EXPECT_TRUE(predictor.reads_dictionary());
  EXPECT_FALSE(predictor.relevance_reads_positions());
  EXPECT_TRUE(predictor.clicks_read_positions());
  const auto relevance = predictor.relevance(log), click = predictor.click(log);
  ASSERT_EQ(relevance.size(), log.documents());
  const auto sigmoid = [](double x) { return 1 / (1 + std::exp(-x)); };
  for (std::size_t i = 0; i < log.sessions(); ++i)
    for (std::size_t k = 0; k < log.length(i); ++k) {
      const std::size_t at = log.first_document(i) + k;
      const double logit = attraction.value(log[i].rows[k]);
      ASSERT_NEAR(relevance[at], logit, 1e-6);
      ASSERT_NEAR(click[at], sigmoid(logit) * sigmoid(examination.value(static_cast<int>(k))),
                  1e-6);
    }
}

TEST(PredictorTest, AnyNumberOfThreadsGivesTheSameNumbers) {
  const SessionLog log = uneven_log(40);
  const TrainableModel model = testing::model_for("dbn", testing::small_simulation().dataset);
  Predictor one(model, 1), three(model, 3);
  EXPECT_EQ(one.relevance(log), three.relevance(log));
  EXPECT_EQ(one.click(log), three.click(log));
  EXPECT_EQ(one.click_given_clicks_above(log), three.click_given_clicks_above(log));
}

/// Tests a tower over documents unknown to the dictionary, whose features come with the lists.
TEST(PredictorTest, ListsBringFeaturesOfTheirOwn) {
  std::vector<std::int64_t> pairs;
  for (std::int64_t row = 1; row < 40; ++row) pairs.push_back(row);
  const SessionLog known = uneven_log(40);
  const TrainableModel trained =
      pbm("linear", {.rows = 40, .positions = 5, .features = table_of(pairs)});
  Predictor by_pairs(trained, 1);

  SessionLog unknown;
  std::vector<std::int64_t> documents;
  for (std::size_t i = 0; i < known.sessions(); ++i) {
    SessionView session = known[i];
    documents.insert(documents.end(), session.rows.begin(), session.rows.end());
    const std::vector<std::uint32_t> none(session.rows.size());
    session.rows = none;
    unknown.add(session);
  }
  EXPECT_THROW(unknown.set_features(table_of(pairs)), DataError) << "not one row per document";
  unknown.set_features(table_of(documents));
  const TrainableModel loaded =
      pbm("linear", {.rows = 40, .positions = 5, .features = table_of({})});
  Predictor by_lists(loaded, 1);
  EXPECT_FALSE(by_lists.reads_dictionary());
  EXPECT_EQ(by_lists.relevance(unknown), by_pairs.relevance(known));
  EXPECT_EQ(by_lists.click(unknown), by_pairs.click(known));
  EXPECT_THROW(by_lists.relevance(known), DataError) << "neither pairs nor lists have features";
}

/// Tests lists that are longer than the positions of the model.
TEST(PredictorTest, PredictionsAtUnknownPositionsAreMissing) {
  SessionLog log = uneven_log(40), known;
  std::vector<std::int64_t> documents, known_documents;
  for (std::size_t i = 0; i < log.sessions(); ++i) {
    const auto rows = log[i].rows;
    documents.insert(documents.end(), rows.begin(), rows.end());
    if (log.length(i) > 4) continue;
    known.add(log[i]);
    known_documents.insert(known_documents.end(), rows.begin(), rows.end());
  }
  log.set_features(table_of(documents));
  known.set_features(table_of(known_documents));
  const TrainableModel model =
      pbm("linear", {.rows = 40, .positions = 4, .features = table_of({})});
  Predictor predictor(model, 2);
  const auto click = predictor.click(log), known_click = predictor.click(known);
  std::vector<double> found;
  for (std::size_t i = 0; i < log.sessions(); ++i)
    for (std::size_t k = 0; k < log.length(i); ++k) {
      const double p = click[log.first_document(i) + k];
      ASSERT_EQ(std::isnan(p), log.length(i) > 4);
      if (!std::isnan(p)) found.push_back(p);
    }
  EXPECT_EQ(found, known_click);
  for (const double logit : predictor.relevance(log)) ASSERT_FALSE(std::isnan(logit));
}

}  // namespace
}  // namespace ultr::predictor_test
