#pragma once

#include <filesystem>
#include <map>
#include <ostream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "testing/subprocess.h"
#include "testing/temporary_folder.h"

namespace ultr::testing {

using Words = std::vector<std::string>;

/// A command of ultr-run in a folder with clicks.csv, shop.yaml and simulation.yaml, which writes
/// to `out`.
struct CommandCase {
  std::string name;
  Words arguments;                 // the first is the command
  std::vector<Words> before = {};  // commands that must have run
  bool resumes = false;  // a failed run is resumed with --resume; else the command is given again
  bool after_kill = false;  // the last command before was killed half-way
};

void PrintTo(const CommandCase& command, std::ostream* stream);

/// Returns cases of all commands. A new command is one entry, without which a test fails.
std::vector<CommandCase> command_cases();

/// Returns what must be the same each time: the bytes of a file or of all files in a folder,
/// without times of a run.
std::map<std::string, std::string> bits_of(const std::filesystem::path& path);

/// Expects the same bits, and names the files that have others.
void expect_same_bits(const std::map<std::string, std::string>& actual,
                      const std::map<std::string, std::string>& expected);

/// Runs ultr-run in a folder; `before` are words of a command line that runs it, such as those of
/// env. A program that hangs is ended with exit code 124.
Finished run_in(const std::filesystem::path& folder, const Words& arguments,
                const Words& before = {});

/// Expects an exit code for errors, and the last thing that a program says to be one line of
/// `error: `, in UTF-8.
void expect_one_error(const Finished& finished);

/// Something that happens to each command: its results are the same to the bit, or there is one
/// clear error and nothing half-written; and then the command can be given again, or the run
/// resumed, with the same bits as if nothing had happened.
class CommandCaseTest : public ::testing::TestWithParam<CommandCase> {
 protected:
  /// Prepares the folder of the case.
  CommandCaseTest();

  /// Fills a folder with what the case needs.
  void prepare(const std::filesystem::path& folder) const;
  /// Expects that no harm was done in a folder by a command that has finished. `expected` are the
  /// bits of `out` after an undisturbed one.
  void expect_no_harm(const std::filesystem::path& folder, const Finished& finished,
                      const std::map<std::string, std::string>& expected) const;

  TemporaryFolder prepared_;
};

/// Returns the name of a case, for GoogleTest.
std::string name_of_case(const ::testing::TestParamInfo<CommandCase>& command);

}  // namespace ultr::testing
