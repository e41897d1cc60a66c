#pragma once

#include <memory>
#include <string>
#include <vector>

#include "dsl/click_model.h"
#include "dsl/model_fields.h"

namespace ultr {

/// A type of click model: its name in a configuration, and its constructor.
struct ModelType {
  std::string name;
  std::string help;
  std::unique_ptr<ClickModel> (*make)(ModelBuilder&);
};

/// Returns the table entry of a model class that is constructed from a ModelBuilder.
template <class Model>
ModelType model_type(std::string name, std::string help) {
  return {std::move(name), std::move(help), [](ModelBuilder& build) -> std::unique_ptr<ClickModel> {
            return std::make_unique<Model>(build);
          }};
}

/// Returns the options that a type's constructor declares (see model_fields.h), with their
/// defaults, in the order of declaration. `models` are the types of models that may be components
/// of it, `layers` the types of layers for its parameters. Both must outlive the result.
std::vector<std::unique_ptr<OptionsWithFiles>> declared_options(
    const ModelType& type, const std::vector<OptionType>& models,
    const std::vector<OptionType>& layers);

}  // namespace ultr
