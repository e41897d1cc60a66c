#pragma once

#include <stdexcept>

namespace ultr {

/// Base of every exception that ultr throws on purpose; what() is one line for the user.
class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Tensors do not fit together: names the op, the shapes it got and what it expected.
class ShapeError : public Error {
 public:
  using Error::Error;
};

}  // namespace ultr
