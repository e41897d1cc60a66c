#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace ultr::testing {

/// What became of a program.
struct Finished {
  int exit_code = 0;  // 128 + the signal's number if a signal ended it
  std::string output, errors;
};

/// Runs a program in a folder and waits for it. Its environment is this program's.
Finished run_program(const std::string& program, const std::vector<std::string>& arguments,
                     const std::filesystem::path& working_folder);

}  // namespace ultr::testing
