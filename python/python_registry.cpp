#include "python/python_registry.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/error.h"
#include "commands/built_in_registry.h"
#include "commands/command_line.h"
#include "options/field_describer.h"
#include "options/read.h"
#include "python/bindings.h"
#include "python/config_values.h"
#include "python/python_loss.h"
#include "python/python_model.h"

namespace ultr::python {
namespace {

namespace py = pybind11;

/// Lists options as dicts: name, type, default and help, and whether the options of the types that
/// it chooses from stand beside it (`inline`).
class FieldLister final : public FieldDescriber {
 public:
  py::list fields;

  void section(std::string_view name, Options& options, std::string_view help) override {
    FieldLister inner;
    options.fields(inner);
    field(name, "dict", "", help);
    fields[fields.size() - 1]["fields"] = inner.fields;
  }
  void choice(std::string_view name, Choice& choice, std::string_view help) override {
    field(name, names_of(*choice.types), value_of(choice), help);
  }
  void choices(std::string_view name, std::vector<Choice>& choices,
               const std::vector<OptionType>& table, std::string_view help) override {
    field(name, fmt::format("list of {}", names_of(table)), value_of(choices), help);
  }
  void inline_choice(Choice& choice, std::string_view help) override {
    field(choice.key, names_of(*choice.types), choice.type, help);
    fields[fields.size() - 1]["inline"] = true;
    for (const OptionType& type : *choice.types) {
      FieldLister inner;
      type.make()->fields(inner);
      for (const py::handle option : inner.fields)
        if (!has(option["name"])) fields.append(option);
    }
  }

 private:
  void field(std::string_view name, const std::string& type, const std::string& value,
             std::string_view help) override {
    py::dict option;
    option["name"] = std::string(name);
    option["type"] = type;
    option["default"] = value;
    option["help"] = std::string(help);
    option["inline"] = false;
    fields.append(option);
  }
  bool has(const py::object& name) const {
    return std::any_of(fields.begin(), fields.end(),
                       [&](const py::handle option) { return name.equal(option["name"]); });
  }
};

/// Adds to the options of a command their form on the command line: the placeholder of the value,
/// such as "FOLDER", and whether they are required or positional.
void add_forms(Task& task, const py::list& fields) {
  for (const Argument& argument : arguments_of(task))
    for (const py::handle option : fields) {
      if (option["name"].cast<std::string>() != argument.field) continue;
      option["placeholder"] = argument.placeholder;
      option["required"] = argument.is_required();
      option["positional"] = argument.is_positional();
    }
}

py::dict described(const OptionType& type) {
  FieldLister lister;
  const std::unique_ptr<Options> options = type.make();
  options->fields(lister);
  if (auto* const task = dynamic_cast<Task*>(options.get())) add_forms(*task, lister.fields);
  py::dict result;
  result["name"] = type.name;
  result["help"] = type.help;
  result["fields"] = lister.fields;
  return result;
}

}  // namespace

PythonRegistry::PythonRegistry() : types_(std::make_shared<Registry>(built_in_registry())) {}

const std::vector<TypeGroup>& PythonRegistry::groups() const {
  if (groups_.empty()) groups_ = type_groups(*types_);
  return groups_;
}

void PythonRegistry::load_plugin(const std::string& file) {
  types_->load_plugin(file);
  groups_.clear();
}

void PythonRegistry::add_model(const std::string& name, const std::string& help,
                               py::object model_class) {
  if (model_class.attr("_group").cast<std::string>() == "losses")
    types_->add_loss(python_loss_type(name, help, std::move(model_class)));
  else
    types_->add(python_model_type(name, help, std::move(model_class)));
  groups_.clear();
}

py::list PythonRegistry::describe() const {
  py::list groups;
  for (const TypeGroup& group : this->groups()) {
    py::list types;
    for (const OptionType& type : group.types) types.append(described(type));
    py::dict entry;
    entry["name"] = group.name;
    entry["help"] = group.help;
    entry["types"] = types;
    groups.append(entry);
  }
  return groups;
}

void PythonRegistry::check(const std::string& group, const std::string& type,
                           py::dict values) const {
  const ConfigNode node = config_of(std::move(values), fmt::format("{}.{}", group, type));
  for (const TypeGroup& known : groups()) {
    if (known.name != group) continue;
    for (const OptionType& option : known.types)
      if (option.name == type) return read_options(node, *option.make());
  }
  throw ConfigError(fmt::format("there is no type {}.{}", group, type));
}

void bind_registry(py::module_& m) {
  py::class_<PythonRegistry>(m, "Registry")
      .def(py::init<>())
      .def("describe", &PythonRegistry::describe)
      .def("check", &PythonRegistry::check)
      .def("add_model", &PythonRegistry::add_model)
      .def("load_plugin", &PythonRegistry::load_plugin);
}

}  // namespace ultr::python
