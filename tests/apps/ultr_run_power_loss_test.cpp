#include <set>
#include <sstream>

#include <fmt/core.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "apps/run_fixture.h"

namespace ultr::ultr_run_power_loss_test {
namespace {

namespace fs = std::filesystem;
using testing::Finished;
using testing::read_text;

/// A disk that keeps only what was flushed to it: contents of files, and names in folders.
class SyncedDisk {
 public:
  void sync(const std::string& path) { contents_.insert(path); }
  void sync_name(const std::string& path) { names_.insert(path); }
  void rename(const std::string& from, const std::string& to) {
    names_.erase(to);
    contents_.erase(to);
    if (contents_.erase(from) > 0) contents_.insert(to);
  }
  /// Returns true if a power loss now leaves the file with all its bytes.
  bool keeps(const fs::path& file, const fs::path& root) const {
    fs::path above = file;
    for (; above != root; above = above.parent_path())
      if (!names_.contains(above)) return false;
    return contents_.contains(file);
  }

 private:
  std::set<std::string> contents_, names_;
};

class UltrRunPowerLossTest : public testing::UltrRun {
 protected:
  /// Runs ultr-run and returns its calls: lines of words, as tests/preload/system_call_log.cpp logs
  /// them.
  std::vector<std::vector<std::string>> calls_of(const std::vector<std::string>& arguments) const {
    const fs::path log = path("calls.log");
    std::vector<std::string> words = {std::string("LD_PRELOAD=") + ULTR_SYSTEM_CALL_LOG,
                                      "SYSTEM_CALL_LOG=" + log.string(), ULTR_RUN};
    words.insert(words.end(), arguments.begin(), arguments.end());
    const Finished finished = testing::run_program("/usr/bin/env", words, folder_.path());
    EXPECT_EQ(finished.exit_code, 0) << finished.errors;
    std::vector<std::vector<std::string>> calls;
    std::istringstream lines(read_text(log));
    for (std::string line; std::getline(lines, line);) {
      std::vector<std::string> call;
      std::istringstream parts(line);
      for (std::string part; std::getline(parts, part, '\t');) call.push_back(part);
      calls.push_back(std::move(call));
    }
    return calls;
  }
};

TEST_F(UltrRunPowerLossTest, ResultsAreOnDiskBeforeCheckpointsAreDeleted) {
  folder_.write("small.yaml",
                "data: {format: simulation, sessions: 300, valid_sessions: 60,\n"
                "       test_sessions: 60, queries: 5, positions: 5}\n"
                "model: pbm\n"
                "train: {epochs: 2}\n"
                "checkpoint: {every: 1 epoch, keep: 2}\n");
  const auto calls = calls_of({"small.yaml", "output=runs/one"});
  const fs::path run = fs::canonical(path("runs/one")), root = fs::canonical(folder_.path());
  std::vector<fs::path> files;
  for (const auto& entry : fs::recursive_directory_iterator(run))
    if (entry.is_regular_file()) files.push_back(entry.path());
  ASSERT_GT(files.size(), 6u);

  SyncedDisk disk;
  std::size_t checkpoints = 0, deleted = 0;
  const auto expect_kept = [&](bool results_too) {
    for (const fs::path& file : files) {
      if (!results_too && file.filename() == "results.json") continue;
      EXPECT_TRUE(disk.keeps(file, root)) << file << (results_too ? "" : " before results.json");
    }
  };
  for (const std::vector<std::string>& call : calls) {
    const bool of_checkpoint = call.back().ends_with(".checkpoint");
    if (call[0] == "fsync") disk.sync(call[1]);
    if (call[0] == "entry") disk.sync_name(call[1]);
    if (call[0] == "rename") {
      if (call[2] == run / "results.json") expect_kept(false);
      disk.rename(call[1], call[2]);
      if (of_checkpoint) ++checkpoints;
    }
    if (call[0] == "remove" && of_checkpoint) {
      if (deleted++ == 0) expect_kept(true);
    }
  }
  EXPECT_EQ(checkpoints, 2u);
  EXPECT_EQ(deleted, 2u);
}

}  // namespace
}  // namespace ultr::ultr_run_power_loss_test
