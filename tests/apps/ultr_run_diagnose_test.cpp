#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "apps/run_fixture.h"

namespace ultr::ultr_run_diagnose_test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using testing::read_text;
using ::testing::StartsWith;

class UltrRunDiagnoseTest : public testing::UltrRun {
 protected:
  UltrRunDiagnoseTest() {
    folder_.write("tiny.yaml",
                  "data: {format: simulation, sessions: 2000, queries: 5, candidates: 6,\n"
                  "       positions: 4, ranking_noise: 3, valid_sessions: 0, test_sessions: 0}\n"
                  "model: {type: pbm}\n"
                  "train: {epochs: 2}\n"
                  "threads: 2\n");
    // Each document has one rank.
    folder_.write("fixed.yaml", "data: {format: tiangong, train: log.txt, test: gone.txt}\n");
    folder_.write("log.txt",
                  "1\t7\t[5, 6]\t[1, 1]\t[1, 1]\n"
                  "2\t7\t[5, 6]\t[1, 1]\t[1, 0]\n");
  }
};

TEST_F(UltrRunDiagnoseTest, PrintsAVerdictAndWritesItsEvidence) {
  const std::string said = run_well({"diagnose", "tiny.yaml", "--output", "d"});
  EXPECT_THAT(said, AllOf(StartsWith("rank  "), HasSubstr("\nverdict: identifiable ("),
                          HasSubstr("diagnosis.json, report.html and pictures in d\n")));
  const auto json = nlohmann::json::parse(read_text(path("d/diagnosis.json")));
  EXPECT_EQ(json["verdict"]["answer"], "identifiable");
  EXPECT_EQ(json["sessions"], 2000);
  EXPECT_THAT(read_text(path("d/rank_graph.svg")), StartsWith("<svg"));
  EXPECT_THAT(read_text(path("d/residuals.svg")), StartsWith("<svg"));
  EXPECT_FALSE(std::filesystem::exists(path("d/feature_overlap.svg")));
  EXPECT_THAT(read_text(path("d/report.html")), HasSubstr("Verdict: identifiable"));
}

TEST_F(UltrRunDiagnoseTest, OneOrderIsNotIdentifiableAndExitsWithZero) {
  const std::string said = run_well({"diagnose", "fixed.yaml"});
  EXPECT_THAT(said, AllOf(HasSubstr("\nverdict: not identifiable ("),
                          HasSubstr("No query-document pair is shown at two ranks")));
}

TEST_F(UltrRunDiagnoseTest, AnyNumberOfThreadsGivesTheSameFiles) {
  for (const char* threads : {"1", "2"})
    run_well({"diagnose", "tiny.yaml", std::string("threads=") + threads, "--output",
              std::string("d") + threads});
  std::size_t files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(path("d1"))) {
    EXPECT_EQ(read_text(entry.path()), read_text(path("d2") / entry.path().filename()));
    ++files;
  }
  EXPECT_EQ(files, 4u);
}

TEST_F(UltrRunDiagnoseTest, TakesTheResidualsOfARun) {
  run_well({"tiny.yaml", "output=run"});
  const std::string said = run_well({"diagnose", "tiny.yaml", "--run", "run"});
  EXPECT_THAT(said, HasSubstr("Residuals of: pbm of run."));
  folder_.write(
      "ranker.yaml",
      "data: {format: simulation, sessions: 2000, queries: 5, candidates: 6, positions: 4}\n"
      "loss: {type: naive, base: softmax}\n"
      "train: {epochs: 1}\n");
  run_well({"ranker.yaml", "output=ranker"});
  expect_error({"diagnose", "tiny.yaml", "--run", "ranker"}, 2, "only ranks; expected a model");
  expect_error({"diagnose", "fixed.yaml", "--run", "run"}, 3,
               "knows none of the query-document pairs");
}

TEST_F(UltrRunDiagnoseTest, TheAnalysisAndTheCommandAreTheSame) {
  run_well({"tiny.yaml", "output=trained"});
  run_well({"diagnose", "tiny.yaml", "--run", "trained", "--sample", "900", "-o", "command"});
  folder_.write("analysis.yaml",
                "analysis: {type: diagnosis, run: trained, sample: 900, data:\n"
                "  {format: simulation, sessions: 2000, queries: 5, candidates: 6, positions: 4,\n"
                "   ranking_noise: 3, valid_sessions: 0, test_sessions: 0}}\n"
                "threads: 1\n");
  run_well({"analysis.yaml", "output=analysis"});
  const auto found = results("analysis");
  const auto command = nlohmann::json::parse(read_text(path("command/diagnosis.json")));
  EXPECT_THAT(found["residuals"]["model"].get<std::string>(), StartsWith("pbm of "));
  for (const auto& [key, value] : command.items()) {
    if (key == "residuals") continue;  // its model is named by a path
    EXPECT_EQ(found[key], value) << key;
  }
  EXPECT_EQ(found["residuals"]["means"], command["residuals"]["means"]);
  expect_error({"analysis.yaml", "analysis.run=gone"}, 3, "gone: there is no such file");
}

TEST_F(UltrRunDiagnoseTest, FeaturesHaveTheirOverlapAndTheirPolicy) {
  std::string lists;
  for (int query = 1; query <= 40; ++query)
    for (int k = 1; k <= 4; ++k)
      lists += std::to_string((query * k) % 5) + " qid:" + std::to_string(query) +
               " 1:" + std::to_string((query * 7 + k * 3) % 11) +
               " 2:" + std::to_string(query % k) + "\n";
  folder_.write("lists.txt", lists);
  folder_.write("lists.yaml",
                "data:\n"
                "  {format: feature_lists, train: lists.txt,\n"
                "   learn_from: {type: simulated_clicks, sessions: 4000, rankings: 10, policy: "
                "{strength: 0.5}}}\n"
                "loss: {type: two_tower, relevance: linear}\n"
                "train: {epochs: 2}\n"
                "threads: 2\n");
  const std::string said = run_well({"diagnose", "lists.yaml", "-o", "d"});
  EXPECT_THAT(said, AllOf(HasSubstr("AUC to rank before"), HasSubstr("nDCG@10"),
                          HasSubstr("by features: ")));
  EXPECT_THAT(read_text(path("d/feature_overlap.svg")), StartsWith("<svg"));
  run_well({"lists.yaml", "output=run"});
  EXPECT_THAT(run_well({"diagnose", "lists.yaml", "--run", "run"}),
              HasSubstr("Residuals of: two_tower of run."));
  expect_error({"diagnose", "tiny.yaml", "--run", "run"}, 2,
               "was trained on 2 features; expected 0");
  expect_error({"diagnose", "lists.yaml", "data.scaling.log1p=true", "--run", "run"}, 2,
               "scaled differently from the data's");
  folder_.write("labels.yaml", "data: {format: feature_lists, train: lists.txt}\n");
  for (const char* scale : {"labels", "probability"})
    expect_error({"diagnose", "labels.yaml", std::string("data.learn_from.scale=") + scale}, 3,
                 "have relevance labels; expected clicks");
}

TEST_F(UltrRunDiagnoseTest, ErrorsAreOneLine) {
  constexpr int usage = 2, wrong_data = 3;
  std::filesystem::create_directory(path("full"));
  folder_.write("full/file", "");
  expect_error({"diagnose"}, usage, "config is required");
  expect_error({"diagnose", "gone.yaml"}, usage, "gone.yaml: cannot be read");
  expect_error(
      {"diagnose", "tiny.yaml", "--sample", "5"}, usage,
      "--sample: sample is '5'; expected a whole number at least 100 and at most 1000000000");
  expect_error({"diagnose", "tiny.yaml", "seed=1,2"}, usage, "expected one value");
  expect_error({"diagnose", "tiny.yaml", "-o", "full"}, usage, "full is not empty");
  expect_error({"diagnose", "tiny.yaml", "--run", "full"}, wrong_data, "full");
  expect_error({"diagnose", "tiny.yaml", "data.positions=1", "-o", "d"}, wrong_data,
               "at rank 1 alone; expected two ranks");
  folder_.write("log.txt", "1\t7\t[5, 6]\t[1, 1]\t[0, 0]\n");
  expect_error({"diagnose", "fixed.yaml", "-o", "d"}, wrong_data, "nothing was clicked");
}

}  // namespace
}  // namespace ultr::ultr_run_diagnose_test
