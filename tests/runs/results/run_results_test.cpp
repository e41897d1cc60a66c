#include "runs/results/run_results.h"

#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "testing/errors.h"
#include "testing/run_folders.h"

namespace ultr::run_results_test {
namespace {

namespace fs = std::filesystem;

using testing::config_message;
using testing::data_message;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Pair;
using testing::RunFolders;

std::vector<RunResults> read(const std::vector<fs::path>& folders) { return read_runs(folders); }

TEST(ResultOptionsTest, AreAllOptionsThatResultsDependOnExceptTheSeed) {
  const ConfigNode config = parse_config(
      "{name: a, seed: 3, threads: 2, output: o, data: {train: [x, y], weight: null}, model: "
      "{type: "
      "mixture, models: [{type: pbm, lr: 1}]}, report: {enabled: true, title: t}, "
      "checkpoint: {every: 5m}}",
      "test");
  EXPECT_THAT(
      result_options(config),
      ElementsAre(Pair("data.train", "[x, y]"), Pair("data.weight", "null"),
                  Pair("model.type", "mixture"), Pair("model.models", "[[type: pbm, lr: 1]]")));
}

TEST(RunResultsTest, ReadsTheFilesOfARun) {
  const RunFolders folders;
  const fs::path run = folders.add("a", "name: first, seed: 7, model: {type: pbm}",
                                   R"({"model": "pbm", "epochs": 2, "ok": true,
    "test": {"ppl": 1.5, "cond_ppl": null, "ppl_per_rank": [1.25, null], "ranking": {"ndcg@10": 0.5}}})");
  const std::vector<RunResults> runs = read({run});
  ASSERT_EQ(runs.size(), 1u);
  EXPECT_EQ(runs[0].folder, run);
  EXPECT_EQ(runs[0].name, "first");
  EXPECT_EQ(runs[0].seed, 7);
  EXPECT_EQ(runs[0].failure, "");
  EXPECT_THAT(runs[0].options, ElementsAre(Pair("model.type", "pbm")));
  EXPECT_THAT(runs[0].metrics,
              ElementsAre(Pair("epochs", 2), Pair("test.cond_ppl", ::testing::IsNan()),
                          Pair("test.ppl", 1.5), Pair("test.ppl_per_rank.1", 1.25),
                          Pair("test.ppl_per_rank.2", ::testing::IsNan()),
                          Pair("test.ranking.ndcg@10", 0.5)));
}

TEST(RunResultsTest, ASweepStandsForItsRunsInNaturalOrder) {
  const RunFolders folders;
  for (const char* seed : {"10", "9", "1"})
    folders.add(std::string("sweep/seed=") + seed, std::string("seed: ") + seed, "{}");
  folders.write("sweep/comparison.csv", "");
  fs::create_directories(folders.path() / "sweep/model");
  std::vector<std::int64_t> seeds;
  for (const RunResults& run : read({folders.path() / "sweep"})) seeds.push_back(run.seed);
  EXPECT_THAT(seeds, ElementsAre(1, 9, 10));
}

TEST(RunResultsTest, SaysWhyARunFailed) {
  const RunFolders folders;
  const fs::path failed = folders.add("sweep/a", "seed: 1");
  folders.write("sweep/a/failed.txt", "the loss is not finite\n");
  const fs::path unfinished = folders.add("sweep/b", "seed: 2");
  const auto runs = read({folders.path() / "sweep"});
  ASSERT_EQ(runs.size(), 2u);
  EXPECT_EQ(runs[0].failure, "the loss is not finite");
  EXPECT_EQ(runs[1].failure, "did not finish");
  EXPECT_EQ(read({failed})[0].failure, "the loss is not finite");
  EXPECT_EQ(data_message([&] { read({unfinished}); }),
            (unfinished / "results.json").string() +
                ": there is no such file; expected the results of a run that finished");
}

TEST(RunResultsTest, RefusesOtherFolders) {
  const RunFolders folders;
  const fs::path empty = folders.path() / "empty", missing = folders.path() / "missing";
  fs::create_directory(empty);
  folders.write("file", "");
  EXPECT_EQ(
      config_message([&] { read({missing}); }),
      missing.string() + ": there is no such folder; expected the folder of a run or a sweep");
  EXPECT_THAT(config_message([&] { read({folders.path() / "file"}); }), HasSubstr("is a file"));
  EXPECT_THAT(config_message([&] { read({empty}); }), HasSubstr("has no config.yaml, nor has"));
  const fs::path run = folders.add("run", "seed: 1", "{}");
  EXPECT_THAT(config_message([&] {
                read({run, folders.path() / "empty/../run"});
              }),
              HasSubstr("is given twice"));
  for (const char* config : {"model: {type: pbm}", "seed: one", "seed: 1.5"})
    EXPECT_THAT(config_message([&] { read({folders.add("seedless", config, "{}")}); }),
                HasSubstr("expected a resolved configuration with a whole number"))
        << config;
}

TEST(RunResultsTest, RefusesDamagedResults) {
  const RunFolders folders;
  const std::string file = (folders.path() / "run/results.json").string();
  const auto message = [&](const std::string& results) {
    return data_message([&] { read({folders.add("run", "seed: 1", results)}); });
  };
  EXPECT_EQ(message(R"({"test": {"ppl": 1.)"),
            file + ": is damaged at byte 20; expected JSON with a run's results");
  for (const char* results : {"", "[1, 2]", "1", R"({"test": 1e999})", "\xff"})
    EXPECT_THAT(message(results), HasSubstr(file + ": is damaged")) << results;
}

}  // namespace
}  // namespace ultr::run_results_test
