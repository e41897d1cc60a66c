#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include <sys/types.h>

#include "testing/temporary_folder.h"

namespace ultr::testing {

/// The result of a program that has ended.
struct Finished {
  int exit_code = 0;  // 128 + the signal's number if a signal ended it
  std::string output, errors;
};

/// Runs a program in a folder and waits for it to end. The program inherits this program's
/// environment.
Finished run_program(const std::string& program, const std::vector<std::string>& arguments,
                     const std::filesystem::path& working_folder);

/// A running program whose output can be read. Signals that end it by default do so even if this
/// process ignores them.
class RunningProgram {
 public:
  RunningProgram(const std::string& program, const std::vector<std::string>& arguments,
                 const std::filesystem::path& working_folder);
  /// Kills the program if it still runs.
  ~RunningProgram();
  RunningProgram(const RunningProgram&) = delete;
  RunningProgram& operator=(const RunningProgram&) = delete;

  /// Waits for output that contains a text. The program can write only a few lines ahead of the
  /// reader, so if it has more to write, it cannot end before `finish`.
  void read_until(std::string_view text);
  void send(int signal) const;
  /// Reads the rest of its output and waits for it to end.
  Finished finish();
  /// True if a signal ended it.
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
