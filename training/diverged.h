#pragma once

#include "base/error.h"

namespace ultr {

/// The exception for training that has diverged: its losses are no numbers any more.
class Diverged : public Error {
 public:
  using Error::Error;
};

}  // namespace ultr
