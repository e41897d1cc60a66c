#pragma once

#include <functional>
#include <optional>
#include <string>

#include "data/simulation/list_generator.h"

namespace ultr {

/// The lists that a generator made last, for further runs on them: another seed or logging policy
/// does not change them, and making them may take longer than a run's training.
class MadeLists {
 public:
  /// Returns the lists of a generator, which `generator`, its type and options as text, identifies.
  /// Calls `make` unless it was asked for these last.
  const ListGenerator::Parts& of(const std::string& generator,
                                 const std::function<ListGenerator::Parts()>& make) {
    if (!parts_ || generator != generator_) {
      parts_.reset();  // before there are more
      parts_ = make();
      generator_ = generator;
    }
    return *parts_;
  }

 private:
  std::string generator_;
  std::optional<ListGenerator::Parts> parts_;
};

}  // namespace ultr
