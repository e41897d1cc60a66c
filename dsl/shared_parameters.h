#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "dsl/click_model.h"
#include "dsl/model_fields.h"

namespace ultr {

/// Parameters that the components of a model have in common. The first component that has one
/// builds it.
class SharedParameters {
 public:
  /// `prefix` begins the names of the parameters. `outer` has those that the model shares with
  /// others, being a component itself; null if it is none.
  SharedParameters(const std::vector<std::string>& names, std::string prefix,
                   SharedParameters* outer)
      : names_(names.begin(), names.end()), prefix_(std::move(prefix)), outer_(outer) {}

  /// Returns the innermost of these and the outer ones to which a parameter belongs; null if none.
  SharedParameters* that_have(const std::string& name);
  /// Returns a parameter of the component `model`: the one that an earlier component built, or
  /// `build` of its name in the whole model. `field` must live. Throws ConfigError if the earlier
  /// component gives the parameter another domain or other options.
  LogitParameter get(const ParameterField& field, const std::string& model,
                     const std::function<LogitParameter(const std::string& name)>& build);
  /// Throws ConfigError if no component has built one of the parameters.
  void expect_all_built() const;

 private:
  struct Built {
    LogitParameter parameter;
    std::string model;
    const ParameterField* field;
  };

  std::set<std::string> names_;
  std::string prefix_;
  SharedParameters* outer_;
  std::map<std::string, Built> built_;
};

}  // namespace ultr
