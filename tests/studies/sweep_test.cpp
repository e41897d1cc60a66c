#include "studies/sweep.h"

#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "runs/results/run_results.h"
#include "testing/errors.h"
#include "testing/listening_fixture.h"
#include "testing/run_folders.h"

namespace ultr::sweep_test {
namespace {

namespace fs = std::filesystem;

using testing::config_message;
using testing::data_message;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using testing::read_text;
using testing::TemporaryFolder;

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t found = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1))
    ++found;
  return found;
}

std::vector<std::string> names_in(const fs::path& folder) {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(folder))
    names.push_back(entry.path().filename().string());
  std::sort(names.begin(), names.end());
  return names;
}

/// A tiny experiment on simulated sessions.
class SweepTest : public testing::ListeningFixture {
 protected:
  /// Runs it with the program's own entry point and keeps what it said.
  int run(std::vector<std::string> overrides, Action action = Action::run) {
    overrides.push_back("output=" + output_.string());
    return listen(
        [&](Registry& registry) { return run_experiment(config_, overrides, action, registry); });
  }
  int resume(const fs::path& folder) {
    return listen([&](Registry& registry) { return resume_experiment(folder, registry); });
  }

  TemporaryFolder folder_;
  fs::path output_ = folder_.path() / "out";
  fs::path config_ = folder_.write("tiny.yaml", R"(
data: {format: simulation, sessions: 300, valid_sessions: 50, test_sessions: 100, queries: 5,
       candidates: 6, positions: 4}
train: {epochs: 2, batch_size: 100}
threads: 1
)");
};

TEST_F(SweepTest, RunsAGridAndComparesIt) {
  ASSERT_EQ(run({"model.type=pbm,dctr", "seed=1..2"}), 0) << warned_;
  EXPECT_THAT(names_in(output_),
              ElementsAre("comparison.csv", "comparison.html", "comparison.json",
                          "model.type=dctr,seed=1", "model.type=dctr,seed=2",
                          "model.type=pbm,seed=1", "model.type=pbm,seed=2", "sweep.txt"));
  for (const char* file : {"config.yaml", "results.json", "report.html", "test_queries.csv"})
    EXPECT_TRUE(fs::exists(output_ / "model.type=dctr,seed=2" / file)) << file;
  EXPECT_THAT(said_, HasSubstr("run 1 of 4: model.type=pbm seed=1\n"));
  EXPECT_THAT(said_, HasSubstr("run 4 of 4: model.type=dctr seed=2, about "));
  EXPECT_THAT(said_, HasSubstr("test.cond_ppl, lower is better\nmodel.type  runs"));
  EXPECT_THAT(said_, HasSubstr("\nSelected on validation sessions: model.type="));
  EXPECT_EQ(count(warned_, "300 training"), 2u) << "data depend on the seed alone: " << warned_;
}

TEST_F(SweepTest, ARunIsTheSameAsAlone) {
  ASSERT_EQ(run({"model.type=pbm,dctr", "seed=1,2"}), 0) << warned_;
  const fs::path sweep = output_ / "model.type=dctr,seed=2";
  output_ = folder_.path() / "alone";
  ASSERT_EQ(run({"model.type=dctr", "seed=2"}), 0) << warned_;
  for (const char* file : {"config.yaml", "test_queries.csv", "model/attraction.npy"})
    EXPECT_EQ(read_text(sweep / file), read_text(output_ / file)) << file;
}

TEST_F(SweepTest, RunsOnTheSameMadeUpListsFollowEachOtherAndAreTheSameAsAlone) {
  config_ = folder_.write("lists.yaml", R"(
data: {format: feature_lists, reader: {type: synthetic, train_queries: 10, test_queries: 5},
       learn_from: {type: simulated_clicks, sessions: 100}}
loss: naive
train: {epochs: 1}
threads: 1
)");
  ASSERT_EQ(run({"seed=1,2", "data.reader.seed=3,4"}), 0) << warned_;
  EXPECT_THAT(said_, HasSubstr("run 2 of 4: seed=2 data.reader.seed=3, about "));
  EXPECT_THAT(said_, HasSubstr("run 3 of 4: seed=1 data.reader.seed=4, about "));
  const fs::path sweep = output_ / "seed=2,data.reader.seed=4";
  output_ = folder_.path() / "alone";
  ASSERT_EQ(run({"seed=2", "data.reader.seed=4"}), 0) << warned_;
  for (const char* file : {"config.yaml", "test_rankings.csv", "model/relevance.npy"})
    EXPECT_EQ(read_text(sweep / file), read_text(output_ / file)) << file;
}

TEST_F(SweepTest, AFailedRunIsReportedAndTheOthersContinue) {
  EXPECT_EQ(run({"optimizer.type=sgd", "optimizer.lr=1e300,0.01", "seed=1,2"}), 1);
  EXPECT_THAT(read_text(output_ / "optimizer.lr=1e300,seed=1/failed.txt"),
              HasSubstr("the training loss is not finite"));
  EXPECT_FALSE(fs::exists(output_ / "optimizer.lr=1e300,seed=1/results.json"));
  EXPECT_TRUE(fs::exists(output_ / "optimizer.lr=0.01,seed=2/results.json"));
  EXPECT_THAT(said_, HasSubstr("no result"));
  EXPECT_THAT(said_, HasSubstr("optimizer.lr=1e300,seed=2: the training loss is not finite"));
  EXPECT_THAT(warned_, HasSubstr("error: 2 of 4 runs failed\n"));
  EXPECT_THAT(read_text(output_ / "comparison.html"), HasSubstr("failed: the training loss"));
}

TEST_F(SweepTest, ResumeRunsTheRemainingRuns) {
  ASSERT_EQ(run({"model.type=pbm,dctr,nothing_wrong", "seed=1"}), 2) << "no such model";
  ASSERT_EQ(run({"optimizer.type=sgd", "optimizer.lr=1e300,0.02,0.01", "seed=1,2"}), 1);
  const auto everything = [&] {
    std::map<std::string, std::string> files;
    for (const auto& entry : fs::recursive_directory_iterator(output_))
      if (entry.path().filename() == "comparison.csv" || entry.path().extension() == ".npy" ||
          entry.path().extension() == ".txt" || entry.path().extension() == ".yaml")
        files[entry.path().string()] = read_text(entry.path());
    return files;
  };
  const auto before = everything();
  // As if it had been stopped in a run, after others that it never came to.
  const fs::path begun = output_ / "optimizer.lr=0.01,seed=1";
  for (const char* file : {"results.json", "report.html", "test_queries.csv"})
    fs::remove(begun / file);
  fs::remove_all(begun / "model");
  const fs::path missing = output_ / "optimizer.lr=0.02,seed=2";
  for (const auto& entry : fs::directory_iterator(missing))
    if (entry.path().filename() != "config.yaml") fs::remove_all(entry.path());
  for (const char* file : {"comparison.csv", "comparison.html", "comparison.json"})
    fs::remove(output_ / file);

  EXPECT_EQ(resume(output_), 1) << "a run has failed before";
  EXPECT_THAT(said_, HasSubstr("run 1 of 2: optimizer.lr=0.02,seed=2\n"));
  EXPECT_THAT(said_, HasSubstr("run 2 of 2: optimizer.lr=0.01,seed=1, about "));
  EXPECT_THAT(warned_, HasSubstr("error: 2 of 6 runs failed\n"));
  EXPECT_EQ(everything(), before);
  EXPECT_EQ(resume(output_), 1) << "nothing but the comparison is left to do";
  EXPECT_THAT(said_, Not(HasSubstr("run 1 of")));
}

TEST_F(SweepTest, AListOfRunsThatIsDamagedIsAnError) {
  ASSERT_EQ(run({"seed=1,2"}), 0);
  folder_.write("out/sweep.txt", "");
  EXPECT_EQ(resume(output_), 3);
  EXPECT_THAT(warned_,
              HasSubstr("sweep.txt: cannot be read; expected the names of a sweep's runs"));
  folder_.write("out/sweep.txt", "seed=3\n");
  EXPECT_EQ(resume(output_), 2);
  EXPECT_THAT(warned_, HasSubstr("out/seed=3/config.yaml: "));
}

TEST_F(SweepTest, IfAllRunsFailThereIsStillAReport) {
  EXPECT_EQ(run({"optimizer.type=sgd", "optimizer.lr=1e300,1e301"}), 1);
  EXPECT_TRUE(fs::exists(output_ / "comparison.html"));
}

TEST_F(SweepTest, NothingIsCreatedUnlessAllConfigurationsAreRight) {
  EXPECT_EQ(run({"optimizer.lr=0.1,high"}), 2);
  EXPECT_THAT(warned_, HasSubstr("option 'optimizer.lr=high': optimizer.lr is 'high'"));
  EXPECT_EQ(run({"seed=1,2", "optimizer.rate=0.1,0.2"}), 2);
  EXPECT_THAT(warned_, HasSubstr("unknown key 'optimizer.rate'"));
  EXPECT_EQ(run({"seed=1,2", "data={format: yandex, train: missing.txt}"}), 3);
  EXPECT_THAT(warned_, HasSubstr("missing.txt: there is no such file"));
  EXPECT_FALSE(fs::exists(output_));
  EXPECT_THAT(said_, IsEmpty());
}

TEST_F(SweepTest, WrongDataBeforeTheFirstRunAreAnError) {
  const fs::path log = folder_.write("log.txt", "nonsense\n");
  EXPECT_EQ(run({"seed=1,2", "data={format: tiangong, train: log.txt}"}), 3);
  EXPECT_THAT(warned_, HasSubstr(log.string() + ":1"));
  EXPECT_FALSE(fs::exists(output_));
}

TEST_F(SweepTest, WrongDataOfLaterRunsFailTheseAlone) {
  folder_.write("good.txt", "1\t1\t[3,4]\t[0,0]\t[1,0]\n2\t1\t[3,4]\t[0,0]\t[0,0]\n");
  folder_.write("bad.txt", "nonsense\n");
  EXPECT_EQ(run({"data={format: tiangong}", "data.train=good.txt,bad.txt", "seed=1,2"}), 1);
  EXPECT_EQ(count(warned_, "2 training"), 1u) << "files do not depend on the seed: " << warned_;
  EXPECT_THAT(read_text(output_ / "data.train=bad.txt,seed=1/failed.txt"), HasSubstr("bad.txt:1"));
  EXPECT_TRUE(fs::exists(output_ / "data.train=bad.txt,seed=1/config.yaml"));
  EXPECT_TRUE(fs::exists(output_ / "data.train=good.txt,seed=2/results.json"));
}

TEST_F(SweepTest, SplitsOfFilesDependOnTheSeed) {
  std::string log;
  for (int i = 0; i < 20; ++i) log += "1\t1\t[3,4]\t[0,0]\t[1,0]\n";
  folder_.write("log.txt", log);
  EXPECT_EQ(run({"data={format: tiangong, train: log.txt, split: {test: 0.3}}", "seed=1,2"}), 0)
      << warned_;
  EXPECT_EQ(count(warned_, " training, "), 2u) << warned_;
}

TEST_F(SweepTest, OtherTestDataLeaveTheTableUntested) {
  EXPECT_EQ(run({"data.eta=0,3"}), 0) << warned_;
  EXPECT_THAT(said_, HasSubstr("were tested on different data"));
  EXPECT_THAT(said_, HasSubstr("not tested"));
}

TEST_F(SweepTest, ValuesWithoutEffectAreAnError) {
  for (const char* swept : {"threads=1,2", "report.title=Rain, wind", "optimizer.lr=0.1,0.10"}) {
    EXPECT_EQ(run({swept}), 2) << swept;
    EXPECT_THAT(warned_, HasSubstr("of the sweep have the same results")) << swept;
  }
  EXPECT_FALSE(fs::exists(output_));
}

TEST_F(SweepTest, ADryRunPrintsEveryConfiguration) {
  EXPECT_EQ(run({"evaluate.cutoffs=[1,2],[3]"}, Action::dry_run), 0) << warned_;
  EXPECT_EQ(count(said_, "---\n# evaluate.cutoffs="), 2u);
  EXPECT_THAT(said_, HasSubstr("# evaluate.cutoffs=[1,2]\n"));
  EXPECT_THAT(said_, HasSubstr("cutoffs: [1, 2]"));
  EXPECT_THAT(said_, HasSubstr("cutoffs: [3]"));
  EXPECT_FALSE(fs::exists(output_));
}

TEST_F(SweepTest, GradientsOfEveryModelAreChecked) {
  EXPECT_EQ(run({"model.type=pbm,dctr"}, Action::check_gradients), 0) << said_;
  EXPECT_THAT(said_, HasSubstr("pbm: gradients agree"));
  EXPECT_THAT(said_, HasSubstr("dctr: gradients agree"));
}

}  // namespace
}  // namespace ultr::sweep_test
