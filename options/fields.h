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
/// limits; the member's initial value is the default:
///
///     struct TrainOptions : Options {
///       std::int64_t epochs = 100;
///       void fields(Fields& f) override {
///         f.integer("epochs", epochs, "Passes over the training data at most.", at_least(1));
///       }
///     };
///
/// That one declaration reads and checks a configuration (read.h), writes the resolved one
/// (write.h) and prints the help (help.h).
namespace ultr {

class Fields;

/// Something with fields.
class Options {
 public:
  virtual ~Options() = default;
  virtual void fields(Fields& f) = 0;
};

/// The numbers a field accepts.
struct Limits {
  double low = -std::numeric_limits<double>::infinity();
  double high = std::numeric_limits<double>::infinity();
  bool low_open = false;   // low itself is not accepted
  bool high_open = false;  // high itself is not accepted

  bool contain(double x) const {
    return (low_open ? x > low : x >= low) && (high_open ? x < high : x <= high);
  }
};
/// "at least 1", "above 0 and below 1", "any number".
std::string to_string(const Limits& limits);

constexpr Limits at_least(double low) { return {.low = low}; }
constexpr Limits above(double low) { return {.low = low, .low_open = true}; }
constexpr Limits between(double low, double high) { return {.low = low, .high = high}; }
/// Numbers strictly between.
constexpr Limits inside(double low, double high) {
  return {.low = low, .high = high, .low_open = true, .high_open = true};
}

/// One of several types of options.
struct OptionType {
  std::string name;
  std::string help;
  std::function<std::unique_ptr<Options>()> make;
};

/// An entry of a table of types: T's defaults.
template <class T>
OptionType option_type(std::string name, std::string help) {
  return {std::move(name), std::move(help),
          []() -> std::unique_ptr<Options> { return std::make_unique<T>(); }};
}

/// Options whose type is chosen by a key; the other keys of the section belong to that type.
struct Choice {
  /// The types to choose from: a table that outlives the choice.
  const std::vector<OptionType>* types = nullptr;
  std::string key;  // "type"
  std::string type;
  std::unique_ptr<Options> options;

  /// Starts as the named type with its defaults. Throws Error if the table has no such type.
  Choice(const std::vector<OptionType>& table, std::string_view name,
         std::string_view key_name = "type");
  /// Changes to another type of the table, with its defaults; false if there is none.
  bool select(std::string_view name);

  template <class T>
  T& as() const {
    return static_cast<T&>(*options);
  }
};

/// Visits the fields of options; reading, writing and printing derive from it.
class Fields {
 public:
  virtual ~Fields() = default;

  virtual void boolean(std::string_view name, bool& value, std::string_view help) = 0;
  virtual void integer(std::string_view name, std::int64_t& value, std::string_view help,
                       Limits limits) = 0;
  virtual void number(std::string_view name, double& value, std::string_view help,
                      Limits limits) = 0;
  /// A number that may be left out.
  virtual void optional_number(std::string_view name, std::optional<double>& value,
                               std::string_view help, Limits limits) = 0;
  virtual void text(std::string_view name, std::string& value, std::string_view help) = 0;
  /// One of a few words.
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
  /// A list of such sections. `table` has the types of its entries.
  virtual void choices(std::string_view name, std::vector<Choice>& choices,
                       const std::vector<OptionType>& table, std::string_view help) = 0;
  /// A choice without a section of its own: its key and the fields of the chosen type stand among
  /// the fields that are visited.
  virtual void inline_choice(Choice& choice, std::string_view help) = 0;
};

}  // namespace ultr
