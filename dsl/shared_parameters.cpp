#include "dsl/shared_parameters.h"

#include <fmt/core.h>

#include "options/config_tree.h"

namespace ultr {

SharedParameters* SharedParameters::that_have(const std::string& name) {
  if (names_.contains(name)) return this;
  return outer_ == nullptr ? nullptr : outer_->that_have(name);
}

LogitParameter SharedParameters::get(
    const ParameterField& field, const std::string& model,
    const std::function<LogitParameter(const std::string& name)>& build) {
  const auto known = built_.find(field.name);
  if (known == built_.end()) {
    LogitParameter parameter = build(prefix_ + field.name);
    built_.emplace(field.name, Built{parameter, model, &field});
    return parameter;
  }
  const Built& built = known->second;
  if (built.field->domain != field.domain)
    throw ConfigError(fmt::format(
        "model: '{}' cannot be shared: it is one per {} in {} and one per {} in {}", field.name,
        to_string(built.field->domain), built.model, to_string(field.domain), model));
  if (field.is_set_otherwise_than(*built.field))
    throw ConfigError(fmt::format(
        "model: '{}' is shared, but its options differ between {} and {}; expected them with the "
        "first component that has it",
        field.name, built.model, model));
  return built.parameter;
}

void SharedParameters::expect_all_built() const {
  for (const std::string& name : names_)
    if (!built_.contains(name))
      throw ConfigError(fmt::format(
          "model: '{}' is shared, but no component has a parameter of that name", name));
}

}  // namespace ultr
