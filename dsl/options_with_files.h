#pragma once

#include <functional>
#include <string>

#include "options/fields.h"

namespace ultr {

/// Returns the location of a file that a configuration names.
using FindFile = std::function<std::string(const std::string& file)>;

/// Options that may name files.
class OptionsWithFiles : public Options {
 public:
  /// Replaces each file that the options name, including those of nested options, by the location
  /// that `find` returns.
  virtual void locate_files(const FindFile&) {}
};

}  // namespace ultr
