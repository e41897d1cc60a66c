#include <fmt/core.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "apps/run_fixture.h"
#include "base/files/npy.h"
#include "base/version.h"
#include "commands/built_in_registry.h"
#include "commands/listings.h"
#include "commands/train.h"
#include "data/log/pair_dictionary.h"
#include "models/model_fixture.h"
#include "studies/study.h"
#include "testing/xml.h"

namespace ultr::ultr_run_test {
namespace {

namespace fs = std::filesystem;
using testing::Finished;
using ::testing::HasSubstr;
using testing::read_text;

/// A small experiment that needs no file.
class UltrRunTest : public testing::UltrRun {
 protected:
  UltrRunTest() {
    folder_.write("small.yaml",
                  "data:\n"
                  "  format: simulation\n"
                  "  sessions: 2000\n"
                  "  valid_sessions: 600\n"
                  "  test_sessions: 600\n"
                  "  queries: 10\n"
                  "model: pbm\n"
                  "optimizer: adam\n"
                  "train: {epochs: 4, early_stopping: 0}\n");
  }
};

TEST_F(UltrRunTest, Help) {
  const std::string help = run_well({"--help"});
  for (const char* flag :
       {"--dry-run", "--check-gradients", "--list", "--help-options", "--version"})
    EXPECT_THAT(help, HasSubstr(flag));
  EXPECT_EQ(run_well({"--version"}), version() + " (" + vector_instructions() + ")\n");
  EXPECT_EQ(run_well({"--list"}), list_components(built_in_registry()));
  EXPECT_EQ(run_well({"--help-options"}), list_options(built_in_registry()));
  EXPECT_EQ(folder_.size(), 1u);
}

TEST_F(UltrRunTest, TrainsOnAConvertedLogAsOnTheOriginal) {
  std::string log;
  for (int i = 0; i < 50; ++i)
    log += fmt::format("1\t{}\t[{}, {}]\t[1, 1]\t[{}, 0]\n", i % 5, i % 7 + 1, i % 3 + 10, i % 2);
  folder_.write("log.txt", log);
  EXPECT_EQ(run_well({"convert", "tiangong", "log.txt", "--output", "columns"}),
            "columns: 50 lists, 100 documents, 50 pairs\n");
  for (const std::string format : {"tiangong", "columns"})
    folder_.write(format + ".yaml", fmt::format("data: {{format: {0}, train: {1}}}\nmodel: pbm\n"
                                                "train: {{epochs: 3}}\noutput: run-{0}\n",
                                                format, format == "columns" ? format : "log.txt"));
  run_well({"tiangong.yaml"});
  run_well({"columns.yaml"});
  expect_same_results("run-tiangong", "run-columns");
}

TEST_F(UltrRunTest, WritesTheRunsFolder) {
  const Finished finished = run({"small.yaml", "output=run"});
  ASSERT_EQ(finished.exit_code, 0) << finished.errors;
  std::vector<std::string> files;
  for (const auto& entry : fs::recursive_directory_iterator(path("run")))
    files.push_back(fs::relative(entry.path(), path("run")).string());
  EXPECT_THAT(files, ::testing::UnorderedElementsAre(
                         "config.yaml", "metrics.csv", "results.json", "report.html",
                         "test_queries.csv", "model", "model/model.json", "model/examination.npy",
                         "model/attraction.npy", "model/attraction.baseline.npy",
                         "model/dictionary.query.npy", "model/dictionary.document.npy"));
  EXPECT_EQ(read_npy<float>(path("run/model/examination.npy")).size(), 10u);
  EXPECT_EQ(read_npy<float>(path("run/model/attraction.npy")).size(), 10u * 20 + 1);
  EXPECT_EQ(PairDictionary::load(path("run/model")).rows(), 10 * 20 + 1);
  const std::string metrics_lines = metrics("run");
  EXPECT_EQ(std::count(metrics_lines.begin(), metrics_lines.end(), '\n'), 1 + 4);
  const testing::XmlElement page = testing::parse_xml(read_text(path("run/report.html")));
  EXPECT_EQ(page.first("h1").text, "small");
  EXPECT_THAT(finished.output, ::testing::EndsWith("results in run\n"));
}

TEST_F(UltrRunTest, ResultsHaveTheirKeys) {
  run_well({"small.yaml", "output=run"});
  const nlohmann::json json = results("run");
  for (const char* key : {"seed", "version", "seconds", "sessions_per_second", "sessions",
                          "documents", "epochs", "best_epoch"})
    EXPECT_TRUE(json.contains(key)) << key;
  for (const char* split : {"train", "valid", "test"}) {
    for (const char* key : {"loss", "ll", "ppl", "cond_ppl", "ppl_rank_mean", "cond_ppl_rank_mean"})
      EXPECT_TRUE(json[split][key].is_number()) << split << " " << key;
    for (const char* key : {"ppl_per_rank", "cond_ppl_per_rank"})
      EXPECT_EQ(json[split][key].size(), 10u) << split << " " << key;
  }
  EXPECT_EQ(json["train"]["sessions"], 2000);
  EXPECT_EQ(json["valid"]["sessions"], 600);
  EXPECT_EQ(json["test"]["sessions"], 600);
  EXPECT_EQ(json["test"]["documents"], 600 * 10);
}

TEST_F(UltrRunTest, PipedProgressIsOneLinePerEpoch) {
  const std::string output = run_well({"small.yaml", "output=run"});
  for (const char* epoch : {"\n    1/4 ", "\n    2/4 ", "\n    3/4 ", "\n    4/4 "})
    EXPECT_THAT(output, HasSubstr(epoch));
  EXPECT_EQ(output.find('\r'), std::string::npos);
  EXPECT_EQ(output.find('\033'), std::string::npos);
}

TEST_F(UltrRunTest, WithoutOutputRunsAreNumbered) {
  run_well({"small.yaml", "train.epochs=1"});
  run_well({"small.yaml", "train.epochs=1"});
  run_well({"small.yaml", "train.epochs=1", "name=other"});
  EXPECT_TRUE(fs::exists(path("runs/small/1/results.json")));
  EXPECT_TRUE(fs::exists(path("runs/small/2/results.json")));
  EXPECT_TRUE(fs::exists(path("runs/other/1/results.json")));
}

TEST_F(UltrRunTest, TheOutputOfADryRunReproducesItself) {
  const std::string resolved =
      run_well({"small.yaml", "--dry-run", "optimizer.lr=0.25", "model.attraction.start=0.125"});
  EXPECT_THAT(resolved, HasSubstr("\n  type: adam\n  lr: 0.25\n"));
  EXPECT_THAT(resolved, HasSubstr("start: 0.125\n"));
  EXPECT_THAT(resolved, ::testing::StartsWith("name: small\n"));
  EXPECT_EQ(folder_.size(), 1u) << "nothing is created";
  folder_.write("resolved.yaml", resolved);
  EXPECT_EQ(run_well({"resolved.yaml", "--dry-run"}), resolved);
}

TEST_F(UltrRunTest, TheSavedConfigurationRunsAgainWithTheSameResults) {
  run_well({"small.yaml", "output=first", "optimizer.lr=0.02", "seed=5"});
  run_well({"first/config.yaml", "output=second"});
  expect_same_results("first", "second");
  EXPECT_EQ(read_text(path("second/config.yaml")), read_text(path("first/config.yaml")));
  run_well({"first/config.yaml", "output=third", "seed=6"});
  EXPECT_NE(metrics("third"), metrics("first"));
}

TEST_F(UltrRunTest, AnyNumberOfThreadsGivesTheSameResults) {
  run_well({"small.yaml", "threads=1", "output=1", "model=dbn"});
  for (const std::string threads : {"2", "3"}) {
    run_well({"small.yaml", "threads=" + threads, "output=" + threads, "model=dbn"});
    expect_same_results("1", threads);
  }
}

TEST_F(UltrRunTest, ReportCanBeLeftOutAndTitled) {
  run_well({"small.yaml", "output=none", "report.enabled=false"});
  EXPECT_FALSE(fs::exists(path("none/report.html")));
  EXPECT_TRUE(fs::exists(path("none/results.json")));
  run_well({"small.yaml", "output=titled", "report.title=Clicks & skips"});
  EXPECT_EQ(testing::parse_xml(read_text(path("titled/report.html"))).first("h1").text,
            "Clicks & skips");
}

TEST_F(UltrRunTest, ChecksGradientsOfEveryModel) {
  for (const ModelType& type : testing::types_without_signals()) {
    const std::string line = run_well({"small.yaml", "--check-gradients", "model=" + type.name});
    EXPECT_THAT(line, ::testing::StartsWith(type.name + ": gradients agree with finite "
                                                        "differences on 32 sessions"));
  }
  EXPECT_EQ(folder_.size(), 1u) << "nothing is created";
}

TEST_F(UltrRunTest, ChecksGradientsWithoutTheData) {
  const Finished finished =
      run({"small.yaml", "--check-gradients", "data={format: tiangong, train: gone}"});
  EXPECT_EQ(finished.exit_code, 0);
  EXPECT_THAT(finished.errors,
              ::testing::AllOf(::testing::StartsWith("gone: there is no such file"),
                               ::testing::EndsWith("; checking on simulated "
                                                   "sessions instead\n")));
  EXPECT_THAT(finished.output, HasSubstr("gradients agree"));
}

/// Configurations of the repository that simulate their data; ultr_run_data_test.cpp has the
/// others.
TEST_F(UltrRunTest, ChecksGradientsOfSimulatedConfigurations) {
  int checked = 0;
  for (const auto& entry :
       fs::recursive_directory_iterator(fs::path(ULTR_SOURCE_DIR) / "configs")) {
    if (entry.path().extension() != ".yaml" || is_study(read_config(entry.path()))) continue;
    const std::string config = entry.path().string();
    if (read_text(config).find("format: simulation") == std::string::npos) continue;
    EXPECT_THAT(run_well({config, "--check-gradients", "data.sessions=300"}),
                HasSubstr("gradients agree"))
        << config;
    ++checked;
  }
  EXPECT_GT(checked, 0);
}

TEST_F(UltrRunTest, LearnsFromATiangongLog) {
  std::string log;
  for (int i = 0; i < 40; ++i)
    log += "1\t7\t[5, 6, 7]\t[1, 1, 1]\t[1, 0, 0]\n1\t8\t[6, 5]\t[1, 1]\t[0, 1]\n";
  folder_.write("log.txt", log);
  folder_.write("labels.txt", "1\t7\t[5, 6, 9]\t[1, 1, 1]\t[0, 0, 0]\t[2, 0, -2]\n");
  folder_.write("log.yaml",
                "data:\n  format: tiangong\n  train: log.txt\n  labels: labels.txt\n"
                "  split: {valid: 0.2, test: 0.2}\n"
                "model: dctr\ntrain: {epochs: 5}\noptimizer: {lr: 0.1}\n");
  run_well({"log.yaml", "output=run"});
  const nlohmann::json json = results("run");
  EXPECT_EQ(json["train"]["sessions"].get<int>() + json["valid"]["sessions"].get<int>() +
                json["test"]["sessions"].get<int>(),
            80);
  EXPECT_EQ(json["test"]["ranking"]["ndcg@10"], 1) << "document 5 is clicked, document 6 is not";
  EXPECT_EQ(json["test"]["ranking"]["lists"], 1);
  EXPECT_THAT(read_text(path("run/config.yaml")),
              HasSubstr("train: [" + fs::canonical(path("log.txt")).string() + "]"));
}

}  // namespace
}  // namespace ultr::ultr_run_test
