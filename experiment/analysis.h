#pragma once

#include <cstdint>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "options/fields.h"

namespace ultr {

/// A computation that is not the training of one model on one data set: a section `analysis` of a
/// configuration, in place of data, loss and model. `fields` declares its options.
class Analysis : public Options {
 public:
  /// Throws ConfigError for options that contradict each other. Runs before anything is created.
  virtual void check() const {}
  /// Finds files and makes their paths absolute, as DataOptions::locate_files does.
  virtual void locate_files(const std::filesystem::path& config_folder);
  /// What it finds: an object of numbers, texts, arrays and further objects, the body of
  /// results.json. Everything random follows from the seed; the results do not depend on `threads`,
  /// at least 1, which the process is limited to already. Throws Error if it cannot be done.
  virtual nlohmann::ordered_json results(std::uint64_t seed, int threads) const = 0;
};

}  // namespace ultr
