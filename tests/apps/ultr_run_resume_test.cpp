#include <csignal>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "apps/run_fixture.h"

namespace ultr::ultr_run_resume_test {
namespace {

namespace fs = std::filesystem;
using ::testing::EndsWith;
using testing::Finished;
using ::testing::HasSubstr;
using ::testing::Not;
using testing::read_text;
using testing::RunningProgram;
using ::testing::StartsWith;

/// Runs that are stopped by signals. Epochs are small and many: their lines fill a pipe, so that a
/// program of which nobody reads cannot end.
class UltrRunResumeTest : public testing::UltrRun {
 protected:
  UltrRunResumeTest() {
    folder_.write("small.yaml",
                  "data: {format: simulation, sessions: 300, valid_sessions: 60,\n"
                  "       test_sessions: 60, queries: 5, positions: 5}\n"
                  "model: pbm\n"
                  "train: {epochs: 200, early_stopping: 0, batch_size: 100}\n"
                  "threads: 1\n");
  }

  /// Ends when it is told to, after it has said something.
  Finished stop(const std::vector<std::string>& arguments, int signal,
                std::string_view when = "/200 ") const {
    RunningProgram program(ULTR_RUN, arguments, folder_.path());
    program.read_until(when);
    program.send(signal);
    const Finished finished = program.finish();
    EXPECT_FALSE(program.killed()) << "it ended itself";
    return finished;
  }
  /// A run that was stopped, with checkpoints of its last two epochs and of where it stopped.
  void stop_with_checkpoints() const {
    const Finished finished =
        stop({"small.yaml", "output=run", "checkpoint.every=1 epoch", "checkpoint.keep=3"}, SIGINT,
             " 4/200 ");
    EXPECT_EQ(finished.exit_code, 128 + SIGINT);
  }
  std::vector<fs::path> checkpoints(const std::string& run_folder) const {
    std::vector<fs::path> files;
    for (const auto& entry : fs::directory_iterator(path(run_folder) / "checkpoints"))
      files.push_back(entry.path());
    std::sort(files.begin(), files.end(), [](const fs::path& a, const fs::path& b) {
      return std::stoi(a.stem().string()) < std::stoi(b.stem().string());
    });
    return files;
  }
  static void damage(const fs::path& file) {
    std::fstream stream(file, std::ios::binary | std::ios::in | std::ios::out);
    stream.seekp(100).put('\x7f').put('\x01');
  }
  void expect_error(const std::vector<std::string>& arguments, int exit_code,
                    const std::string& message) const {
    const Finished finished = run(arguments);
    EXPECT_EQ(finished.exit_code, exit_code);
    EXPECT_EQ(finished.errors, "error: " + message + "\n");
    EXPECT_EQ(finished.output, "");
  }
};

TEST_F(UltrRunResumeTest, AStoppedRunResumesBitIdentically) {
  run_well({"small.yaml", "output=whole"});
  const Finished first = stop({"small.yaml", "output=run"}, SIGINT);
  EXPECT_EQ(first.exit_code, 128 + SIGINT);
  EXPECT_THAT(first.errors, EndsWith("\nstopped by SIGINT; to resume: ultr-run --resume run\n"));
  EXPECT_FALSE(fs::exists(path("run/results.json")));
  EXPECT_EQ(checkpoints("run").size(), 1u) << "without being configured";

  const Finished second = stop({"--resume", "run"}, SIGTERM);
  EXPECT_EQ(second.exit_code, 128 + SIGTERM);
  EXPECT_THAT(second.errors, EndsWith("\nstopped by SIGTERM; to resume: ultr-run --resume run\n"));

  const std::string last = run_well({"--resume", "run"});
  EXPECT_THAT(last, Not(HasSubstr("  1/200 ")));
  EXPECT_THAT(last, HasSubstr("200/200 "));
  expect_same_results("run", "whole");
  for (const char* file : {"config.yaml", "test_queries.csv"})
    EXPECT_EQ(read_text(path("run") / file), read_text(path("whole") / file)) << file;
  EXPECT_FALSE(fs::exists(path("run/checkpoints"))) << "it is finished";
}

TEST_F(UltrRunResumeTest, ATerminalThatClosesStopsARunWithACheckpoint) {
  run_well({"small.yaml", "output=whole"});
  RunningProgram program(ULTR_RUN, {"small.yaml", "output=run"}, folder_.path());
  program.read_until("/200 ");
  program.send(SIGHUP);
  program.send(SIGHUP);  // the shell sends another
  const Finished finished = program.finish();
  EXPECT_FALSE(program.killed());
  EXPECT_EQ(finished.exit_code, 128 + SIGHUP);
  EXPECT_THAT(finished.errors, EndsWith("\nstopped by SIGHUP; to resume: ultr-run --resume run\n"));
  run_well({"--resume", "run"});
  expect_same_results("run", "whole");
}

TEST_F(UltrRunResumeTest, ARunWhoseOutputNobodyReadsTrainsToTheEnd) {
  run_well({"small.yaml", "output=whole"});
  folder_.write("run.sh",
                "mkfifo closed\n"
                "{ read -r line <closed; env --default-signal=PIPE \"$@\"; echo $? >code; } | { "
                "exec <&-; echo >closed; }\n");
  const Finished finished = testing::run_program(
      "/bin/bash", {"run.sh", ULTR_RUN, "small.yaml", "output=run"}, folder_.path());
  EXPECT_THAT(finished.errors, ::testing::Not(HasSubstr("error")));
  EXPECT_EQ(read_text(path("code")), std::to_string(128 + SIGPIPE) + "\n");
  expect_same_results("run", "whole");
}

TEST_F(UltrRunResumeTest, TheSecondSignalEndsItAtOnce) {
  RunningProgram program(ULTR_RUN, {"small.yaml", "output=run"}, folder_.path());
  program.read_until("/200 ");
  program.send(SIGSTOP);  // so that it gets both before it does anything else
  program.send(SIGINT);
  program.send(SIGTERM);
  program.send(SIGCONT);
  const Finished finished = program.finish();
  EXPECT_TRUE(program.killed());
  EXPECT_THAT(finished.errors, Not(HasSubstr("stopped")));
}

TEST_F(UltrRunResumeTest, ADamagedCheckpointIsNamedAndTheOneBeforeUsed) {
  run_well({"small.yaml", "output=whole"});
  stop_with_checkpoints();
  const std::vector<fs::path> files = checkpoints("run");
  ASSERT_EQ(files.size(), 3u);
  damage(files[2]);
  fs::resize_file(files[1], fs::file_size(files[1]) / 2);
  const Finished finished = run({"--resume", "run"});
  EXPECT_EQ(finished.exit_code, 0) << finished.errors;
  for (const fs::path& file : {files[2], files[1]})
    EXPECT_THAT(finished.errors, HasSubstr("run/checkpoints/" + file.filename().string() +
                                           ": is damaged (its checksum is "));
  EXPECT_THAT(finished.errors,
              HasSubstr("run/checkpoints/" + files[0].filename().string() + ": resuming after "));
  expect_same_results("run", "whole");
}

TEST_F(UltrRunResumeTest, WithoutAUsableCheckpointItEnds) {
  stop_with_checkpoints();
  for (const fs::path& file : checkpoints("run")) damage(file);
  const Finished finished = run({"--resume", "run"});
  EXPECT_EQ(finished.exit_code, 3);
  EXPECT_THAT(finished.errors,
              EndsWith("error: run: has no usable checkpoint; expected one to resume from\n"));
  fs::remove_all(path("run/checkpoints"));
  expect_error({"--resume", "run"}, 3, "run: has no checkpoint; expected one to go on from");
}

TEST_F(UltrRunResumeTest, ACheckpointOfAnotherConfigurationIsRefused) {
  stop_with_checkpoints();
  const std::string config = read_text(path("run/config.yaml"));
  const auto with = [&](const std::string& option, const std::string& changed) {
    std::string text = config;
    text.replace(text.find(option), option.size(), changed);
    folder_.write("run/config.yaml", text);
  };
  with("lr: 0.003", "lr: 0.004");
  const Finished finished = run({"--resume", "run"});
  EXPECT_EQ(finished.exit_code, 2);
  EXPECT_THAT(finished.errors, EndsWith("error: run/config.yaml: optimizer.lr is '0.004'; expected "
                                        "'0.003', as when its checkpoint was written\n"));
  with("lr: 0.003", "rate: 0.003");
  EXPECT_EQ(run({"--resume", "run"}).exit_code, 2);
  with("threads: 1", "threads: 2");
  EXPECT_EQ(run({"--resume", "run"}).exit_code, 0) << "results do not depend on it";
}

TEST_F(UltrRunResumeTest, FoldersThatCannotBeResumedAreErrors) {
  run_well({"small.yaml", "output=run", "train.epochs=1"});
  expect_error({"--resume", "run"}, 2, "run: is finished; expected a run that was stopped");
  for (const char* none : {"missing", "."})
    expect_error({"--resume", none}, 3,
                 std::string(none) +
                     ": has no config.yaml; expected the folder of a run or a "
                     "sweep that was stopped");
  for (const std::vector<std::string>& more : std::vector<std::vector<std::string>>{
           {"small.yaml"}, {"--dry-run"}, {"--check-gradients"}}) {
    std::vector<std::string> arguments = {"--resume", "run"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    expect_error(arguments, 2,
                 "--resume takes a folder alone, whose config.yaml says all; see ultr-run --help");
  }
}

TEST_F(UltrRunResumeTest, ARunThatIsStillRunningIsLeftAlone) {
  RunningProgram program(ULTR_RUN, {"small.yaml", "output=run"}, folder_.path());
  program.read_until("/200 ");
  expect_error({"--resume", "run"}, 2,
               "run: another process is working on it; expected a run that has stopped");
}

TEST_F(UltrRunResumeTest, AStoppedChoiceResumes) {
  const std::vector<std::string> models = {"--model", "gctr", "--model", "pbm", "--model", "dbn"};
  const auto choose = [&](std::vector<std::string> arguments) {
    arguments.insert(arguments.end(), models.begin(), models.end());
    return arguments;
  };
  const Finished stopped = stop(
      choose({"choose", "small.yaml", "train.epochs=1000", "--output", "choice", "--at-once", "1"}),
      SIGINT, "1/3 gctr");
  EXPECT_EQ(stopped.exit_code, 128 + SIGINT);
  EXPECT_THAT(stopped.errors,
              EndsWith("\nstopped by SIGINT; to resume: ultr-run --resume choice\n"));
  EXPECT_TRUE(fs::exists(path("choice/gctr/results.json")));
  EXPECT_FALSE(fs::exists(path("choice/dbn/results.json")));
  EXPECT_FALSE(fs::exists(path("choice/results.json")));
  run_well({"--resume", "choice"});
  EXPECT_EQ(results("choice")["models"].size(), 3u);
}

TEST_F(UltrRunResumeTest, AStoppedSweepResumes) {
  run_well({"small.yaml", "seed=1,2", "output=whole"});
  const Finished stopped = stop({"small.yaml", "seed=1,2", "output=sweep"}, SIGTERM);
  EXPECT_EQ(stopped.exit_code, 128 + SIGTERM);
  EXPECT_THAT(stopped.errors,
              EndsWith("\nstopped by SIGTERM; to resume: ultr-run --resume sweep\n"));
  EXPECT_FALSE(fs::exists(path("sweep/comparison.json")));
  // That it cannot go on is no failure of the run.
  const std::string config = read_text(path("sweep/seed=1/config.yaml"));
  std::string changed = config;
  changed.replace(changed.find("lr: 0.003"), 9, "lr: 0.004");
  folder_.write("sweep/seed=1/config.yaml", changed);
  EXPECT_EQ(run({"--resume", "sweep"}).exit_code, 2);
  EXPECT_FALSE(fs::exists(path("sweep/seed=1/failed.txt")));
  folder_.write("sweep/seed=1/config.yaml", config);
  run_well({"--resume", "sweep"});
  for (const char* seed : {"seed=1", "seed=2"})
    expect_same_results(std::string("sweep/") + seed, std::string("whole/") + seed);
  EXPECT_EQ(read_text(path("sweep/sweep.txt")), "seed=1\nseed=2\n");
  EXPECT_TRUE(fs::exists(path("sweep/comparison.json")));
}

}  // namespace
}  // namespace ultr::ultr_run_resume_test
