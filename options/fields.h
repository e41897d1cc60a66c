#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// Typed options, declared once.
///
/// An options struct lists its fields in one function, each with its name, one line of help and its
/// limits. The member's initial value is the default:
///
///     struct TrainOptions : Options {
///       std::int64_t epochs = 100;
///       void fields(Fields& f) override {
///         f.integer("epochs", epochs, "Maximum number of passes over the data.", at_least(1));
///       }
///     };
///
/// This one declaration reads and checks a configuration (read.h), writes the resolved one
/// (write.h) and prints the help (help.h).
namespace ultr {

class Fields;

/// The base class of all options structs.
class Options {
 public:
  virtual ~Options() = default;
  /// Visits every field with `f`, in the order in which fields are written and described.
  virtual void fields(Fields& f) = 0;
};

/// The range of numbers that a field accepts.
struct Limits {
  double low = -std::numeric_limits<double>::infinity();
  double high = std::numeric_limits<double>::infinity();
  bool low_open = false;   // low itself is not accepted
  bool high_open = false;  // high itself is not accepted

  bool contain(double x) const {
    return (low_open ? x > low : x >= low) && (high_open ? x < high : x <= high);
  }
};
/// Formats limits: "at least 1", "above 0 and below 1", "any number".
std::string to_string(const Limits& limits);

constexpr Limits at_least(double low) { return {.low = low}; }
constexpr Limits above(double low) { return {.low = low, .low_open = true}; }
constexpr Limits between(double low, double high) { return {.low = low, .high = high}; }
/// Numbers strictly between low and high.
constexpr Limits inside(double low, double high) {
  return {.low = low, .high = high, .low_open = true, .high_open = true};
}

/// A type of options in a table of types: its name, one line of help, and a factory of its
/// defaults.
struct OptionType {
  std::string name;
  std::string help;
  std::function<std::unique_ptr<Options>()> make;
};

/// Returns the entry of a table of types for the options struct T.
template <class T>
OptionType option_type(std::string name, std::string help) {
  return {std::move(name), std::move(help),
          []() -> std::unique_ptr<Options> { return std::make_unique<T>(); }};
}

/// Options whose type is chosen by a key; the other keys of the section belong to that type.
struct Choice {
  /// The table of types to choose from. It must outlive the choice.
  const std::vector<OptionType>* types = nullptr;
  std::string key;  // "type"
  std::string type;
  std::unique_ptr<Options> options;

  /// Starts as the named type with its defaults. Throws Error if the table has no such type.
  Choice(const std::vector<OptionType>& table, std::string_view name,
         std::string_view key_name = "type");
  /// Changes to the named type, with its defaults. Returns false if the table has no such type.
  bool select(std::string_view name);

  /// Returns the options as T, which must be the chosen type.
  template <class T>
  T& as() const {
    return static_cast<T&>(*options);
  }
};

/// A visitor of the fields of options. Reading, writing and help are classes derived from it.
class Fields {
 public:
  virtual ~Fields() = default;

  virtual void boolean(std::string_view name, bool& value, std::string_view help) = 0;
  virtual void integer(std::string_view name, std::int64_t& value, std::string_view help,
                       Limits limits) = 0;
  virtual void number(std::string_view name, double& value, std::string_view help,
                      Limits limits) = 0;
  /// A number that may be absent (null).
  virtual void optional_number(std::string_view name, std::optional<double>& value,
                               std::string_view help, Limits limits) = 0;
  virtual void text(std::string_view name, std::string& value, std::string_view help) = 0;
  /// A text that is one of `words`.
  virtual void word(std::string_view name, std::string& value, std::string_view help,
                    const std::vector<std::string>& words) = 0;
  virtual void integers(std::string_view name, std::vector<std::int64_t>& values,
                        std::string_view help, Limits limits) = 0;
  virtual void numbers(std::string_view name, std::vector<double>& values, std::string_view help,
                       Limits limits) = 0;
  virtual void texts(std::string_view name, std::vector<std::string>& values,
                     std::string_view help) = 0;
  /// A nested section.
  virtual void section(std::string_view name, Options& options, std::string_view help) = 0;
  /// A nested section whose type is chosen by one of its keys.
  virtual void choice(std::string_view name, Choice& choice, std::string_view help) = 0;
  /// A list of sections whose types are chosen by one of their keys. `table` has the types of the
  /// entries.
  virtual void choices(std::string_view name, std::vector<Choice>& choices,
                       const std::vector<OptionType>& table, std::string_view help) = 0;
  /// A choice without a section of its own: its key and the fields of the chosen type belong to the
  /// section that is visited.
  virtual void inline_choice(Choice& choice, std::string_view help) = 0;
};

}  // namespace ultr
