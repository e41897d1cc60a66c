#pragma once

#include "data/features/feature_lists.h"
#include "options/fields.h"

namespace ultr {

/// A source of judged lists that makes them up instead of reading files.
class ListGenerator : public Options {
 public:
  /// Lists to train, validate and test on. Only training lists are required.
  struct Parts {
    FeatureLists train, valid, test;
  };

  /// Throws ConfigError if the options do not fit together.
  virtual void check() const {}
  /// Returns true if documents have features.
  virtual bool has_features() const { return true; }
  /// Returns true if documents have words.
  virtual bool has_words() const { return false; }
  /// Returns the lists, which depend on the options alone. The options must fit together.
  virtual Parts make() const = 0;
};

/// All list generators, by name; each is a ListGenerator.
const std::vector<OptionType>& list_generators();

}  // namespace ultr
