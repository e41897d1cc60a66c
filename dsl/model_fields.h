#pragma once

#include <functional>
#include <string>
#include <vector>

#include "layers/logit_layer.h"
#include "options/fields.h"

/// The options that a model's constructor declares one by one (see ModelBuilder): each has the
/// field, or the few fields, of one declaration.
namespace ultr {

/// Returns the location of a file that a configuration names.
using FindFile = std::function<std::string(const std::string& file)>;

/// Options that may name files.
class OptionsWithFiles : public Options {
 public:
  /// Replaces each file that the options name, including those of nested options, by the location
  /// that `find` returns.
  virtual void locate_files(const FindFile&) {}
};

/// A value that a function visits as a field.
template <class T>
struct ValueField final : OptionsWithFiles {
  ValueField(T default_value, std::function<void(Fields& f, T& value)> visits)
      : value(std::move(default_value)), visit(std::move(visits)) {}
  void fields(Fields& f) override { visit(f, value); }

  T value;
  std::function<void(Fields& f, T& value)> visit;
};

/// The name of a file; empty if the configuration gives none.
struct FileField final : OptionsWithFiles {
  FileField(std::string field_name, std::string field_help)
      : name(std::move(field_name)), help(std::move(field_help)) {}
  void fields(Fields& f) override { f.text(name, file, help); }
  void locate_files(const FindFile& find) override;

  std::string name, help, file;
};

/// The layer of a parameter.
struct ParameterField final : OptionsWithFiles {
  /// Starts as the default layer of the domain. `layers` are the types to choose from.
  ParameterField(std::string field_name, Domain its_domain, std::string field_help,
                 const std::vector<OptionType>& layers);
  void fields(Fields& f) override { f.choice(name, layer, help); }
  /// Returns true if the options were set to values that differ from those of `other`.
  bool is_set_otherwise_than(const ParameterField& other) const;

  std::string name, help;
  Domain domain;
  Choice layer;
};

/// The component models of a model, and the names of the parameters that they share.
struct ComponentsField final : OptionsWithFiles {
  /// `models` are the types to choose from, whose options are OptionsWithFiles; `default_types`
  /// are the names of the default components.
  ComponentsField(std::string field_name, const std::vector<std::string>& default_types,
                  std::string field_help, const std::vector<OptionType>& models);
  void fields(Fields& f) override;
  void locate_files(const FindFile& find) override;

  std::string name, help;
  const std::vector<OptionType>& types;
  std::vector<Choice> models;
  std::vector<std::string> shared;
};

}  // namespace ultr
