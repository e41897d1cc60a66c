#include "sources/feature_list_data.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "commands/built_in_registry.h"
#include "data/columns/columns.h"
#include "data/features/feature_lists_builder.h"
#include "models/model_fixture.h"
#include "testing/errors.h"
#include "testing/make_lists.h"
#include "testing/temporary_folder.h"

namespace ultr::feature_list_data_test {
namespace {

using testing::data_message;
using ::testing::ElementsAre;

constexpr const char* train =
    "2 qid:1 1:3 2:1\n"
    "0 qid:1 2:2\n"
    "-2 qid:2 1:5\n"
    "1 qid:2 1:1\n";
constexpr const char* test = "0 qid:1 1:7\n3 qid:1 1:8\n";

class FeatureListDataTest : public ::testing::Test {
 protected:
  FeatureListDataTest() {
    folder_.write("train.txt", train);
    folder_.write("test.txt", test);
  }

  /// Returns options with the two files, and further ones in YAML.
  std::unique_ptr<Options> options(const std::string& more = "") const {
    auto made = feature_list_type(testing::registry().models(), testing::registry().layers(),
                                  built_in_registry)
                    .make();
    testing::configure(*made, "{reader: svmlight, train: [train.txt], test: [test.txt]" +
                                  (more.empty() ? "" : ", " + more) + "}");
    auto& data = dynamic_cast<DataOptions&>(*made);
    data.check();
    data.locate_files(folder_.path());
    return made;
  }
  Dataset load(const std::string& more = "", std::uint64_t seed = 1) const {
    return dynamic_cast<DataOptions&>(*options(more)).load({.seed = seed}).dataset;
  }

  testing::TemporaryFolder folder_;
};

TEST_F(FeatureListDataTest, TeachesLabels) {
  const Dataset data = load();
  ASSERT_EQ(data.train.sessions(), 2u);
  EXPECT_THAT(data.train[0].rows, ElementsAre(1, 2));
  EXPECT_THAT(data.train[0].targets, ElementsAre(2, 0));
  EXPECT_THAT(data.train[1].rows, ElementsAre(4)) << "unjudged documents teach nothing";
  EXPECT_THAT(data.train[1].targets, ElementsAre(1));
  EXPECT_THAT(load("learn_from: {type: labels, scale: probability}").train[0].targets,
              ElementsAre(3 / 15.f, 0));
}

TEST_F(FeatureListDataTest, EveryDocumentHasItsOwnRowAndFeatures) {
  const Dataset data = load();
  EXPECT_EQ(data.dictionary.rows(), 1 + 4 + 2) << "query 1 of the test data is another list";
  ASSERT_EQ(data.features.count(), 2);
  EXPECT_THAT(data.features.row(0), ElementsAre(0, 0));
  EXPECT_THAT(data.features.row(1), ElementsAre(3, 1));
  EXPECT_THAT(data.features.row(3), ElementsAre(5, 0));
  EXPECT_THAT(data.features.row(6), ElementsAre(8, 0));
  ASSERT_EQ(data.labels.size(), 1u);
  EXPECT_THAT(data.labels.rows(0), ElementsAre(5, 6));
  EXPECT_THAT(data.labels.labels(0), ElementsAre(0, 3));
}

TEST_F(FeatureListDataTest, ScalesByTrainingDocuments) {
  const Dataset data = load("scaling: {standardise: true}");
  const double mean = (3 + 0 + 5 + 1) / 4.;
  const double deviation = std::sqrt(
      (std::pow(3 - mean, 2) + std::pow(mean, 2) + std::pow(5 - mean, 2) + std::pow(1 - mean, 2)) /
      4);
  EXPECT_NEAR(data.features.row(6)[0], (8 - mean) / deviation, 1e-6);
}

TEST_F(FeatureListDataTest, TeachesSimulatedClicks) {
  const std::string clicks =
      "learn_from: {type: simulated_clicks, sessions: 400, rankings: 5, positions: 2}";
  const Dataset data = load(clicks);
  EXPECT_EQ(data.train.sessions(), 2u * 5) << "one per order";
  EXPECT_EQ(data.test.sessions(), 1u * 5);
  EXPECT_TRUE(data.train.has_targets());
  EXPECT_EQ(data.positions, 2u);
  EXPECT_EQ(data.labels.size(), 1u);
  EXPECT_TRUE(dynamic_cast<DataOptions&>(*options(clicks)).depends_on_seed());
  EXPECT_FALSE(dynamic_cast<DataOptions&>(*options()).depends_on_seed());
}

TEST_F(FeatureListDataTest, UsersCanJudgeTestLists) {
  const std::string clicks =
      "learn_from: {type: simulated_clicks, positions: 2, "
      "relevance: {type: labels, largest: 3}, judged_by: ";
  EXPECT_THAT(load(clicks + "annotators}").labels.labels(0), ElementsAre(0, 3));
  const Dataset data = load(clicks + "users}");
  ASSERT_EQ(data.labels.size(), 1u);
  EXPECT_THAT(data.labels.rows(0), ElementsAre(5, 6));
  EXPECT_THAT(data.labels.labels(0), ElementsAre(0, 4)) << "4 label / largest";
}

TEST_F(FeatureListDataTest, HoldsListsOut) {
  std::string lists;
  for (int q = 1; q <= 200; ++q) lists += "1 qid:" + std::to_string(q) + " 1:1\n";
  folder_.write("train.txt", lists);
  const Dataset data = load("split: {valid: 0.25}");
  EXPECT_EQ(data.train.sessions() + data.valid.sessions(), 200u);
  EXPECT_NEAR(static_cast<double>(data.valid.sessions()), 50, 4 * std::sqrt(200 * 0.25 * 0.75));
  EXPECT_NE(load("split: {valid: 0.25}", 2).valid.sessions(), 0u);
}

TEST_F(FeatureListDataTest, CutsTrainingListsOnly) {
  folder_.write("train.txt", "1 qid:1 1:1\n1 qid:2 1:1\n1 qid:3 1:1\n1 qid:3 1:2\n1 qid:3 1:3\n");
  const Dataset data = load("long_lists: {percentile: 50}");
  EXPECT_EQ(data.train.longest(), 1u);
  EXPECT_EQ(data.labels.rows(0).size(), 2u);
}

TEST_F(FeatureListDataTest, BiasFeaturesAreTheLastColumns) {
  const Dataset data = load("bias_features: [1]");
  ASSERT_EQ(data.features.count(), 2);
  EXPECT_EQ(data.features.bias_count(), 1);
  EXPECT_THAT(data.features.row(1), ElementsAre(1, 3));
  EXPECT_THAT(data.features.row(6), ElementsAre(0, 8));
  EXPECT_TRUE(data.train.features().empty()) << "pairs that are shown once need none of their own";
  EXPECT_EQ(testing::config_message([&] { load("bias_features: [3]"); }),
            "data.bias_features has 3; the data have features 1 to 2");
}

/// One document of a query is displayed in two ways.
TEST_F(FeatureListDataTest, BiasFeaturesAreThoseOfTheImpression) {
  FeatureListsBuilder builder;
  for (const float height : {10.f, 20.f}) {
    builder.start_list(1);
    const auto features = builder.add({.id = 7, .click = 1}, 2);
    features[0] = height;
    features[1] = 5;
  }
  write_columns(folder_.path() / "clicked", builder.build());
  auto made = feature_list_type(testing::registry().models(), testing::registry().layers(),
                                built_in_registry)
                  .make();
  testing::configure(*made,
                     "{reader: columns, train: [clicked], learn_from: clicks, bias_features: 1}");
  auto& options = dynamic_cast<DataOptions&>(*made);
  options.locate_files(folder_.path());
  const Dataset data = options.load({}).dataset;
  EXPECT_EQ(data.dictionary.rows(), 2);
  EXPECT_THAT(data.train[1].rows, ElementsAre(1));
  ASSERT_EQ(data.train.features().bias_count(), 1);
  EXPECT_THAT(data.train.features().row(1), ElementsAre(5, 10));
  EXPECT_THAT(data.train.features().row(2), ElementsAre(5, 20));
}

TEST_F(FeatureListDataTest, CutsListsOfAllPartsToTheMostRelevantDocuments) {
  folder_.write("train.txt", "0 qid:1 1:1\n1 qid:1 1:2\n2 qid:1 1:3\n0 qid:2 1:4\n");
  const Dataset data = load("long_lists: {most_relevant: 1}, without_relevant: drop");
  ASSERT_EQ(data.train.sessions(), 1u);
  EXPECT_THAT(data.train[0].targets, ElementsAre(2));
  EXPECT_THAT(data.labels.labels(0), ElementsAre(3));
  folder_.write("train.txt", "0 qid:1 1:1\n");
  EXPECT_EQ(data_message([&] { load("without_relevant: drop"); }),
            "no training list has a relevant document; expected some to train on");
}

/// Returns options with a generator, read from YAML.
std::unique_ptr<Options> generated(const std::string& options) {
  auto made = feature_list_type(testing::registry().models(), testing::registry().layers(),
                                built_in_registry)
                  .make();
  testing::configure(*made, options);
  dynamic_cast<DataOptions&>(*made).check();
  return made;
}

constexpr const char* synthetic =
    "reader: {type: synthetic, train_queries: 30, valid_queries: 20, test_queries: 10}";

TEST_F(FeatureListDataTest, ListsCanBeMadeWithoutFiles) {
  const auto made = generated(std::string("{") + synthetic + "}");
  auto& options = dynamic_cast<DataOptions&>(*made);
  EXPECT_FALSE(options.depends_on_seed());
  const ExperimentData data = options.load({.seed = 2});
  EXPECT_EQ(data.dataset.train.sessions(), 30u);
  EXPECT_EQ(data.dataset.valid.sessions(), 20u);
  EXPECT_EQ(data.dataset.test.sessions(), 10u);
  EXPECT_EQ(data.dataset.labels.size(), 10u);
  EXPECT_EQ(data.dataset.features.count(), 17);
  Vocabulary vocabulary;
  EXPECT_EQ(options.list_reader(17, vocabulary), nullptr) << "there are no further files";
  options.keep_training_only();
  EXPECT_EQ(options.load({}).dataset.valid.sessions(), 0u);
  EXPECT_EQ(options.load({}).dataset.labels.size(), 0u);
}

TEST_F(FeatureListDataTest, ListsThatAreKeptGiveTheSameDataAsNewOnes) {
  const auto made = generated(std::string("{") + synthetic +
                              ", scaling: {standardise: true}, without_relevant: drop, learn_from: "
                              "{type: simulated_clicks, sessions: 200, aggregate: false}}");
  const auto& options = dynamic_cast<DataOptions&>(*made);
  MadeLists kept;
  options.load({.seed = 1, .made = &kept});
  kept.of(options.list_identity(), []() -> ListGenerator::Parts { throw Error("made again"); });
  const Dataset fresh = options.load({.seed = 2}).dataset,
                data = options.load({.seed = 2, .made = &kept}).dataset;
  ASSERT_EQ(data.dictionary.rows(), fresh.dictionary.rows());
  for (std::uint32_t row = 0; row < data.dictionary.rows(); ++row)
    EXPECT_TRUE(std::ranges::equal(data.features.row(row), fresh.features.row(row))) << row;
  ASSERT_EQ(data.train.sessions(), fresh.train.sessions());
  for (std::size_t i = 0; i < data.train.sessions(); ++i) {
    EXPECT_TRUE(std::ranges::equal(data.train[i].rows, fresh.train[i].rows)) << i;
    EXPECT_TRUE(std::ranges::equal(data.train[i].clicks, fresh.train[i].clicks)) << i;
  }
  EXPECT_EQ(dynamic_cast<DataOptions&>(*this->options()).list_identity(), "");
}

TEST_F(FeatureListDataTest, IdentifiesDocumentsWithoutFeaturesByTheirIds) {
  const auto made = generated("{reader: {type: one_hot, documents: 100, collisions: 0.4}}");
  const ExperimentData data = dynamic_cast<DataOptions&>(*made).load({});
  EXPECT_EQ(data.dataset.dictionary.rows(), 1 + 60) << "all parts share them";
  EXPECT_TRUE(data.dataset.features.empty());
  EXPECT_FALSE(data.scaling);
}

TEST_F(FeatureListDataTest, DocumentsKeepTheirWords) {
  const std::string few = "{train_queries: 3, valid_queries: 0, test_queries: 2, length: 4}";
  const ListGenerator::Parts parts = testing::make_lists("topics", few);
  const auto made = generated("{reader: {type: topics, " + few.substr(1) + "}");
  auto& source = dynamic_cast<DataOptions&>(*made);
  EXPECT_TRUE(source.may_have_words());
  const TokenTable words = source.load({}).dataset.features.tokens();
  ASSERT_EQ(words.rows(), 1 + 3 * 4 + 2 * 4);
  EXPECT_EQ(words.vocabulary(), vocabulary_of(parts.train.columns().words));
  EXPECT_TRUE(words[0].tokens.empty());
  for (std::size_t d = 0; d < 12; ++d)
    EXPECT_TRUE(std::ranges::equal(words[static_cast<std::int64_t>(d) + 1].tokens,
                                   parts.train.words(d).tokens));
  EXPECT_TRUE(std::ranges::equal(words[13].tokens, parts.test.words(0).tokens));
}

TEST_F(FeatureListDataTest, AllPartsHaveWordsOrNone) {
  const ListGenerator::Parts parts = testing::make_lists("topics", "{train_queries: 2}");
  write_columns(folder_.path() / "words", parts.train);
  FeatureColumns columns = parts.train.columns();
  columns.words = {};
  write_columns(folder_.path() / "wordless", FeatureLists(std::move(columns)));
  const auto message = [&](const std::string& train, const std::string& test) {
    const auto made = feature_list_type(testing::registry().models(), testing::registry().layers(),
                                        built_in_registry)
                          .make();
    testing::configure(*made, "{reader: columns, train: " + train + ", test: " + test + "}");
    auto& data = dynamic_cast<DataOptions&>(*made);
    data.locate_files(folder_.path());
    return data_message([&] { data.load({}); });
  };
  EXPECT_EQ(message("words", "wordless"),
            "data.test: the documents have no words; expected some, as in training");
  EXPECT_EQ(message("wordless", "words"),
            "data.test: the documents have words; expected none, as in training");
}

TEST_F(FeatureListDataTest, ListGeneratorsRejectFiles) {
  const auto message = [](const std::string& more) {
    return testing::config_message([&] { generated(std::string("{") + synthetic + more + "}"); });
  };
  EXPECT_EQ(message(", test: [test.txt]"),
            "data.test is given, but 'synthetic' generates its lists; expected their number in "
            "data.reader");
  EXPECT_EQ(message(", split: {valid: 0.5}"),
            "data.split.valid is given, but 'synthetic' generates its lists; expected their "
            "number in data.reader");
}

TEST_F(FeatureListDataTest, ReportsThePositionBiasOfSimulatedUsers) {
  const auto made = options(
      "learn_from: {type: simulated_clicks, sessions: 4, rankings: 1, positions: 2, user: {eta: "
      "2}}");
  const ExperimentData data = dynamic_cast<DataOptions&>(*made).load({});
  ASSERT_TRUE(data.position_bias);
  EXPECT_FALSE(data.position_bias->additive);
  EXPECT_THAT(data.position_bias->by_rank, ElementsAre(1, std::pow(1 / 2., 2)));
  EXPECT_FALSE(dynamic_cast<DataOptions&>(*options()).load({}).position_bias);
}

TEST_F(FeatureListDataTest, ReportsMissingData) {
  EXPECT_EQ(data_message([&] { load("learn_from: clicks"); }),
            "the lists have no clicks; expected some to learn from");
  folder_.write("test.txt", "1 qid:1 3:1\n");
  EXPECT_THAT(data_message([&] { load(); }), ::testing::HasSubstr("test.txt:1"));
  EXPECT_THAT(testing::config_message([&] { options("valid: [test.txt], split: {valid: 0.5}"); }),
              "data.valid and data.split.valid are both given; expected one of them");
}

}  // namespace
}  // namespace ultr::feature_list_data_test
