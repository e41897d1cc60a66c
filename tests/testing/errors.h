#pragma once

#include <string>

#include <gtest/gtest.h>

#include "autograd/error.h"

namespace ultr::testing {

/// The message of the ShapeError that `call` throws, for comparing it whole; if there is none, the
/// test fails.
template <class Call>
std::string shape_error(Call call) {
  try {
    call();
  } catch (const ShapeError& error) {
    return error.what();
  }
  ADD_FAILURE() << "no ShapeError was thrown";
  return "";
}

}  // namespace ultr::testing
