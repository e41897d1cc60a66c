#include "runs/teacher.h"

#include <cmath>
#include <map>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "commands/built_in_registry.h"
#include "experiment/resolve_options.h"
#include "experiment/run_directory.h"
#include "runs/run_inputs.h"
#include "runs/train_run.h"
#include "testing/errors.h"
#include "testing/temporary_folder.h"
#include "training/predictor.h"

namespace ultr::teacher_test {
namespace {

using ::testing::AllOf;
using testing::config_message;
using testing::data_message;
using ::testing::EndsWith;
using ::testing::HasSubstr;

/// Teachers of small tables, with and without texts.
class TeacherTest : public ::testing::Test {
 protected:
  TeacherTest() {
    std::string rows, reversed;
    for (int q = 0; q < 12; ++q)
      for (int d = 0; d < 4; ++d) {
        const std::string row =
            fmt::format("{},d{},{},{},{},{},{} {}\n", q % 2 == 0 ? "red shoes" : "hat", d + 4 * q,
                        (q + d) % 3, 3 * d - q, (q * 7 + d * 5) % 11 * 100, q + d,
                        d % 2 == 0 ? "red" : "hat", q % 3 == 0 ? "old" : "new");
        rows += row;
        reversed.insert(0, row);
      }
    const std::string header = "query,document,label,a,b,c,title\n";
    folder_.write("lists.csv", header + rows);
    folder_.write("reversed.csv", header + reversed);
  }

  static std::string data(const std::string& file, const std::string& columns,
                          const std::string& scaling, const std::string& more = "") {
    return fmt::format(
        "data:\n  format: feature_lists\n  reader: {{type: table, columns: {{{}}}}}\n  train: {}\n"
        "  scaling: {{{}}}\n{}",
        columns, file, scaling, more);
  }
  static constexpr const char* features = "label: label, features: [a, b, c]";
  static constexpr const char* texts = "label: label, query_words: query, title: title";
  static constexpr const char* linear = "loss: {type: naive, relevance: linear}\n";
  static constexpr const char* encoder =
      "loss: {type: naive, base: softmax, relevance: {type: transformer, layers: 1, width: 8, "
      "heads: 2, inner: 8}}\n";

  ExperimentOptions options(const std::string& config) {
    folder_.write("config.yaml",
                  config + "train: {epochs: 3}\noptimizer: {lr: 0.1}\nreport: {enabled: false}\n");
    ExperimentOptions made = resolve_options(folder_.path() / "config.yaml",
                                             {"data.learn_from.scale=probability"}, registry_);
    made.locate_files(folder_.path());
    return made;
  }
  /// Trains a teacher and returns the folder of its run.
  std::filesystem::path train(const std::string& name, const std::string& config) {
    ExperimentOptions made = options(config);
    RunDirectory run((folder_.path() / name).string(), name);
    ::testing::internal::CaptureStdout();
    train_and_evaluate(made, load_data(made), run, {});
    ::testing::internal::GetCapturedStdout();
    return run.path();
  }
  /// The scores of a teacher by query and document, which are named alike in all files.
  static std::map<std::pair<std::uint64_t, std::uint64_t>, float> by_pair(
      const Teacher& teacher, const ExperimentData& its_data) {
    const std::vector<float> scores = teacher.scores(its_data);
    const auto queries = its_data.dataset.dictionary.queries(),
               documents = its_data.dataset.dictionary.documents();
    std::map<std::pair<std::uint64_t, std::uint64_t>, float> all;
    for (std::size_t row = 1; row < scores.size(); ++row)
      all[{queries[row], documents[row]}] = scores[row];
    return all;
  }
  std::string refusal(const std::filesystem::path& run, const std::string& config) {
    const ExperimentData its_data = load_data(options(config));
    return data_message([&] { Teacher(run, registry_, 1).scores(its_data); });
  }

  testing::TemporaryFolder folder_;
  Registry registry_ = built_in_registry();
};

TEST_F(TeacherTest, ScoresAreThoseOfItsSavedModel) {
  const std::string config = data("lists.csv", features, "standardise: true") + linear;
  const std::filesystem::path run = train("run", config);
  const ExperimentData its_data = load_data(options(config));
  const std::vector<float> one = Teacher(run, registry_, 1).scores(its_data),
                           two = Teacher(run, registry_, 2).scores(its_data);
  EXPECT_EQ(one, two);
  const SavedModel saved(run, registry_);
  Dataset dataset;
  std::vector<float> rows;
  for (std::int64_t row = 0; row < its_data.dataset.features.rows(); ++row)
    rows.insert(rows.end(), its_data.dataset.features.row(row).begin(),
                its_data.dataset.features.row(row).end());
  SessionLog log = its_data.dataset.train;
  std::vector<float> of_log(3);
  for (const std::uint32_t row : log.rows())
    of_log.insert(of_log.end(), rows.begin() + 3 * row, rows.begin() + 3 * row + 3);
  log.set_features(FeatureTable(std::move(of_log), 3));
  const std::vector<double> predicted = Predictor(saved.model(), 1).relevance(log);
  for (std::size_t i = 0; i < predicted.size(); ++i)
    EXPECT_EQ(one[log.rows()[i]], static_cast<float>(predicted[i]));
}

TEST_F(TeacherTest, FeaturesThatDocumentsBringAreThoseOfTheFirstDisplay) {
  const std::string config = data("lists.csv", features, "standardise: true") + linear;
  const std::filesystem::path run = train("run", config);
  ExperimentData its_data = load_data(options(config));
  const Teacher teacher(run, registry_, 1);
  const std::vector<float> expected = teacher.scores(its_data);
  Dataset& dataset = its_data.dataset;
  SessionLog twice;
  std::vector<std::uint32_t> rows;
  for (const bool again : {false, true})
    for (std::size_t i = 0; i < dataset.train.sessions(); ++i) {
      twice.add(dataset.train[i]);
      for (const std::uint32_t row : dataset.train[i].rows) rows.push_back(again ? 1 : row);
    }
  twice.set_features(dataset.features.of_rows(rows));
  dataset.train = std::move(twice);
  dataset.features = {};
  EXPECT_EQ(teacher.scores(its_data), expected);
}

TEST_F(TeacherTest, OtherScalingAndBiasFeaturesOfTheStudentDoNotMatter) {
  const std::string own =
      data("lists.csv", features, "standardise: true, log1p: true", "  bias_features: [1]\n") +
      linear;
  const std::filesystem::path run = train("run", own);
  const Teacher teacher(run, registry_, 1);
  const auto expected = by_pair(teacher, load_data(options(own)));
  ASSERT_EQ(expected.size(), 48u);
  for (const std::string scaling : {"standardise: false", "standardise: true", "log1p: true"}) {
    const ExperimentData other =
        load_data(options(data("reversed.csv", features, scaling) + linear));
    for (const auto& [pair, score] : by_pair(teacher, other))
      EXPECT_NEAR(score, expected.at(pair), 1e-4) << scaling;
  }
}

TEST_F(TeacherTest, TreesSplitTheSameNumbersWhateverTheScalingOfTheStudent) {
  const std::string own =
      data("lists.csv", features, "standardise: false") +
      "loss: {type: naive, base: pointwise, relevance: {type: boosted_trees, rounds: 3, leaves: "
      "16, min_child_weight: 0.001}}\n";
  const std::filesystem::path run = train("run", own);
  const Teacher teacher(run, registry_, 1);
  const auto expected = by_pair(teacher, load_data(options(own)));
  for (const std::string scaling : {"standardise: true", "log1p: true"}) {
    const ExperimentData other =
        load_data(options(data("reversed.csv", features, scaling) + linear));
    EXPECT_EQ(by_pair(teacher, other), expected) << scaling;
  }
}

TEST_F(TeacherTest, WordsGetTheTokensOfTheTeachersVocabulary) {
  const std::string own = data("lists.csv", texts, "") + encoder;
  const std::filesystem::path run = train("run", own);
  const Teacher teacher(run, registry_, 1);
  const auto expected = by_pair(teacher, load_data(options(own)));
  const ExperimentData reversed = load_data(
      options(data("reversed.csv", std::string(texts) + ", features: [a, b]", "") + linear));
  ASSERT_NE(reversed.vocabulary.find("red"), load_data(options(own)).vocabulary.find("red"))
      << "the words have other numbers";
  EXPECT_EQ(by_pair(teacher, reversed), expected);
}

TEST_F(TeacherTest, WhatDoesNotFitIsRefused) {
  const std::string of_features = data("lists.csv", features, "standardise: true"),
                    of_texts = data("lists.csv", texts, "");
  const std::filesystem::path tower = train("tower", of_features + linear),
                              reader = train("reader", of_texts + encoder),
                              table = train("table", of_features + "loss: naive\n");
  EXPECT_THAT(refusal(tower, of_texts + linear),
              HasSubstr("its model reads 3 features per document, and the data have 1; expected "
                        "equally many"));
  EXPECT_THAT(refusal(tower, data("lists.csv", "label: label, features: [a, c, b]", "") + linear),
              HasSubstr("feature 2 of its model is 'b', that of the data 'c'; expected the same"));
  EXPECT_THAT(refusal(reader, of_features + linear),
              EndsWith("its model reads words, which the data do not have"));
  EXPECT_THAT(
      refusal(table, of_features + linear),
      HasSubstr("cannot teach: the relevance of its model, naive, depends on query-document "
                "pairs by number; expected a tower"));
  EXPECT_THAT(refusal(folder_.path(), of_features + linear), HasSubstr("has no model/model.json"));
  EXPECT_THAT(refusal(folder_.path() / "none", of_features + linear),
              HasSubstr("there is no such folder"));
  std::string config = testing::read_text(tower / "config.yaml");
  const std::string none = "plugins: []";
  config.replace(config.find(none), none.size(), "plugins: [code.so]");
  folder_.write("tower/config.yaml", config);
  EXPECT_THAT(refusal(tower, of_features + linear), HasSubstr("its plugins are code"));
}

TEST_F(TeacherTest, ALossWithoutATeacherIsRefusedBeforeTraining) {
  const ExperimentOptions made = options(data("lists.csv", features, "standardise: true") +
                                         "loss: {type: distill, relevance: linear}\n");
  EXPECT_EQ(config_message([&] { expect_trainable(made); }),
            "loss.teacher is missing; expected the folder of a trained run");
}

TEST_F(TeacherTest, TargetsBecomeTheScoresAndNothingElseChanges) {
  const std::string of_features = data("lists.csv", features, "standardise: true");
  const std::filesystem::path run = train("run", of_features + linear);
  const ExperimentOptions made =
      options(of_features + fmt::format("loss: {{type: distill, teacher: {}, relevance: linear}}\n",
                                        run.string()));
  const ExperimentData given = load_data(made);
  const auto taught = taught_data(build_model(made, given.dataset), made, given);
  ASSERT_TRUE(taught);
  EXPECT_EQ(taught->model_type, "naive");
  const SessionLog &before = given.dataset.train, &after = taught->data.dataset.train;
  ASSERT_EQ(after.sessions(), before.sessions());
  bool negative = false;
  for (std::size_t i = 0; i < after.sessions(); ++i) {
    EXPECT_TRUE(std::ranges::equal(after[i].rows, before[i].rows));
    EXPECT_EQ(after[i].query, before[i].query);
    for (std::size_t k = 0; k < after.length(i); ++k) {
      EXPECT_EQ(after[i].targets[k], taught->scores[after[i].rows[k]]);
      negative |= after[i].targets[k] < 0;
    }
  }
  EXPECT_TRUE(negative) << "scores are logits";
}

}  // namespace
}  // namespace ultr::teacher_test
