#include <cstdlib>
#include <map>

#include <fmt/core.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "apps/run_fixture.h"

// Calls to the file system that go wrong, one at a time: whatever happens, either the results are
// the same to the bit, or there is one clear error and nothing half-written; and then the command
// can be given again, or the run resumed, with the same bits as if nothing had happened.

namespace ultr::ultr_run_faults_test {
namespace {

namespace fs = std::filesystem;
using testing::Finished;
using testing::read_text;

using Words = std::vector<std::string>;

/// A command that reads or writes files, in a folder with clicks.csv, shop.yaml and
/// simulation.yaml.
struct Command {
  std::string name;
  Words arguments;
  std::vector<Words> before = {};  // commands that must have run
  bool resumes = false;  // a failed run is resumed with --resume; else the command is given again
  bool after_kill = false;  // the last command before was killed half-way
};

void PrintTo(const Command& command, std::ostream* stream) { *stream << command.name; }

std::vector<Command> commands() {
  const Words train = {"shop.yaml", "output=out", "checkpoint.every=1 epoch"};
  const Words trained = {"shop.yaml", "output=run"};
  return {
      {.name = "train", .arguments = train, .resumes = true},
      {.name = "em", .arguments = {"shop.yaml", "output=out", "optimizer=em"}, .resumes = true},
      {.name = "resume",
       .arguments = {"--resume", "out"},
       .before = {train},
       .resumes = true,
       .after_kill = true},
      {.name = "sweep", .arguments = {"shop.yaml", "output=out", "seed=1,2"}, .resumes = true},
      {.name = "convert",
       .arguments = {"convert", "table", "clicks.csv", "--set",
                     "columns={session: sid, query: term, document: sku, position: rank, "
                     "click: clicked}",
                     "--output", "out"}},
      {.name = "simulate", .arguments = {"simulate", "simulation.yaml", "--output", "out"}},
      {.name = "simulate_table",
       .arguments = {"simulate", "simulation.yaml", "--format", "table", "--output", "out"}},
      {.name = "predict",
       .arguments = {"predict", "run", "--data", "clicks.csv", "--output", "out"},
       .before = {trained}},
      {.name = "relevance",
       .arguments = {"relevance", "run", "--output", "out"},
       .before = {trained}},
  };
}

/// Returns what must be the same each time: the bytes of a file or of all files in a folder,
/// without times of a run.
std::map<std::string, std::string> bits_of(const fs::path& path) {
  if (fs::is_regular_file(path)) return {{path.filename(), read_text(path)}};
  std::map<std::string, std::string> bits;
  if (!fs::exists(path)) return bits;
  for (const auto& entry : fs::recursive_directory_iterator(path)) {
    const std::string name = entry.path().filename();
    if (!entry.is_regular_file() || name == "report.html" || name == "config.yaml" ||
        name.starts_with("comparison.") || name.ends_with(".checkpoint"))
      continue;
    std::string text = read_text(entry.path());
    if (name == "metrics.csv") text = testing::without_times(text);
    if (name == "results.json") {
      const auto all = nlohmann::json::parse(text);
      text = all["train"].dump() + all["valid"].dump() + all["test"].dump();
    }
    bits[fs::relative(entry.path(), path)] = text;
  }
  return bits;
}

class UltrRunFaultsTest : public ::testing::TestWithParam<Command> {
 protected:
  UltrRunFaultsTest() {
    std::string log = "sid,term,sku,rank,clicked\n";
    for (int i = 0; i < 200; ++i)
      for (int rank = 1; rank <= 3; ++rank)
        log += fmt::format("s{},\"shoes, {}\",Schuh {},{},{}\n", i, i % 3, (i + rank) % 5, rank,
                           (i * rank) % 7 < 2 ? 1 : 0);
    prepared_.write("clicks.csv", log);
    prepared_.write("shop.yaml",
                    "data:\n"
                    "  format: table\n"
                    "  train: clicks.csv\n"
                    "  columns: {session: sid, query: term, document: sku, position: rank, "
                    "click: clicked}\n"
                    "  split: {valid: 0.2, test: 0.2}\n"
                    "model: pbm\n"
                    "train: {epochs: 3, batch_size: 32}\n"
                    "threads: 1\n");
    prepared_.write("simulation.yaml",
                    "name: shop\n"
                    "data: {format: simulation, sessions: 300, valid_sessions: 60, "
                    "test_sessions: 60, queries: 5, positions: 5}\n"
                    "model: pbm\n"
                    "threads: 1\n");
    const auto& before = GetParam().before;
    for (std::size_t i = 0; i < before.size(); ++i) {
      const bool killed = GetParam().after_kill && i + 1 == before.size();
      const Finished finished =
          killed ? run(prepared_.path(), before[i], "kill", 80) : run(prepared_.path(), before[i]);
      EXPECT_EQ(finished.exit_code, killed ? 137 : 0) << finished.errors;
    }
  }

  /// Runs ultr-run in a folder, with a fault at the call with this number; 0: none. A program that
  /// hangs is ended with exit code 124.
  static Finished run(const fs::path& folder, const Words& arguments, const std::string& fault = "",
                      long at = 0, const fs::path& count = {}) {
    Words words = {"FAULT_FOLDER=" + fs::canonical(folder).string(),
                   "FAULT=" + fault,
                   "FAULT_AT=" + std::to_string(at),
                   "FAULT_COUNT=" + count.string(),
                   std::string("LD_PRELOAD=") + ULTR_FILE_FAULTS,
                   "/usr/bin/timeout",
                   "120",
                   ULTR_RUN};
    words.insert(words.end(), arguments.begin(), arguments.end());
    return testing::run_program("/usr/bin/env", words, folder);
  }

  /// Injects a fault at the call with this number in a copy of the folder, and checks what follows.
  void expect_no_harm(const std::string& fault, long at,
                      const std::map<std::string, std::string>& expected) const {
    SCOPED_TRACE(GetParam().name + ": " + fault + " at call " + std::to_string(at));
    const testing::TemporaryFolder copy;
    fs::copy(prepared_.path(), copy.path(), fs::copy_options::recursive);
    const fs::path output = copy.path() / "out";
    const Finished finished = run(copy.path(), GetParam().arguments, fault, at);
    if (finished.exit_code == 0) {
      EXPECT_EQ(bits_of(output), expected);
      return;
    }
    EXPECT_NE(fault, "shorten") << finished.errors;
    if (fault != "kill") expect_one_error(finished);
    const bool resumes = GetParam().resumes && fs::exists(output / "config.yaml");
    const Words arguments = resumes ? Words{"--resume", "out"} : GetParam().arguments;
    Finished again = run(copy.path(), arguments);
    if (again.exit_code != 0) expect_one_error(again);
    if (again.exit_code != 0 && !says_that_it_is_complete(again)) {  // the user begins anew
      EXPECT_THAT(again.errors, ::testing::AnyOf(::testing::HasSubstr("has no checkpoint"),
                                                 ::testing::HasSubstr("is not empty")));
      fs::remove_all(output);
      again = run(copy.path(), GetParam().arguments);
      EXPECT_EQ(again.exit_code, 0) << again.errors;
    }
    EXPECT_EQ(bits_of(output), expected) << finished.errors << again.errors;
  }

  static bool says_that_it_is_complete(const Finished& finished) {
    return finished.errors.find("is finished") != std::string::npos ||
           finished.errors.find("already exists") != std::string::npos;
  }
  static void expect_one_error(const Finished& finished) {
    EXPECT_THAT(finished.exit_code, ::testing::AnyOf(1, 2, 3));
    const auto error = finished.errors.rfind("error: ");
    ASSERT_NE(error, std::string::npos) << finished.errors;
    EXPECT_EQ(finished.errors.find('\n', error), finished.errors.size() - 1) << finished.errors;
    EXPECT_EQ(finished.errors.find("filesystem error"), std::string::npos) << finished.errors;
  }

  testing::TemporaryFolder prepared_;
};

TEST_P(UltrRunFaultsTest, DoNoHarm) {
  const testing::TemporaryFolder whole;
  fs::copy(prepared_.path(), whole.path(), fs::copy_options::recursive);
  const testing::TemporaryFolder elsewhere;
  const fs::path count = elsewhere.path() / "count";
  const Finished finished = run(whole.path(), GetParam().arguments, "", 0, count);
  ASSERT_EQ(finished.exit_code, 0) << finished.errors;
  const auto expected = bits_of(whole.path() / "out");
  ASSERT_FALSE(expected.empty());
  const long calls = std::stol(read_text(count));
  ASSERT_GT(calls, 10);
  const long step = std::getenv("ULTR_NIGHTLY") != nullptr ? 1 : 61;
  long begin = 1;
  for (const char* fault : {"fail", "shorten", "kill"}) {
    for (long at = begin; at <= calls; at += step) expect_no_harm(fault, at, expected);
    if (step > 1) ++begin;
  }
  if (step == 1) fmt::print("{}: {} calls, {} faults\n", GetParam().name, calls, 3 * calls);
}

INSTANTIATE_TEST_SUITE_P(Commands, UltrRunFaultsTest, ::testing::ValuesIn(commands()),
                         [](const auto& command) { return command.param.name; });

}  // namespace
}  // namespace ultr::ultr_run_faults_test
