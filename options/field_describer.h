#pragma once

#include <string>
#include <string_view>

#include "options/fields.h"

namespace ultr {

/// A visitor that describes plain fields in words: their type with its limits, and their value.
/// Derived classes say what becomes of the description, and of sections and choices.
class FieldDescriber : public Fields {
 public:
  void boolean(std::string_view name, bool& value, std::string_view help) final;
  void integer(std::string_view name, std::int64_t& value, std::string_view help,
               Limits limits) final;
  void number(std::string_view name, double& value, std::string_view help, Limits limits) final;
  void optional_number(std::string_view name, std::optional<double>& value, std::string_view help,
                       Limits limits) final;
  void text(std::string_view name, std::string& value, std::string_view help) final;
  void word(std::string_view name, std::string& value, std::string_view help,
            const std::vector<std::string>& words) final;
  void integers(std::string_view name, std::vector<std::int64_t>& values, std::string_view help,
                Limits limits) final;
  void numbers(std::string_view name, std::vector<double>& values, std::string_view help,
               Limits limits) final;
  void texts(std::string_view name, std::vector<std::string>& values, std::string_view help) final;

 protected:
  /// Called for each plain field: `type` is such as "whole number, at least 1", `value` such as "3"
  /// or "[1, 3]", and empty for an empty text.
  virtual void field(std::string_view name, const std::string& type, const std::string& value,
                     std::string_view help) = 0;
};

/// Returns the names of a table's types: "adam | sgd".
std::string names_of(const std::vector<OptionType>& types);
/// Returns the type of a choice, or, if it starts with other options than the type's defaults, a
/// section of the type and these options: "{type: mlp, widths: [32]}".
std::string value_of(Choice& choice);
/// Returns the types of a list of choices: "[pbm, dbn]".
std::string value_of(const std::vector<Choice>& choices);

}  // namespace ultr
