#include <fmt/core.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "apps/run_fixture.h"

namespace ultr::ultr_run_full_disk_test {
namespace {

namespace fs = std::filesystem;
using testing::Finished;
using ::testing::HasSubstr;
using ::testing::Not;
using testing::read_text;

/// Runs whose disk is full for some files (tests/preload/full_disk.cpp).
class UltrRunFullDiskTest : public testing::UltrRun {
 protected:
  UltrRunFullDiskTest() {
    folder_.write("small.yaml",
                  "data: {format: simulation, sessions: 300, valid_sessions: 60,\n"
                  "       test_sessions: 60, queries: 5, positions: 5}\n"
                  "model: pbm\n"
                  "train: {epochs: 2}\n");
    fs::create_directory(path("temporary"));
    run_well({"small.yaml", "output=whole"});
  }

  /// Runs ultr-run on a disk that is full for paths with this part.
  Finished train(const std::string& full, const std::string& output) const {
    return testing::run_program(
        "/usr/bin/env",
        {std::string("LD_PRELOAD=") + ULTR_FULL_DISK, "FULL_DISK=" + full,
         "TMPDIR=" + path("temporary").string(), ULTR_RUN, "small.yaml", "output=" + output},
        folder_.path());
  }
  /// Expects a folder with the model of the run that had space.
  void expect_model(const fs::path& run) const {
    for (const auto& entry : fs::directory_iterator(path("whole/model")))
      EXPECT_EQ(read_text(entry.path()), read_text(run / "model" / entry.path().filename()));
    folder_.write("log.txt", "1\t7\t[5, 6]\t[1, 1]\t[1, 0]\n");
    const std::string csv = run_well(
        {"evaluate", run.string(), "--format", "tiangong", "--data", path("log.txt").string()});
    EXPECT_THAT(csv, HasSubstr("1 lists, 2 documents"));
  }
};

TEST_F(UltrRunFullDiskTest, AModelThatCannotBeWrittenIsKeptElsewhere) {
  const Finished finished = train("/run/model/", "run");
  EXPECT_EQ(finished.exit_code, 3);
  const std::string kept = "; the trained model is kept in ";
  EXPECT_THAT(finished.errors, HasSubstr("cannot be written (No space left on device)" + kept));
  const std::size_t at = finished.errors.find(kept) + kept.size();
  ASSERT_LT(at, finished.errors.size());
  const fs::path rescued = finished.errors.substr(at, finished.errors.find('\n', at) - at);
  EXPECT_EQ(rescued.parent_path(), path("temporary"));
  expect_model(rescued);
}

TEST_F(UltrRunFullDiskTest, AFileAboveTheSystemsLimitIsAnError) {
  const Finished finished = testing::run_program(
      "/bin/bash", {"-c", "ulimit -f 1; exec \"$0\" small.yaml output=run", ULTR_RUN},
      folder_.path());
  EXPECT_EQ(finished.exit_code, 3);
  EXPECT_THAT(finished.errors, HasSubstr("cannot be written (File too large)"));
  EXPECT_FALSE(fs::exists(path("run/results.json")));
}

TEST_F(UltrRunFullDiskTest, AModelThatIsWrittenStaysIfOtherFilesAreNot) {
  for (const std::string file : {"test_queries.csv", "report.html", "results.json"}) {
    const Finished finished = train("/" + file, "no_" + file);
    EXPECT_EQ(finished.exit_code, 3);
    EXPECT_THAT(finished.errors,
                HasSubstr(fmt::format("; the trained model is kept in no_{}\n", file)));
    expect_model(path("no_" + file));
  }
}

TEST_F(UltrRunFullDiskTest, TrainingDoesNotEndBecauseAnEpochCannotBeLogged) {
  const Finished finished = train("/metrics.csv", "run");
  EXPECT_THAT(
      finished.errors,
      HasSubstr("metrics.csv: cannot be written (No space left on device); training continues\n"));
  EXPECT_EQ(finished.exit_code, 3);
  expect_model(path("run"));
}

TEST_F(UltrRunFullDiskTest, SaysSoIfNoPlaceIsLeft) {
  const Finished finished = train("/model/", "run");
  EXPECT_EQ(finished.exit_code, 3);
  EXPECT_THAT(finished.errors, HasSubstr("; the trained model is lost: "));
  EXPECT_TRUE(fs::is_empty(path("temporary")));
}

}  // namespace
}  // namespace ultr::ultr_run_full_disk_test
