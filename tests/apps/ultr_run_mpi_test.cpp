#include <csignal>

#include <fmt/core.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "apps/run_fixture.h"
#include "testing/environment.h"
#include "training/checkpoint.h"

namespace ultr::ultr_run_mpi_test {
namespace {

namespace fs = std::filesystem;
using testing::Finished;
using ::testing::HasSubstr;
using testing::read_text;
using testing::RunningProgram;
using ::testing::StartsWith;

/// Runs of several processes that the real mpirun starts. Signals go to one of them, not to mpirun,
/// which would give all a second to end, whatever else the machine does.
class UltrRunMpiTest : public testing::UltrRun {
 protected:
  void SetUp() override {
    if (!fs::exists(ULTR_MPIRUN)) GTEST_SKIP() << "this build has no MPI";
    folder_.write("small.yaml",
                  "data: {format: simulation, sessions: 1500, valid_sessions: 300,\n"
                  "       test_sessions: 600, queries: 20, positions: 6}\n"
                  "model: dbn\n"
                  "optimizer: {type: adamw, lr: 0.02}\n"
                  "train: {epochs: 3, early_stopping: 0, batch_size: 200}\n"
                  "threads: 1\n");
  }

  /// mpirun waits `seconds_to_end` after one has ended with an error, and kills the others then.
  /// Threads of a process that is bound to one core wait for each other: unbound, a test takes a
  /// tenth of the time. A process that waits for another one leaves its core to others.
  static std::vector<std::string> with_mpirun(int processes,
                                              const std::vector<std::string>& arguments,
                                              int seconds_to_end = 1) {
    std::vector<std::string> all = {"--allow-run-as-root",
                                    "--oversubscribe",
                                    "--bind-to",
                                    "none",
                                    "--mca",
                                    "odls_base_sigkill_timeout",
                                    std::to_string(seconds_to_end),
                                    "--mca",
                                    "mpi_yield_when_idle",
                                    "1",
                                    "-n",
                                    std::to_string(processes),
                                    ULTR_RUN};
    all.insert(all.end(), arguments.begin(), arguments.end());
    return all;
  }
  Finished run_several(int processes, const std::vector<std::string>& arguments) const {
    return testing::run_program(ULTR_MPIRUN, with_mpirun(processes, arguments), folder_.path());
  }
  /// Sends a signal to the process of rank 1, which works in this test's folder as no other does.
  void send_to_second(int signal) const {
    for (const auto& entry : fs::directory_iterator("/proc")) {
      std::error_code error;
      if (fs::read_symlink(entry.path() / "cwd", error) != fs::canonical(folder_.path()) || error)
        continue;
      if (read_text(entry.path() / "environ").find("OMPI_COMM_WORLD_RANK=1") == std::string::npos)
        continue;
      kill(std::stoi(entry.path().filename().string()), signal);
      return;
    }
    ADD_FAILURE() << "no process of rank 1 works in " << folder_.path();
  }
  /// Expects a study to have the same results from several processes as from one.
  void expect_same_study(const std::string& study, int processes) const {
    const Finished several = run_several(processes, {study, "output=several"});
    ASSERT_EQ(several.exit_code, 0) << several.errors;
    run_well({study, "output=one"});
    auto one = results("one"), same = results("several");
    for (const char* own : {"seconds", "overrides"}) {  // the overrides name the folder
      one.erase(own);
      same.erase(own);
    }
    EXPECT_EQ(one, same);
  }
  void expect_several_do_as_one(int processes, std::vector<std::string> arguments) const {
    arguments.emplace_back("output=several");
    const Finished several = run_several(processes, arguments);
    ASSERT_EQ(several.exit_code, 0) << several.errors;
    arguments.back() = "output=one";
    arguments.push_back("train.partitions=" + std::to_string(processes));
    run_well(arguments);
    expect_same_results("one", "several");
    EXPECT_EQ(results("one")["processes"], 1);
    EXPECT_EQ(results("several")["processes"], processes);
    EXPECT_GT(results("several")["messages"]["megabytes"], 0);
    EXPECT_GT(results("several")["messages"]["seconds"], 0);
    EXPECT_FALSE(results("one").contains("messages"));
    EXPECT_EQ(read_text(path("one/config.yaml")), read_text(path("several/config.yaml")));
    EXPECT_EQ(read_text(path("one/test_queries.csv")), read_text(path("several/test_queries.csv")));
  }
};

TEST_F(UltrRunMpiTest, SeveralProcessesGiveTheResultsOfOne) {
  for (const int processes : {2, 3}) {
    expect_several_do_as_one(processes, {"small.yaml"});
    fs::remove_all(path("one"));
    fs::remove_all(path("several"));
  }
}

TEST_F(UltrRunMpiTest, ExpectationMaximisation) {
  expect_several_do_as_one(2, {"small.yaml", "optimizer={type: em, pseudo_count: 1}"});
}

TEST_F(UltrRunMpiTest, ProcessesShareTheRunsOfASweep) {
  const std::vector<std::string> sweep = {"small.yaml", "model=pbm,dbn", "seed=1..3"};
  const auto with_output = [&](const std::string& output) {
    std::vector<std::string> arguments = sweep;
    arguments.push_back("output=" + output);
    return arguments;
  };
  const Finished several = run_several(4, with_output("several"));
  ASSERT_EQ(several.exit_code, 0) << several.errors;
  // Of six runs, the first of four processes does the first and the fifth.
  EXPECT_THAT(several.output, HasSubstr("run 2 of 2 in the first of 4 processes"));
  run_well(with_output("one"));
  for (const char* model : {"pbm", "dbn"})
    for (int seed = 1; seed <= 3; ++seed) {
      const std::string run = fmt::format("/model={},seed={}", model, seed);
      expect_same_results("one" + run, "several" + run);
      EXPECT_EQ(results("several" + run)["processes"], 1);
    }
  EXPECT_EQ(read_text(path("one/sweep.txt")), read_text(path("several/sweep.txt")));
  EXPECT_TRUE(fs::exists(path("several/comparison.html")));
}

TEST_F(UltrRunMpiTest, FailedRunsOfAllProcessesAreToldOnce) {
  const Finished finished =
      run_several(2, {"small.yaml", "seed=1,2", "optimizer.lr=0.02,1e300", "output=sweep"});
  EXPECT_EQ(finished.exit_code, 1) << finished.errors;
  for (const char* run : {"seed=1,optimizer.lr=1e300", "seed=2,optimizer.lr=1e300"}) {
    EXPECT_TRUE(fs::exists(path("sweep") / run / "failed.txt")) << run;
    EXPECT_THAT(finished.errors, HasSubstr("optimizer.lr=1e300: the training loss is not finite"));
  }
  EXPECT_THAT(finished.errors, HasSubstr("error: 2 of 4 runs failed"));
}

TEST_F(UltrRunMpiTest, ProcessesShareTheRunsOfAStudy) {
  folder_.write("study.yaml",
                "study: tiny\npaper: T\n"
                "experiment:\n"
                "  data: {format: simulation, sessions: 300, valid_sessions: 50,\n"
                "         test_sessions: 100, queries: 5, candidates: 6, positions: 4}\n"
                "  train: {epochs: 2, batch_size: 100}\n  threads: 1\n"
                "grid: {seed: 1..2}\nvariants: {pbm: {model: pbm}, gctr: {model: gctr}}\n"
                "measures: {ppl: test.cond_ppl}\n"
                "expect: [{that: ppl > 1 for all variant, why: it cannot be less}]\n");
  expect_same_study("study.yaml", 3);
}

TEST_F(UltrRunMpiTest, ProcessesPredictAndEvaluateTogether) {
  run_well({"simulate", "small.yaml", "--format", "table", "--output", "logs"});
  folder_.write("logs.yaml",
                "data: {format: table, train: logs/train.csv}\nmodel: ubm\n"
                "train: {epochs: 1}\nthreads: 1\nreport: {enabled: false}\n");
  run_well({"logs.yaml", "output=run"});
  const std::vector<std::string> with_run = {"run", "--data", "logs/train.csv"};
  for (const std::string command : {"predict", "evaluate"}) {
    std::vector<std::string> task = with_run;
    task.insert(task.begin(), command);
    EXPECT_EQ(run_several(2, task).output, run(task).output);
    task.insert(task.end(), {"--output", "lists.out"});
    const Finished one = run(task);
    ASSERT_EQ(one.exit_code, 0) << one.errors;
    const std::string written = read_text(path("lists.out"));
    EXPECT_THAT(written, StartsWith("list,query,"));
    fs::remove(path("lists.out"));
    const Finished several = run_several(3, task);
    ASSERT_EQ(several.exit_code, 0) << several.errors;
    EXPECT_EQ(read_text(path("lists.out")), written) << command;
    EXPECT_EQ(several.output, one.output);
    // The first process cannot write, while the others wait for it.
    std::vector<std::string> nowhere = task;
    nowhere.back() = "none/lists.out";
    const Finished failed = run_several(2, nowhere);
    EXPECT_EQ(failed.exit_code, 3) << failed.errors;
    EXPECT_THAT(failed.errors, HasSubstr("error: none/lists.out"));
  }
}

TEST_F(UltrRunMpiTest, ProcessesShareTheModelsOfAChoice) {
  std::vector<std::string> choose = {"choose", "small.yaml", "--model", "pbm",      "--model",
                                     "dctr",   "--model",    "dbn",     "--output", "several"};
  const Finished several = run_several(2, choose);
  ASSERT_EQ(several.exit_code, 0) << several.errors;
  // The first process fits two of the three models, pbm and dbn.
  EXPECT_THAT(several.output, HasSubstr("run 2 of 2 in the first of 2 processes: dbn"));
  choose.back() = "one";
  run_well(choose);
  auto one = results("one"), same = results("several");
  for (auto* choice : {&one, &same})
    for (auto& model : (*choice)["models"]) model.erase("seconds");
  EXPECT_EQ(one, same);
  EXPECT_TRUE(fs::exists(path("several/report.html")));
  EXPECT_EQ(run_several(2, {"--resume", "several"}).exit_code, 0);  // makes the report again
}

TEST_F(UltrRunMpiTest, ProcessesWaitForTheFirstRunsOfAStudy) {
  folder_.write("staged.yaml",
                "study: staged\npaper: T\n"
                "first:\n"
                "  fitted:\n"
                "    data: {format: simulation, sessions: 3000, valid_sessions: 50,\n"
                "           test_sessions: 50, queries: 5, candidates: 12, positions: 10}\n"
                "    model: ubm\n    train: {epochs: 2}\n"
                "experiment:\n"
                "  data: {format: feature_lists, reader: {type: synthetic, train_queries: 5,\n"
                "                                         valid_queries: 2, test_queries: 2},\n"
                "         scaling: {log1p: true, standardise: true},\n"
                "         learn_from: {type: simulated_clicks, sessions: 50, aggregate: false,\n"
                "                      user: {type: fitted_click_model, run: first/fitted}}}\n"
                "  loss: {type: naive, relevance: linear}\n"
                "  train: {epochs: 1}\n  threads: 1\n"
                "grid: {seed: 1..4}\nmeasures: {loss: test.loss}\nexpect: [loss > 0]\n");
  expect_same_study("staged.yaml", 3);
}

TEST_F(UltrRunMpiTest, AStoppedSweepResumesToTheSameResults) {
  const std::vector<std::string> sweep = {"small.yaml", "seed=1..3", "train.epochs=12",
                                          "data.sessions=40000"};
  std::vector<std::string> stopped = sweep;
  stopped.emplace_back("output=stopped");
  {
    RunningProgram program(ULTR_MPIRUN, with_mpirun(2, stopped, 5), folder_.path());
    program.read_until("2/12 ");
    send_to_second(SIGTERM);
    const Finished finished = program.finish();
    EXPECT_NE(finished.exit_code, 0);
    EXPECT_THAT(finished.errors,
                HasSubstr("stopped by SIGTERM; to resume: mpirun -n 2 ultr-run --resume stopped"));
  }
  const Finished resumed = run_several(2, {"--resume", "stopped"});
  ASSERT_EQ(resumed.exit_code, 0) << resumed.errors;
  std::vector<std::string> whole = sweep;
  whole.emplace_back("output=whole");
  run_well(whole);
  for (const char* run : {"/seed=1", "/seed=2", "/seed=3"})
    expect_same_results(std::string("whole") + run, std::string("stopped") + run);
}

using UltrRunMpiDataTest = UltrRunMpiTest;

TEST_F(UltrRunMpiDataTest, TianGong) {
  const fs::path data = fs::path(ULTR_SOURCE_DIR) / "../shared/data/tiangong";
  if (!fs::exists(data)) GTEST_SKIP() << data << " is not there";
  folder_.write("tiangong.yaml", fmt::format("data:\n  format: tiangong\n  train: {0}/train.txt\n"
                                             "  valid: {0}/valid.txt\n  test: {0}/test.txt\n"
                                             "  labels: {0}/human_labels.txt\n"
                                             "model: ubm\noptimizer: {{type: adagrad, lr: 0.1}}\n"
                                             "train: {{epochs: 3}}\nthreads: 1\n",
                                             fs::canonical(data).string()));
  expect_several_do_as_one(2, {"tiangong.yaml"});
  EXPECT_EQ(read_text(path("one/test_rankings.csv")), read_text(path("several/test_rankings.csv")));
}

TEST_F(UltrRunMpiTest, ADeadProcessEndsTheRunAndItsLastCheckpointIsNamed) {
  {
    RunningProgram program(ULTR_MPIRUN,
                           with_mpirun(2,
                                       {"small.yaml", "output=run", "train.epochs=1000000",
                                        "data.sessions=40000", "checkpoint.every=20 steps"},
                                       5),  // for the other to say so, on a machine that does much
                           folder_.path());
    program.read_until("2/1000000 ");
    send_to_second(SIGKILL);
    const Finished finished = program.finish();
    EXPECT_NE(finished.exit_code, 0);
    EXPECT_THAT(finished.errors,
                ::testing::ContainsRegex(
                    "error: another process of the run has not answered since the signal; the last "
                    "checkpoint is run/checkpoints/[0-9]+.checkpoint; to resume: mpirun -n 2 "
                    "ultr-run --resume run"));
  }
  for (const auto& entry : fs::recursive_directory_iterator(path("run")))
    if (entry.path().extension() == ".checkpoint") {
      EXPECT_NO_THROW(Checkpoint whole(entry.path())) << entry.path();
    }

  const Finished alone = run({"--resume", "run"});
  EXPECT_EQ(alone.exit_code, 2);
  EXPECT_THAT(alone.errors,
              HasSubstr("run: its checkpoint was written by 2 processes, but this run "
                        "has 1; expected the same number (mpirun -n)"));
}

TEST_F(UltrRunMpiTest, AStoppedRunResumesToTheSameResults) {
  const std::vector<std::string> arguments = {"small.yaml", "train.epochs=12",
                                              "data.sessions=40000"};
  {
    std::vector<std::string> stopped = arguments;
    stopped.emplace_back("output=stopped");
    RunningProgram program(ULTR_MPIRUN, with_mpirun(2, stopped), folder_.path());
    program.read_until("2/12 ");
    send_to_second(SIGTERM);
    const Finished finished = program.finish();
    EXPECT_NE(finished.exit_code, 0);
    EXPECT_THAT(finished.errors,
                HasSubstr("stopped by SIGTERM; to resume: mpirun -n 2 ultr-run --resume stopped"));
  }
  const Finished resumed = run_several(2, {"--resume", "stopped"});
  ASSERT_EQ(resumed.exit_code, 0) << resumed.errors;
  std::vector<std::string> whole = arguments;
  whole.insert(whole.end(), {"output=whole", "train.partitions=2"});
  run_well(whole);
  expect_same_results("whole", "stopped");
  EXPECT_FALSE(fs::exists(path("stopped/checkpoints")));
}

TEST_F(UltrRunMpiTest, TheLauncherOfAnotherMpiIsRefusedOnce) {
  const auto launched = [](const std::string& rank) {
    return testing::launcher_variables({{"PMI_SIZE", "4"}, {"PMI_RANK", rank}});
  };
  {
    const testing::Environment first(launched("0"));
    expect_error(
        {"small.yaml", "output=run"}, 2,
        "error: started as one of 4 processes, but MPI knows only one; expected the mpirun");
  }
  {
    const testing::Environment second(launched("1"));
    const Finished finished = run({"small.yaml", "output=run"});
    EXPECT_EQ(finished.exit_code, 2);
    EXPECT_EQ(finished.errors, "");
  }
  const testing::Environment shell(testing::launcher_variables({{"PMIX_RANK", "0"}}));
  run_well({"small.yaml", "--dry-run"});
}

TEST_F(UltrRunMpiTest, DryRunsAndChecksOfGradientsAreDoneOnce) {
  const auto expect_as_one = [&](const std::vector<std::string>& arguments) {
    const Finished one = run(arguments), several = run_several(3, arguments);
    EXPECT_EQ(several.exit_code, 0) << several.errors;
    EXPECT_EQ(several.output, one.output);
    EXPECT_FALSE(fs::exists(path("run")));
  };
  expect_as_one({"small.yaml", "output=run", "train.partitions=3", "--dry-run"});
  expect_as_one({"small.yaml", "output=run", "--check-gradients"});
}

TEST_F(UltrRunMpiTest, TheFirstProcessRunsAnAnalysis) {
  folder_.write(
      "diagnosis.yaml",
      "analysis: {type: diagnosis, data: {format: simulation, sessions: 2000, queries: 20}}\n"
      "threads: 1\n");
  const Finished several = run_several(2, {"diagnosis.yaml", "output=several"});
  ASSERT_EQ(several.exit_code, 0) << several.errors;
  run_well({"diagnosis.yaml", "output=one"});
  auto one = results("one"), same = results("several");
  one.erase("seconds");
  same.erase("seconds");
  EXPECT_EQ(one, same);
}

TEST_F(UltrRunMpiTest, ErrorsArePrintedOnceAndChangeNothing) {
  const auto errors_of = [&](const std::vector<std::string>& arguments) {
    const Finished finished = run_several(3, arguments);
    EXPECT_EQ(finished.exit_code, 2) << finished.errors;
    const std::size_t first = finished.errors.find("error: ");
    EXPECT_NE(first, std::string::npos);
    EXPECT_EQ(finished.errors.find("error: ", first + 1), std::string::npos) << finished.errors;
    EXPECT_FALSE(fs::exists(path("run")));
    return finished.errors;
  };
  EXPECT_THAT(errors_of({"small.yaml", "output=run", "optimizer.lrr=1"}),
              HasSubstr("unknown key 'optimizer.lrr'"));
  EXPECT_THAT(errors_of({"small.yaml", "output=run", "seed=1,2", "optimizer.lrr=1"}),
              HasSubstr("unknown key 'optimizer.lrr'"));
  EXPECT_THAT(errors_of({"small.yaml", "output=run", "seed=1,1"}),
              HasSubstr("have the same results"));
  EXPECT_THAT(errors_of({"compare", "run"}),
              HasSubstr("ultr-run compare cannot be divided over 3 processes"));
  EXPECT_THAT(errors_of({"choose", "small.yaml", "--output", "run", "--at-once", "2"}),
              HasSubstr("at_once is 2; expected none with mpirun"));
  fs::create_directory(path("used"));
  folder_.write("used/file", "");
  EXPECT_THAT(errors_of({"small.yaml", "output=used"}), HasSubstr("output used is not empty"));
}

}  // namespace
}  // namespace ultr::ultr_run_mpi_test
