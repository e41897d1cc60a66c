#pragma once

#include <memory>
#include <string>
#include <vector>

#include <pybind11/pybind11.h>

#include "commands/type_groups.h"
#include "experiment/registry.h"

namespace ultr::python {

/// A registry with all types of the library, those of plugins, and models that are Python classes.
class PythonRegistry {
 public:
  PythonRegistry();

  /// Shared with whatever refers to its tables, such as options and trained models.
  const std::shared_ptr<Registry>& types() const { return types_; }
  /// Adds the types of a plugin (Registry::load_plugin).
  void load_plugin(const std::string& file);
  /// Adds a click model or a loss that is a Python class (python_model_type, python_loss_type).
  void add_model(const std::string& name, const std::string& help, pybind11::object model_class);
  /// Returns one dict per group of types: its name and help, and its types with their options.
  pybind11::list describe() const;
  /// Throws ConfigError unless the values are options of a type of a group.
  void check(const std::string& group, const std::string& type, pybind11::dict values) const;

 private:
  const std::vector<TypeGroup>& groups() const;

  std::shared_ptr<Registry> types_;
  mutable std::vector<TypeGroup> groups_;  // made when first needed
};

}  // namespace ultr::python
