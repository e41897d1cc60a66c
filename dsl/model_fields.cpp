#include "dsl/model_fields.h"

#include "options/write.h"

namespace ultr {
namespace {

/// Returns the layer of a parameter whose configuration names none.
Choice default_layer(Domain domain, const std::vector<OptionType>& layers) {
  return {layers, is_of_documents(domain) ? "embedding" : "table"};
}

std::string text_of(const Choice& choice) {
  return choice.type + "\n" + write_options(*choice.options);
}

}  // namespace

void FileField::locate_files(const FindFile& find) {
  if (!file.empty()) file = find(file);
}

ParameterField::ParameterField(std::string field_name, Domain its_domain, std::string field_help,
                               const std::vector<OptionType>& layers)
    : name(std::move(field_name)),
      help(std::move(field_help)),
      domain(its_domain),
      layer(default_layer(domain, layers)) {}

bool ParameterField::is_set_otherwise_than(const ParameterField& other) const {
  const std::string own = text_of(layer);
  return own != text_of(other.layer) && own != text_of(default_layer(domain, *layer.types));
}

ComponentsField::ComponentsField(std::string field_name,
                                 const std::vector<std::string>& default_types,
                                 std::string field_help, const std::vector<OptionType>& all_types)
    : name(std::move(field_name)), help(std::move(field_help)), types(all_types) {
  for (const std::string& type : default_types) models.emplace_back(types, type);
}

void ComponentsField::fields(Fields& f) {
  f.choices(name, models, types, help);
  f.texts("share", shared,
          "Parameters that the models share, with the options of the first model that has "
          "them.");
}

void ComponentsField::locate_files(const FindFile& find) {
  for (const Choice& model : models) model.as<OptionsWithFiles>().locate_files(find);
}

}  // namespace ultr
