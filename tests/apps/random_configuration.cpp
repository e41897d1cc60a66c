#include "apps/random_configuration.h"

#include <algorithm>
#include <cmath>
#include <random>

#include "experiment/experiment_options.h"
#include "layers/logit_layer.h"
#include "options/write.h"

namespace ultr::testing {
namespace {

/// Draws values for the fields of options.
class RandomValues final : public Fields {
 public:
  explicit RandomValues(std::uint64_t seed) : random_(seed) { leaves_domains_ = one_in(4); }

  void boolean(std::string_view name, bool& value, std::string_view) override {
    if (changes() || name == "aggregate")  // which seldom fits the rest
      value = one_in(name == "aggregate" ? 8 : 2);
  }
  void integer(std::string_view name, std::int64_t& value, std::string_view,
               Limits limits) override {
    if (name == "threads") return;  // the test's own
    if (changes()) value = some_integer(limits);
    value = std::min<std::int64_t>(value, name == "epochs" ? 3 : 100);
    if (outside()) value = static_cast<std::int64_t>(limits.low) - 1;
  }
  void number(std::string_view, double& value, std::string_view, Limits limits) override {
    if (changes()) value = some_number(limits);
    if (outside() && std::isfinite(limits.low))
      value = limits.low_open ? limits.low : std::nextafter(limits.low, -HUGE_VAL);
  }
  void optional_number(std::string_view, std::optional<double>& value, std::string_view,
                       Limits limits) override {
    if (!changes()) return;
    value.reset();
    if (!one_in(4)) value = some_number(limits);
  }
  void text(std::string_view, std::string&, std::string_view) override {}  // names of files
  void word(std::string_view, std::string& value, std::string_view,
            const std::vector<std::string>& words) override {
    if (changes()) value = words[below(words.size())];
    if (outside()) value += "s";
  }
  void integers(std::string_view name, std::vector<std::int64_t>& values, std::string_view,
                Limits limits) override {
    if (name == "bias_features") return;  // only the data know which there are
    if (changes() || has_large(values)) {
      values.resize(below(3));
      for (std::int64_t& value : values) value = some_integer(limits);
    }
    if (outside()) values.push_back(static_cast<std::int64_t>(limits.low) - 1);
  }
  void numbers(std::string_view, std::vector<double>& values, std::string_view,
               Limits limits) override {
    if (!changes()) return;
    if (values.empty() || one_in(4)) values.resize(below(3));
    for (double& value : values) value = some_number(limits);
  }
  void texts(std::string_view, std::vector<std::string>&, std::string_view) override {}
  void section(std::string_view name, Options& options, std::string_view) override {
    if (name != "split" || one_in(16)) options.fields(*this);  // of files, which there are none
  }
  void choice(std::string_view name, Choice& choice, std::string_view help) override {
    const bool is_layer = dynamic_cast<LayerOptions*>(choice.options.get()) != nullptr;
    if (name == "data")
      choice.select(one_in(2) ? "simulation" : "feature_lists");
    else if (name == "reader")  // the formats need files
      choice.select(one_in(8) ? "one_hot" : "synthetic");
    else if (is_layer ? one_in(has_features_ ? 3 : 100) : !one_in(3))
      choice.select((*choice.types)[below(choice.types->size())].name);
    if (name == "learn_from" && !one_in(4)) choice.select("simulated_clicks");
    if (name == "data") has_features_ = choice.type == "feature_lists";
    inline_choice(choice, help);
  }
  void choices(std::string_view, std::vector<Choice>& choices, const std::vector<OptionType>& table,
               std::string_view help) override {
    ++depth_;
    if (depth_ < 3 && changes()) {
      choices.clear();
      for (std::size_t count = below(4); choices.size() < count;)
        choices.emplace_back(table, table[below(table.size())].name);
    }
    if (depth_ < 3)
      for (Choice& choice : choices) inline_choice(choice, help);
    --depth_;
  }
  void inline_choice(Choice& choice, std::string_view) override { choice.options->fields(*this); }

 private:
  std::size_t below(std::size_t n) { return static_cast<std::size_t>(random_() % n); }
  bool one_in(std::size_t n) { return below(n) == 0; }
  bool changes() { return one_in(4); }
  /// Returns true for one value, at most, of a configuration that leaves a domain.
  bool outside() {
    if (!leaves_domains_ || !one_in(40)) return false;
    leaves_domains_ = false;
    return true;
  }
  static bool has_large(const std::vector<std::int64_t>& values) {
    return std::any_of(values.begin(), values.end(), [](std::int64_t x) { return x > 100; });
  }

  std::int64_t some_integer(const Limits& limits) {
    const double low = std::isfinite(limits.low) ? limits.low : -10;
    const double high = std::min(limits.high, low + 20);
    const auto first = static_cast<std::int64_t>(low), last = static_cast<std::int64_t>(high);
    if (one_in(4)) return first;
    return first + static_cast<std::int64_t>(below(static_cast<std::size_t>(last - first + 1)));
  }
  double some_number(const Limits& limits) {
    const double low = std::isfinite(limits.low) ? limits.low : -10;
    const double high = std::isfinite(limits.high) ? limits.high : low + 20;
    switch (below(8)) {
      case 0:
        return limits.low_open || !std::isfinite(limits.low) ? low + 1e-3 * (high - low) : low;
      case 1:
        return limits.high_open || !std::isfinite(limits.high) ? high - 1e-3 * (high - low) : high;
      case 2:  // an extreme one
        return std::isfinite(limits.high) ? std::nextafter(high, low) : (one_in(2) ? 1e30 : 1e-30);
      default:
        return low + (high - low) * std::pow(static_cast<double>(1 + below(99)) / 100, 3);
    }
  }

  std::mt19937_64 random_;
  bool leaves_domains_ = false, has_features_ = false;
  int depth_ = 0;
};

}  // namespace

std::string random_configuration(const Registry& registry, std::uint64_t seed) {
  ExperimentOptions options(registry);
  RandomValues values(seed);
  options.fields(values);
  options.threads = 1;
  return write_options(options);
}

}  // namespace ultr::testing
