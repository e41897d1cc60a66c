#pragma once

#include <string>

#include <gtest/gtest.h>

#include "base/error.h"
#include "options/config_tree.h"

namespace ultr::testing {

/// Returns the message of the Exception that `action` throws, which must be one line. The test
/// fails if it throws none.
template <class Exception, class Action>
std::string message_of(Action action) {
  try {
    action();
  } catch (const Exception& error) {
    const std::string message = error.what();
    EXPECT_EQ(message.find('\n'), std::string::npos) << message;
    return message;
  }
  ADD_FAILURE() << "nothing of the expected type was thrown";
  return "";
}

/// Returns message_of a ShapeError.
template <class Action>
std::string shape_error(Action action) {
  return message_of<ShapeError>(action);
}

/// Returns message_of a DataError.
template <class Action>
std::string data_message(Action action) {
  return message_of<DataError>(action);
}

/// Returns message_of a ConfigError.
template <class Action>
std::string config_message(Action action) {
  return message_of<ConfigError>(action);
}

}  // namespace ultr::testing
