#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include <sys/types.h>

#include "testing/temporary_folder.h"

namespace ultr::testing {

/// What became of a program.
struct Finished {
  int exit_code = 0;  // 128 + the signal's number if a signal ended it
  std::string output, errors;
};

/// Runs a program in a folder and waits for it. Its environment is this program's.
Finished run_program(const std::string& program, const std::vector<std::string>& arguments,
                     const std::filesystem::path& working_folder);

/// A program that runs, with its output at hand. Signals that end it by default do so, whatever
/// this process does with them.
class RunningProgram {
 public:
  RunningProgram(const std::string& program, const std::vector<std::string>& arguments,
                 const std::filesystem::path& working_folder);
  /// Kills it if it is still there.
  ~RunningProgram();
  RunningProgram(const RunningProgram&) = delete;
  RunningProgram& operator=(const RunningProgram&) = delete;

  /// Waits for output that contains a text. The program can write only a few lines ahead of what
  /// is read: with more to say it cannot end before `finish`.
  void read_until(std::string_view text);
  void send(int signal) const;
  /// Reads the rest of its output and waits for its end.
  Finished finish();
  /// Whether it was a signal that ended it.
  bool killed() const { return killed_; }

 private:
  bool read_some();

  TemporaryFolder folder_;
  pid_t process_ = 0;
  int output_ = -1;
  std::string read_;
  bool killed_ = false;
};

}  // namespace ultr::testing
