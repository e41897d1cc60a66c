#pragma once

#include <memory>

#include "data/mapped_log.h"
#include "options/fields.h"

namespace ultr {

/// A file format of click logs, with its own options.
class LogFormat : public Options {
 public:
  /// Reads files as the options say.
  virtual LogReader reader() const = 0;
  /// Maps files that need no reading; null if this format has none.
  virtual LogMapper mapper() const { return {}; }
};

}  // namespace ultr
