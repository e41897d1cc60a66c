#include <charconv>
#include <cmath>
#include <cstdlib>
#include <cstring>

#include <fmt/core.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "apps/command_cases.h"
#include "apps/random_configuration.h"
#include "apps/run_fixture.h"
#include "commands/built_in_registry.h"

// Configurations that are drawn from the declared options: each ends in finite numbers or one clear
// error, reads back as it was resolved, and gives the same bits with three threads, and if it is
// killed and resumed.

namespace ultr::ultr_run_random_configurations_test {
namespace {

namespace fs = std::filesystem;
using testing::Finished;
using testing::Words;

/// Results of random configurations, to be printed.
struct Tally {
  int all = 0, refused = 0, failed = 0, trained = 0, resumed = 0;
};

class UltrRunRandomConfigurationsTest : public testing::UltrRun,
                                        public ::testing::WithParamInterface<std::uint64_t> {
 protected:
  /// Tries one configuration, in a folder of its own.
  void try_one(std::uint64_t seed, Tally& tally) const;

  Finished run(const std::string& folder, const Words& arguments, const Words& before = {}) const {
    Finished finished = testing::run_in(path(folder), arguments, before);
    EXPECT_THAT(finished.exit_code, ::testing::AnyOf(0, 1, 2, 3, 137)) << finished.errors;
    if (finished.exit_code > 0 && finished.exit_code < 4) testing::expect_one_error(finished);
    return finished;
  }
  void expect_finite(const std::string& run) const;
  /// Kills a run at a call to the file system and resumes it. Returns false if it had no
  /// checkpoint.
  bool resume_after_kill(const std::string& folder, long call) const;
};

/// Returns words of a command line that count calls to the file system, or kill the program at one.
Words preloaded(const fs::path& folder, long kill_at, const fs::path& count = {}) {
  return {"/usr/bin/env",
          "FAULT_FOLDER=" + fs::canonical(folder).string(),
          "FAULT=kill",
          "FAULT_AT=" + std::to_string(kill_at),
          "FAULT_COUNT=" + count.string(),
          std::string("LD_PRELOAD=") + ULTR_FILE_FAULTS};
}

/// Expects numbers; those of an epoch that diverges may be infinite.
void expect_numbers(const std::string& csv) {
  std::istringstream lines(csv);
  std::string header;
  std::getline(lines, header);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream cells(line);
    for (std::string cell; std::getline(cells, cell, ',');)
      EXPECT_FALSE(cell == "nan" || cell == "-nan") << header << "\n" << line;
  }
}

/// Expects all numbers of a .npy file of floats to be finite.
void expect_finite_array(const fs::path& file) {
  const std::string bytes = testing::read_text(file);
  const std::size_t begin = bytes.find('\n') + 1;
  if (bytes.find("'<f4'") > begin) return;
  for (std::size_t at = begin; at + sizeof(float) <= bytes.size(); at += sizeof(float)) {
    float number = 0;
    std::memcpy(&number, bytes.data() + at, sizeof number);
    ASSERT_TRUE(std::isfinite(number)) << file;
  }
}

void UltrRunRandomConfigurationsTest::expect_finite(const std::string& run) const {
  expect_numbers(testing::read_text(path(run) / "metrics.csv"));
  for (const auto& entry : fs::directory_iterator(path(run) / "model"))
    if (entry.path().extension() == ".npy") expect_finite_array(entry.path());
}

bool UltrRunRandomConfigurationsTest::resume_after_kill(const std::string& folder,
                                                        long call) const {
  run(folder, {"config.yaml", "checkpoint.every=1 step", "output=stopped"},
      preloaded(path(folder), call));
  const Finished resumed = run(folder, {"--resume", "stopped"});
  if (resumed.exit_code == 0) return true;
  EXPECT_THAT(resumed.errors,
              ::testing::ContainsRegex("has no checkpoint|is finished|cannot be read|no such"));
  fs::remove_all(path(folder) / "stopped");
  return false;
}

void UltrRunRandomConfigurationsTest::try_one(std::uint64_t seed, Tally& tally) const {
  const std::string folder = std::to_string(seed);
  SCOPED_TRACE("configuration " + folder);
  fs::create_directory(path(folder));
  folder_.write(folder + "/config.yaml", testing::random_configuration(built_in_registry(), seed));
  ++tally.all;
  const Finished dry = run(folder, {"config.yaml", "--dry-run", "name=random"});
  const Finished one = run(folder, {"config.yaml", "output=one"});
  if (dry.exit_code != 0) {
    EXPECT_NE(one.exit_code, 0) << dry.errors;
    EXPECT_FALSE(fs::exists(path(folder) / "one"));
    ++tally.refused;
    return;
  }
  folder_.write(folder + "/resolved.yaml", dry.output);
  EXPECT_EQ(run(folder, {"resolved.yaml", "--dry-run"}).output, dry.output);
  const fs::path count = path(folder) / "count";
  const Finished three =
      run(folder, {"config.yaml", "checkpoint.every=1 step", "threads=3", "output=three"},
          preloaded(path(folder), 0, count));
  EXPECT_EQ(three.exit_code, one.exit_code) << one.errors << three.errors;
  if (one.exit_code != 0) {
    EXPECT_NE(one.exit_code, 2) << "the dry run did not refuse it: " << one.errors;
    ++tally.failed;
    return;
  }
  ++tally.trained;
  expect_finite(folder + "/one");
  expect_same_results(folder + "/one", folder + "/three");
  const long calls = std::stol(testing::read_text(count));
  if (!resume_after_kill(folder, calls / 3 + static_cast<long>(seed) % (calls / 3))) return;
  ++tally.resumed;
  expect_same_results(folder + "/one", folder + "/stopped");
}

TEST_P(UltrRunRandomConfigurationsTest, EndWellOrInOneError) {
  const bool nightly = std::getenv("ULTR_NIGHTLY") != nullptr;
  Tally tally;
  for (std::uint64_t i = 0; i < (nightly ? 100 : 3); ++i) {
    const std::uint64_t seed = 1000 * GetParam() + i;
    try_one(seed, tally);
    if (!HasFailure()) fs::remove_all(path(std::to_string(seed)));
  }
  fmt::print(
      "{} configurations: {} refused, {} ended in an error, {} trained, {} of them resumed\n",
      tally.all, tally.refused, tally.failed, tally.trained, tally.resumed);
  if (!nightly) return;
  EXPECT_GT(tally.trained, tally.all / 5);
  EXPECT_GT(tally.resumed, tally.trained / 2);
}

INSTANTIATE_TEST_SUITE_P(Seeds, UltrRunRandomConfigurationsTest,
                         ::testing::Range(std::uint64_t{1}, std::uint64_t{9}));

}  // namespace
}  // namespace ultr::ultr_run_random_configurations_test
