#include <fstream>

#include <fmt/core.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "apps/command_cases.h"
#include "apps/run_fixture.h"

// Commands that ask for more threads than the system starts: they use fewer, with the same bits.

namespace ultr::ultr_run_threads_test {
namespace {

namespace fs = std::filesystem;
using testing::CommandCaseTest;
using testing::Finished;
using testing::Words;

Words with_thread_limit(int limit) {
  return {"/usr/bin/env", fmt::format("THREAD_LIMIT={}", limit),
          std::string("LD_PRELOAD=") + ULTR_THREAD_LIMIT};
}

/// Makes all configurations in a folder, also those of runs, ask for four threads.
void ask_for_threads(const fs::path& folder) {
  const std::string one = "\nthreads: 1\n";
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    if (entry.path().extension() != ".yaml") continue;
    std::string text = testing::read_text(entry.path());
    if (const auto at = text.find(one); at != std::string::npos)
      text.replace(at, one.size(), "\nthreads: 4\n");
    std::ofstream(entry.path()) << text;
  }
}

class UltrRunThreadsTest : public CommandCaseTest {};

TEST_P(UltrRunThreadsTest, UsesAsManyAsTheSystemStarts) {
  std::map<std::string, std::string> expected;
  for (const int limit : {1000, 0, 2, 5}) {
    SCOPED_TRACE(limit);
    const testing::TemporaryFolder folder;
    fs::copy(prepared_.path(), folder.path(), fs::copy_options::recursive);
    ask_for_threads(folder.path());
    const Finished finished =
        testing::run_in(folder.path(), GetParam().arguments, with_thread_limit(limit));
    EXPECT_EQ(finished.exit_code, 0) << finished.errors;
    if (expected.empty()) expected = testing::bits_of(folder.path() / "out");
    testing::expect_same_bits(testing::bits_of(folder.path() / "out"), expected);
  }
}

INSTANTIATE_TEST_SUITE_P(Commands, UltrRunThreadsTest,
                         ::testing::ValuesIn(testing::command_cases()), testing::name_of_case);

class UltrRunThreadNoteTest : public testing::UltrRun {};

TEST_F(UltrRunThreadNoteTest, FewerRunsTrainAtTheSameTime) {
  folder_.write("small.yaml",
                "data: {format: simulation, sessions: 300, valid_sessions: 60,\n"
                "       test_sessions: 60, queries: 5, positions: 5}\n"
                "threads: 1\n");
  const Finished finished =
      testing::run_in(folder_.path(),
                      {"choose", "small.yaml", "--model", "pbm", "--model", "dctr", "--model",
                       "gctr", "--at-once", "3", "--output", "choice"},
                      with_thread_limit(1));
  EXPECT_EQ(finished.exit_code, 0) << finished.errors;
  for (const char* model : {"pbm", "dctr", "gctr"})
    EXPECT_THAT(finished.output, ::testing::HasSubstr(model));
}

TEST_F(UltrRunThreadNoteTest, SaysHowManyThereAre) {
  folder_.write(
      "ranker.yaml",
      "data:\n"
      "  format: feature_lists\n"
      "  reader: {type: synthetic, train_queries: 40, valid_queries: 5, test_queries: 5}\n"
      "  learn_from: {type: simulated_clicks, user: position_based, sessions: 300}\n"
      "loss: {type: pbm, relevance: {type: mlp, widths: [8]}}\n"
      "train: {epochs: 2}\n"
      "threads: 64\n");
  const std::string words = "threads; results do not depend on it";
  const auto errors_with = [&](int limit) {
    const Finished finished = testing::run_in(
        folder_.path(), {"ranker.yaml", fmt::format("output={}", limit)}, with_thread_limit(limit));
    EXPECT_EQ(finished.exit_code, 0) << finished.errors;
    return finished.errors;
  };
  EXPECT_THAT(errors_with(1000), ::testing::Not(::testing::HasSubstr(words)));
  for (const auto& [limit, usable] : {std::pair(0, 1), {7, 4}}) {
    EXPECT_THAT(errors_with(limit),
                ::testing::HasSubstr(
                    fmt::format("the system lets this process start {} of 64 {}", usable, words)));
    expect_same_results("1000", std::to_string(limit));
  }
}

}  // namespace
}  // namespace ultr::ultr_run_threads_test
