#pragma once

#include "data/features/feature_lists.h"
#include "options/fields.h"

namespace ultr {

/// Makes judged lists of documents, where other data are read from files.
class ListGenerator : public Options {
 public:
  /// Lists to train, validate and test on; only training lists must be there.
  struct Parts {
    FeatureLists train, valid, test;
  };

  /// The lists: a function of the options alone. Throws ConfigError if these do not fit together.
  virtual Parts make() const = 0;
};

}  // namespace ultr
