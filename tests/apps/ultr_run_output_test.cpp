#include <csignal>
#include <map>
#include <memory>
#include <thread>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "apps/run_fixture.h"
#include "commands/command_table.h"

namespace ultr::ultr_run_output_test {
namespace {

namespace fs = std::filesystem;
using ::testing::AnyOf;
using ::testing::EndsWith;
using testing::Finished;
using Arguments = std::vector<std::string>;

/// Standard output that cannot be written, interrupts, and runs that start together.
class UltrRunOutputTest : public testing::UltrRun {
 protected:
  UltrRunOutputTest() {
    std::string log;
    for (int query = 1; query <= 40; ++query)
      log += fmt::format("1\t{}\t[5, 6, 7]\t[1, 1, 1]\t[{}, 0, {}]\n", query % 5, query % 2,
                         query % 3 == 0 ? 1 : 0);
    folder_.write("log.txt", log);
    folder_.write("log.yaml",
                  "name: log\n"
                  "data: {format: tiangong, train: log.txt}\n"
                  "train: {epochs: 1}\n");
    folder_.write("made.yaml",
                  "data: {format: simulation, sessions: 300, valid_sessions: 0, test_sessions: 0}\n"
                  "train: {epochs: 1}\n");
    folder_.write("study.yaml",
                  "study: tiny\n"
                  "experiment: {data: {format: tiangong, train: log.txt}, model: pbm}\n"
                  "grid: {seed: 1..2}\n"
                  "measures: {ppl: train.ppl}\n");
  }

  /// Runs ultr-run with its standard output redirected as a shell does: ">/dev/full".
  Finished redirected(const Arguments& arguments, const std::string& redirection) const {
    Arguments words = {"-c", "exec \"$0\" \"$@\" " + redirection, ULTR_RUN};
    words.insert(words.end(), arguments.begin(), arguments.end());
    return testing::run_program("/bin/sh", words, folder_.path());
  }

  /// Expects success with a standard output, and the error without one. NEW in an argument stands
  /// for a new name.
  void expect_error_without_output(const Arguments& arguments) {
    for (const auto& [redirection, reason] :
         {std::pair("", ""), std::pair(">/dev/full", "No space left on device"),
          std::pair(">&-", "Bad file descriptor")}) {
      Arguments given = arguments;
      for (std::string& argument : given)
        if (const std::size_t at = argument.find("NEW"); at != std::string::npos)
          argument.replace(at, 3, fmt::format("new{}", ++names_));
      const Finished finished = redirected(given, redirection);
      const bool works = std::string(reason).empty();
      EXPECT_EQ(finished.exit_code, works ? 0 : 3)
          << fmt::format("{} {}\n{}", fmt::join(given, " "), redirection, finished.errors);
      if (works) continue;
      const std::string start = "error: standard output: cannot be written (";
      EXPECT_THAT(finished.errors, AnyOf(EndsWith(start + reason + ")\n"),
                                         EndsWith(start + "an earlier write failed)\n")))
          << fmt::format("{} {}", fmt::join(given, " "), redirection);
    }
  }

 private:
  int names_ = 0;
};

TEST_F(UltrRunOutputTest, EveryCommandFailsIfItsOutputIsLost) {
  run_well({"log.yaml", "output=run"});
  run_well({"log.yaml", "seed=1,2", "output=sweep"});
  const std::map<std::string, Arguments> arguments = {
      {"train", {"log.yaml", "output=NEW"}},
      {"choose", {"log.yaml", "data.valid=log.txt", "--model", "gctr", "-o", "NEW"}},
      {"labels", {"run", "--format", "csv", "--min-impressions", "1", "-o", "NEW"}},
      {"resume", {"sweep"}},
      {"convert", {"tiangong", "log.txt", "-o", "NEW"}},
      {"simulate", {"made.yaml", "-o", "NEW"}},
      {"diagnose", {"made.yaml"}},
      {"estimate-bias", {"log.yaml"}},
      {"predict", {"run", "--data", "log.txt"}},
      {"relevance", {"run", "-o", "NEW"}},
      {"evaluate", {"run", "--data", "log.txt"}},
      {"compare", {"sweep"}}};
  for (const Command& command : command_table()) {
    const auto found = arguments.find(command.name);
    ASSERT_NE(found, arguments.end()) << command.name << " has no arguments here";
    Arguments words = {command.name};
    words.insert(words.end(), found->second.begin(), found->second.end());
    expect_error_without_output(words);
    expect_error_without_output({command.name, "--help"});
  }
}

TEST_F(UltrRunOutputTest, EveryListingFailsIfItIsLost) {
  for (const Arguments& arguments : {Arguments{"--help"},
                                     {"--version"},
                                     {"--list"},
                                     {"--list", "pbm"},
                                     {"--help-options"},
                                     {"log.yaml", "--dry-run"},
                                     {"log.yaml", "seed=1,2", "--dry-run"},
                                     {"study.yaml", "--dry-run"},
                                     {"log.yaml", "--check-gradients"}})
    expect_error_without_output(arguments);
}

TEST_F(UltrRunOutputTest, ARunWithoutOutputHasItsResults) {
  for (const char* redirection : {">/dev/full", ">&- 2>&- <&-"}) {
    fs::remove_all(path("run"));
    EXPECT_EQ(redirected({"log.yaml", "output=run"}, redirection).exit_code, 3);
    EXPECT_TRUE(results("run").contains("train")) << redirection;
  }
}

TEST_F(UltrRunOutputTest, AnInterruptedSimulationLeavesNothing) {
  const std::size_t files = folder_.size();
  testing::RunningProgram program(
      ULTR_RUN, {"simulate", "made.yaml", "data.sessions=1000000000", "-o", "made"},
      folder_.path());
  while (!fs::exists(path("made.part"))) std::this_thread::yield();
  program.send(SIGINT);
  const Finished finished = program.finish();
  EXPECT_EQ(finished.exit_code, 130);
  EXPECT_EQ(finished.errors, "stopped by SIGINT; nothing was written\n");
  EXPECT_EQ(folder_.size(), files);
}

TEST_F(UltrRunOutputTest, RunsThatStartTogetherHaveFoldersOfTheirOwn) {
  std::vector<std::unique_ptr<testing::RunningProgram>> runs(3);
  for (auto& run : runs)
    run =
        std::make_unique<testing::RunningProgram>(ULTR_RUN, Arguments{"log.yaml"}, folder_.path());
  for (const auto& run : runs) {
    const Finished finished = run->finish();
    EXPECT_EQ(finished.exit_code, 0) << finished.errors;
  }
  for (const char* folder : {"runs/log/1", "runs/log/2", "runs/log/3"})
    EXPECT_TRUE(fs::exists(path(folder) / "results.json")) << folder;
}

}  // namespace
}  // namespace ultr::ultr_run_output_test
