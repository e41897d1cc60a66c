#include "models/model_fixture.h"

#include <cmath>
#include <stdexcept>

#include "commands/built_in_registry.h"
#include "options/config_tree.h"
#include "options/read.h"

namespace ultr::testing {

const Registry& registry() {
  static const Registry all = built_in_registry();
  return all;
}

TrainableModel build_model(const std::string& type, const ModelSetting& setting,
                           const std::string& options) {
  const Choice choice(registry().models(), type);
  configure(*choice.options, options);
  return choice.as<ModelOptions>().build(setting);
}

std::vector<ModelType> types_without_signals() {
  std::vector<ModelType> types = model_types();
  std::erase_if(types, [](const ModelType& type) {
    return !build_model(type, {.rows = 2, .positions = 2}).signals().empty();
  });
  return types;
}

void configure(Options& options, const std::string& yaml) {
  read_options(parse_config(yaml, "test"), options);
}

Parameter& parameter_called(const TrainableModel& model, const std::string& name) {
  for (Parameter* parameter : model.parameters())
    if (parameter->name() == name) return *parameter;
  throw std::runtime_error("no parameter called " + name);
}

double probability_of(const TrainableModel& model, const std::string& name, std::size_t entry) {
  double logit = 0;
  for (const Parameter* parameter : model.parameters()) {
    if (parameter->name() == name)
      logit += static_cast<double>(parameter->value(static_cast<std::int64_t>(entry)));
    if (parameter->name() == name + ".baseline") logit += static_cast<double>(parameter->value(0));
  }
  return 1 / (1 + std::exp(-logit));
}

}  // namespace ultr::testing
