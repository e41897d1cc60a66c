#pragma once

#include <cstdio>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "commands/program.h"

namespace ultr::testing {

/// The exit code and the output of a program.
struct ProgramOutcome {
  int code;
  std::string output{}, error{};
};

/// Runs the program `my-program` with these arguments in this process.
inline ProgramOutcome run_in_process(std::vector<std::string> arguments,
                                     Registry registry = built_in_registry(),
                                     const std::vector<Command>& commands = command_table()) {
  arguments.insert(arguments.begin(), "somewhere/my-program");
  std::vector<char*> argv;
  for (std::string& argument : arguments) argv.push_back(argument.data());
  ::testing::internal::CaptureStdout();
  ::testing::internal::CaptureStderr();
  ProgramOutcome outcome{.code = run_program(static_cast<int>(argv.size()), argv.data(),
                                             std::move(registry), nullptr, commands)};
  std::fflush(stdout);
  outcome.output = ::testing::internal::GetCapturedStdout();
  outcome.error = ::testing::internal::GetCapturedStderr();
  return outcome;
}

}  // namespace ultr::testing
