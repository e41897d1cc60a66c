#pragma once

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "testing/subprocess.h"
#include "testing/temporary_folder.h"

namespace ultr::testing {

/// Returns the text of metrics.csv without the last two columns, which are times.
inline std::string without_times(const std::string& csv) {
  std::istringstream lines(csv);
  std::string text;
  for (std::string line; std::getline(lines, line);) {
    for (int column = 0; column < 2; ++column) line.resize(std::min(line.rfind(','), line.size()));
    text += line + "\n";
  }
  return text;
}

/// Runs ultr-run as a user does, in a folder that is new for each test.
class UltrRun : public ::testing::Test {
 protected:
  Finished run(const std::vector<std::string>& arguments) const {
    return run_program(ULTR_RUN, arguments, folder_.path());
  }
  /// Runs ultr-run, expecting success. Returns the standard output.
  std::string run_well(const std::vector<std::string>& arguments) const {
    const Finished finished = run(arguments);
    EXPECT_EQ(finished.exit_code, 0) << finished.errors;
    return finished.output;
  }
  /// Expects the last thing that it says to be one line with this message, an exit code, nothing on
  /// standard output and nothing left behind in the folder.
  void expect_error(const std::vector<std::string>& arguments, int exit_code,
                    const std::string& message) const {
    const std::size_t files = folder_.size();
    const Finished finished = run(arguments);
    EXPECT_EQ(finished.exit_code, exit_code) << finished.errors;
    const auto error = finished.errors.rfind("error: ");
    ASSERT_NE(error, std::string::npos) << finished.errors;
    EXPECT_THAT(finished.errors.substr(error), ::testing::HasSubstr(message));
    EXPECT_EQ(finished.errors.find('\n', error), finished.errors.size() - 1) << finished.errors;
    EXPECT_EQ(finished.output, "");
    EXPECT_EQ(folder_.size(), files) << "something was created";
  }

  std::filesystem::path path(const std::string& name) const { return folder_.path() / name; }
  nlohmann::json results(const std::string& run_folder) const {
    return nlohmann::json::parse(read_text(path(run_folder) / "results.json"));
  }

  /// Both folders hold the same metrics (timing columns aside) and the same parameters, to the
  /// byte.
  void expect_same_results(const std::string& one, const std::string& other) const {
    EXPECT_EQ(metrics(one), metrics(other));
    for (const auto& entry : std::filesystem::directory_iterator(path(one) / "model"))
      EXPECT_EQ(read_text(entry.path()), read_text(path(other) / "model" / entry.path().filename()))
          << entry.path();
    for (const char* split : {"train", "valid", "test"})
      EXPECT_EQ(results(one)[split], results(other)[split]);
  }

  std::string metrics(const std::string& run_folder) const {
    return without_times(read_text(path(run_folder) / "metrics.csv"));
  }

  TemporaryFolder folder_;
};

}  // namespace ultr::testing
