#pragma once

#include <string>

#include "data/simulation/list_generator.h"
#include "options/read.h"

namespace ultr::testing {

/// Runs the list generator of this name with options in YAML.
inline ListGenerator::Parts make_lists(const std::string& generator,
                                       const std::string& options = "{}") {
  const Choice choice(list_generators(), generator);
  read_options(parse_config(options, "options"), *choice.options);
  choice.as<ListGenerator>().check();
  return choice.as<ListGenerator>().make();
}

}  // namespace ultr::testing
