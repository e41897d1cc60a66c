#pragma once

#include <memory>

#include "data/raw_log.h"
#include "options/fields.h"

namespace ultr {

/// A file format of click logs, with its own options.
class LogFormat : public Options {
 public:
  /// Reads files as the options say.
  virtual LogReader reader() const = 0;
};

}  // namespace ultr
