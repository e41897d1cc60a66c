#pragma once

#include <string>

#include <gtest/gtest.h>

#include "data/error.h"

namespace ultr::testing {

/// The message of the DataError that `action` throws, which must be one line; a failure of the test
/// if it throws none.
template <class Action>
std::string data_message(Action action) {
  try {
    action();
  } catch (const DataError& error) {
    const std::string message = error.what();
    EXPECT_EQ(message.find('\n'), std::string::npos) << message;
    return message;
  }
  ADD_FAILURE() << "no DataError";
  return "";
}

}  // namespace ultr::testing
