#include "runs/pair_scores.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "commands/built_in_registry.h"
#include "experiment/run_directory.h"
#include "testing/errors.h"
#include "testing/small_log.h"
#include "testing/temporary_folder.h"
#include "training/predictor.h"

namespace ultr::pair_scores_test {
namespace {

// Scores by features and words are tested with teachers (teacher_test.cpp).

/// Tests with the run folder of a model that knows pairs by their number.
class PairScoresTest : public ::testing::Test {
 protected:
  PairScoresTest() {
    run_.create();
    run_.write("config.yaml", "model: pbm\n");
    run_.write_model(model_, data_.dataset.dictionary);
  }
  std::vector<double> scores(const ExperimentData& data, int threads = 1) {
    return PairScores(run_.path(), registry_, threads).of(data);
  }

  const testing::TemporaryFolder parent_;
  const ExperimentData data_ = testing::small_simulation();
  const TrainableModel model_ = testing::model_for("pbm", data_.dataset);
  RunDirectory run_{(parent_.path() / "run").string(), "run"};
  Registry registry_ = built_in_registry();
};

TEST_F(PairScoresTest, AreThoseOfTheModel) {
  const auto expected = relevance_logits(model_, data_.dataset.dictionary.rows(), 1);
  EXPECT_EQ(scores(data_), expected);
  EXPECT_EQ(scores(data_, 3), expected);
  const PairScores pairs(run_.path(), registry_, 1);
  EXPECT_TRUE(pairs.reads_dictionary());
  EXPECT_FALSE(pairs.reads_positions());
}

TEST_F(PairScoresTest, PairsKeepTheirScoresUnderOtherNumbers) {
  const std::vector<double> expected = scores(data_);
  ExperimentData reversed;
  PairDictionary& pairs = reversed.dataset.dictionary;
  const auto queries = data_.dataset.dictionary.queries(),
             documents = data_.dataset.dictionary.documents();
  for (std::size_t row = queries.size() - 1; row > 0; --row)
    pairs.add(queries[row], documents[row]);
  pairs.add(queries[1], 999);  // which the run does not know
  const std::vector<double> found = scores(reversed);
  ASSERT_EQ(found.size(), expected.size() + 1);
  for (std::size_t row = 1; row < expected.size(); ++row)
    EXPECT_EQ(found[row], expected[expected.size() - row]) << row;
  EXPECT_EQ(found.back(), expected[PairDictionary::unknown]);
}

TEST_F(PairScoresTest, ARunThatKnowsNoPairIsRefused) {
  ExperimentData other;
  other.dataset.dictionary.add(1000, 1);
  EXPECT_THAT(testing::data_message([&] { scores(other); }),
              ::testing::EndsWith("knows none of the query-document pairs of the training "
                                  "sessions; expected a run that was trained on these pairs"));
}

}  // namespace
}  // namespace ultr::pair_scores_test
