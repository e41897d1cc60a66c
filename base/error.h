#pragma once

#include <stdexcept>

namespace ultr {

/// Base of every exception that ultr throws on purpose. what() is one line for the user.
class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// A mistake in a configuration or on a command line. what() is one line that names the place, what
/// was found and what was expected. The program exits with 2.
class ConfigError : public Error {
 public:
  using Error::Error;
};

/// Missing or malformed data. what() is one line that names the file, the line, what was found and
/// what was expected. The program exits with 3.
class DataError : public Error {
 public:
  using Error::Error;
};

/// Tensors of shapes that do not fit together. what() names the op, the shapes it got and the
/// shapes it expected.
class ShapeError : public Error {
 public:
  using Error::Error;
};

}  // namespace ultr
