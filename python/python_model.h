#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <pybind11/pybind11.h>

#include "dsl/model_options.h"

namespace ultr::python {

/// The builder with which a model class in Python declares its parts. Keeps the parameters.
class PythonBuilder {
 public:
  explicit PythonBuilder(ModelBuilder& build) : build_(build) {}

  LogitParameter parameter(const std::string& name, const std::string& domain,
                           const std::string& help, const std::string& effect);
  ModelBuilder& build() { return build_; }
  /// The parameters with one logit per displayed position.
  const std::vector<LogitParameter>& of_positions() const { return of_positions_; }

 private:
  ModelBuilder& build_;
  std::vector<LogitParameter> of_positions_;
};

/// Keeps a Python object that any thread may copy and release.
using SharedObject = std::shared_ptr<const pybind11::object>;
SharedObject shared(pybind11::object object);

/// Returns the model type of a Python class (ultr/_stories.py). Making a model calls the class
/// method `_bind` with a PythonBuilder, which returns an object whose method `story` tells the
/// story. It is called when a program is recorded, not when one runs; exceptions from it are passed
/// on.
ModelType python_model_type(std::string name, std::string help, pybind11::object model_class);

}  // namespace ultr::python
