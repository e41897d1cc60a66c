#pragma once

#include <functional>
#include <string>

#include <gtest/gtest.h>

#include "experiment/experiment.h"

namespace ultr::testing {

/// Runs what ultr-run runs and keeps what it says.
class ListeningFixture : public ::testing::Test {
 protected:
  /// The exit code of a program that is given a new registry.
  int listen(const std::function<int(Registry&)>& program) {
    ::testing::internal::CaptureStdout();
    ::testing::internal::CaptureStderr();
    const int code = with_exit_code([&] {
      Registry registry;
      return program(registry);
    });
    said_ = ::testing::internal::GetCapturedStdout();
    warned_ = ::testing::internal::GetCapturedStderr();
    return code;
  }

  std::string said_, warned_;  // on standard output and standard error
};

}  // namespace ultr::testing
