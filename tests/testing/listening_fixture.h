#pragma once

#include <functional>
#include <string>

#include <gtest/gtest.h>

#include "base/exit_code.h"
#include "commands/built_in_registry.h"
#include "commands/train.h"

namespace ultr::testing {

/// Runs what ultr-run runs and keeps what it says.
class ListeningFixture : public ::testing::Test {
 protected:
  /// The exit code of a program that is given a new registry.
  int listen(const std::function<int(Registry&)>& program) {
    ::testing::internal::CaptureStdout();
    ::testing::internal::CaptureStderr();
    const int code = with_exit_code([&] {
      Registry registry = built_in_registry();
      return program(registry);
    });
    said_ = ::testing::internal::GetCapturedStdout();
    warned_ = ::testing::internal::GetCapturedStderr();
    return code;
  }

  std::string said_, warned_;  // on standard output and standard error
};

}  // namespace ultr::testing
