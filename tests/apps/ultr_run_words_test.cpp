#include <algorithm>
#include <csignal>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "apps/run_fixture.h"
#include "data/columns/columns.h"
#include "testing/make_lists.h"

/// Cross-encoders through the whole program: every command that uses a run, and data without words.
namespace ultr::ultr_run_words_test {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using testing::RunningProgram;

class UltrRunWordsTest : public testing::UltrRun {
 protected:
  UltrRunWordsTest() {
    folder_.write("words.yaml",
                  std::string("data:\n  format: feature_lists\n  reader: ") + lists +
                      "\n  learn_from: {type: simulated_clicks, sessions: 2000}\n"
                      "loss:\n  type: two_tower\n"
                      "  relevance: {type: transformer, layers: 1, width: 8, heads: 2, inner: 8,\n"
                      "              max_tokens: 16, pretraining: masked_words}\n"
                      "train: {epochs: 3, batch_size: 8}\nthreads: 1\n");
  }

  static constexpr const char* lists =
      "{type: topics, train_queries: 60, valid_queries: 5, test_queries: 20}";

  /// Writes train.csv and test.csv, tables with texts, and table.yaml, which trains on them.
  void write_texts() const {
    std::string train = "query,document,label,title\n", test = train;
    for (int q = 0; q < 40; ++q)
      for (const char* kind : {"red shoes", "red hat", "blue shoes"})
        (q < 30 ? train : test) +=
            fmt::format("{},d{}{},{},{} {} {}\n", kind, q, kind[0], q % 2, kind,
                        q < 30 ? "a" : "new", q % 2 == 0 ? "poor" : "fine");
    folder_.write("train.csv", train);
    folder_.write("test.csv", test);
    folder_.write(
        "table.yaml",
        "data:\n  format: feature_lists\n  reader: {type: table, columns: {query_words: "
        "query, title: title}}\n  train: train.csv\n  test: test.csv\n"
        "  learn_from: labels\n  least_word_count: 2\n"
        "loss: {type: naive, relevance: {type: transformer, layers: 1, width: 8, heads: 2, "
        "inner: 8}}\ntrain: {epochs: 2}\nthreads: 1\n");
  }

  /// Writes the test lists, with their words if asked, as a folder of columns.
  fs::path write_test_lists(bool words) const {
    FeatureLists test =
        testing::make_lists("topics", "{train_queries: 60, valid_queries: 5, test_queries: 20}")
            .test;
    if (!words) {
      FeatureColumns columns = test.columns();
      columns.words = {};
      test = FeatureLists(std::move(columns));
    }
    const fs::path folder = path(words ? "lists" : "wordless");
    write_columns(folder, test);
    return folder;
  }
};

using UltrRunWordsSlowTest = UltrRunWordsTest;

TEST_F(UltrRunWordsTest, ThreadsDoNotChangeABit) {
  run_well({"words.yaml", "output=one", "threads=1"});
  run_well({"words.yaml", "output=two", "threads=2"});
  expect_same_results("one", "two");
  for (const char* file : {"relevance.safetensors", "relevance.onnx"})
    EXPECT_TRUE(fs::exists(path("one/model") / file)) << file;
}

TEST_F(UltrRunWordsTest, AStoppedRunResumesBitIdentically) {
  run_well({"words.yaml", "output=whole", "train.epochs=20", "train.early_stopping=0"});
  RunningProgram program(ULTR_RUN,
                         {"words.yaml", "output=run", "train.epochs=20", "train.early_stopping=0"},
                         folder_.path());
  program.read_until("3/20 ");
  program.send(SIGINT);
  EXPECT_EQ(program.finish().exit_code, 128 + SIGINT);
  run_well({"--resume", "run"});
  expect_same_results("run", "whole");
}

TEST_F(UltrRunWordsTest, ASavedModelRanksListsOfFilesAsItRankedThoseOfTheRun) {
  run_well({"words.yaml", "output=run"});
  const std::string folder = write_test_lists(true).string();
  run_well({"predict", "run", "--data", folder, "--format", "columns", "--output", "scores.csv"});
  const std::string printed =
      run_well({"evaluate", "run", "--data", folder, "--format", "columns"});
  const nlohmann::json test = results("run")["test"]["ranking"];
  for (const std::string metric : {"ndcg@5", "ndcg@10", "arp"})
    EXPECT_THAT(printed,
                HasSubstr(fmt::format("  {:<22} {:.5f}\n", metric, test[metric].get<double>())));
  const std::string scores = testing::read_text(path("scores.csv"));
  EXPECT_EQ(std::count(scores.begin(), scores.end(), '\n'), 1 + 20 * 10);
}

TEST_F(UltrRunWordsTest, WordsOfTablesAreKnownToTheSavedModel) {
  write_texts();
  run_well({"table.yaml", "output=run"});
  EXPECT_EQ(testing::read_text(path("run/model/vocabulary.txt")),
            "red\nshoes\na\npoor\nhat\nblue\nfine\n");
  const std::string printed = run_well({"evaluate", "run", "--data", "test.csv"});
  EXPECT_THAT(printed,
              HasSubstr(fmt::format("  {:<22} {:.5f}\n", "ndcg@5",
                                    results("run")["test"]["ranking"]["ndcg@5"].get<double>())));
  run_well({"predict", "run", "--data", "test.csv", "--output", "scores.csv"});
}

/// Made-up lists that were written to folders train the model to the same bits.
TEST_F(UltrRunWordsTest, WrittenListsTrainTheSameModel) {
  run_well({"words.yaml", "output=made"});
  const std::string said = run_well({"simulate", "words.yaml", "--output", "lists"});
  EXPECT_THAT(said, HasSubstr("60 train lists of 600 documents, 5 valid lists of 50 documents, 20 "
                              "test lists of 200 documents, 13 features, words\n"));
  EXPECT_FALSE(fs::exists(path("lists/vocabulary.txt"))) << "there are no texts";
  run_well({"words.yaml", "output=read", "data.reader=columns", "data.train=lists/train",
            "data.valid=lists/valid", "data.test=lists/test"});
  expect_same_results("made", "read");
}

/// Texts become tokens of a vocabulary, which is written, too.
TEST_F(UltrRunWordsTest, WrittenTextsTrainTheSameModel) {
  write_texts();
  run_well({"table.yaml", "output=texts"});
  run_well({"simulate", "table.yaml", "--output", "tokens"});
  EXPECT_EQ(testing::read_text(path("tokens/vocabulary.txt")),
            testing::read_text(path("texts/model/vocabulary.txt")));
  run_well({"table.yaml", "output=read", "data.reader=columns", "data.train=tokens/train",
            "data.test=tokens/test"});
  EXPECT_EQ(metrics("texts"), metrics("read"));
  EXPECT_EQ(results("texts")["test"], results("read")["test"]);
  for (const char* file : {"relevance.safetensors", "relevance.onnx"})
    EXPECT_EQ(testing::read_text(path("texts/model") / file),
              testing::read_text(path("read/model") / file));
}

TEST_F(UltrRunWordsTest, ResultsSayWhichWordsAreUnknownAndCut) {
  run_well({"words.yaml", "output=run", "train.epochs=1", "loss.relevance.max_tokens=8",
            "loss.relevance.vocabulary=50", "report.enabled=true"});
  const nlohmann::json words = results("run")["words"]["relevance"];
  EXPECT_EQ(words["max_tokens"], 8);
  EXPECT_EQ(words["vocabulary"], 50);
  for (const auto& [split, documents] : {std::pair("train", 600), {"valid", 50}, {"test", 200}}) {
    EXPECT_EQ(words[split]["documents"], documents) << split;
    for (const char* share : {"unknown_share", "truncated_share", "cut_share"}) {
      EXPECT_GT(words[split][share], 0) << split << " " << share;
      EXPECT_LE(words[split][share], 1) << split << " " << share;
    }
  }
  EXPECT_THAT(testing::read_text(path("run/report.html")), HasSubstr("truncated share"));
}

TEST_F(UltrRunWordsTest, TheLossOfMaskedWordsIsNoPerplexityOfClicks) {
  run_well({"words.yaml", "output=joint", "data.reader.valid_queries=0", "train.epochs=1",
            "loss.type=naive", "loss.base=pointwise", "loss.relevance.pretraining=joint",
            "loss.relevance.masked_share=0.9", "loss.relevance.max_tokens=32"});
}

TEST_F(UltrRunWordsSlowTest, ResultsSayHowManyMaskedWordsAreGuessed) {
  for (const std::string pretraining : {"masked_words", "joint"}) {
    run_well({"words.yaml", "output=" + pretraining, "data.reader.train_queries=300",
              "data.reader.valid_queries=50", "train.epochs=10", "train.early_stopping=0",
              "optimizer.lr=0.01", "loss.relevance.width=16", "loss.relevance.max_tokens=32",
              "loss.relevance.pretraining=" + pretraining, "report.enabled=true"});
    const nlohmann::json words = results(pretraining)["words"]["relevance"];
    EXPECT_GT(words["masked_accuracy"], 2 * words["valid"]["most_frequent_share"].get<double>())
        << pretraining;
    EXPECT_EQ(results(pretraining).contains("earlier_stages"), pretraining == "masked_words");
    EXPECT_THAT(testing::read_text(path(pretraining + "/report.html")),
                HasSubstr("of the masked words of the validation lists"));
  }
}

TEST_F(UltrRunWordsTest, AVocabularyWithoutItsTableIsRefused) {
  run_well({"words.yaml", "output=run", "train.epochs=1"});
  const std::string folder = write_test_lists(true).string();
  nlohmann::json model = nlohmann::json::parse(testing::read_text(path("run/model/model.json")));
  const auto saved = model["vocabulary"].get<std::int64_t>();
  model["vocabulary"] = 1 << 30;  // as large a table would take 32 gigabytes
  folder_.write("run/model/model.json", model.dump());
  expect_error({"predict", "run", "--data", folder, "--format", "columns", "--output", "out.csv"},
               3,
               fmt::format("model.json: vocabulary is 1073741824; expected {}, the rows of "
                           "relevance.words.npy",
                           saved));
  EXPECT_FALSE(fs::exists(path("out.csv")));
}

TEST_F(UltrRunWordsTest, AModelMayKnowFewerTokensThanItsData) {
  run_well({"words.yaml", "output=run", "train.epochs=1", "loss.relevance.vocabulary=50"});
  nlohmann::json model = nlohmann::json::parse(testing::read_text(path("run/model/model.json")));
  model["vocabulary"] = 1 << 30;  // the data's largest token, of which the model knows nothing
  folder_.write("run/model/model.json", model.dump());
  const std::string folder = write_test_lists(true).string();
  const std::string printed =
      run_well({"evaluate", "run", "--data", folder, "--format", "columns"});
  EXPECT_THAT(printed,
              HasSubstr(fmt::format("  {:<22} {:.5f}\n", "ndcg@5",
                                    results("run")["test"]["ranking"]["ndcg@5"].get<double>())));
}

TEST_F(UltrRunWordsTest, GradientsOfAFewEntriesAreChecked) {
  const std::string printed = run_well({"words.yaml", "--check-gradients"});
  for (const std::string stage : {"two_tower", "two_tower.relevance.words"})
    EXPECT_THAT(printed, HasSubstr(stage + ": gradients agree with finite differences on 2 "
                                           "sessions, at most 20 entries per parameter"));
}

TEST_F(UltrRunWordsTest, DataWithoutWordsAreRefused) {
  folder_.write("train.svm", "2 qid:1 1:3\n0 qid:1 1:2\n");
  folder_.write("wordless.yaml",
                "data: {format: feature_lists, train: train.svm, learn_from: labels}\n"
                "loss: {type: naive, relevance: transformer}\n");
  const std::string message = "relevance: 'transformer' needs words, which the data do not have";
  expect_error({"wordless.yaml", "--dry-run"}, 2, message);
  expect_error({"wordless.yaml"}, 2, message);
  run_well({"words.yaml", "output=run", "train.epochs=1"});
  const std::string folder = write_test_lists(false).string();
  expect_error({"predict", "run", "--data", folder, "--format", "columns", "--output", "out.csv"},
               3, "the documents have no words, which the model reads");
}

}  // namespace
}  // namespace ultr::ultr_run_words_test
