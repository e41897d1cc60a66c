#pragma once

#include "autograd/error.h"

namespace ultr {

/// Data is missing or malformed; what() is one line that says file, line, what was found and what
/// was expected. The program exits with 3.
class DataError : public Error {
 public:
  using Error::Error;
};

}  // namespace ultr
