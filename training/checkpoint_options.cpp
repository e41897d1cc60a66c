#include "training/checkpoint_options.h"

#include <charconv>
#include <cmath>
#include <optional>
#include <string_view>

#include <fmt/core.h>

#include "base/quote.h"
#include "options/config_tree.h"

namespace ultr {
namespace {

using Unit = CheckpointInterval::Unit;

struct NamedUnit {
  std::string_view name;
  Unit unit;
  double size;
};
constexpr NamedUnit interval_units[] = {
    {"s", Unit::seconds, 1},     {"m", Unit::seconds, 60},  {"h", Unit::seconds, 3600},
    {"step", Unit::steps, 1},    {"steps", Unit::steps, 1}, {"epoch", Unit::epochs, 1},
    {"epochs", Unit::epochs, 1},
};

std::optional<CheckpointInterval> parse_interval(std::string_view text) {
  if (text == "never") return CheckpointInterval{};
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  constexpr double largest = 1e15;  // steps, whose number is exact
  if (error != std::errc() || !(number > 0 && number <= largest)) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  while (text.starts_with(' ')) text.remove_prefix(1);
  for (const NamedUnit& known : interval_units) {
    if (text != known.name) continue;
    if (known.unit != Unit::seconds && number != std::floor(number)) return std::nullopt;
    return CheckpointInterval{known.unit, number * known.size};
  }
  return std::nullopt;
}

}  // namespace

void CheckpointOptions::fields(Fields& f) {
  f.text("every", every,
         "How often training writes one: a time (30s, 5m, 2h), '1000 steps', '1 epoch' or never; "
         "of em and counting a step is a pass. A run that is told to stop (SIGINT, SIGTERM) always "
         "does.");
  f.integer("keep", keep, "Newest ones to keep while it trains.", between(1, 1e6));
}

CheckpointInterval CheckpointOptions::interval() const {
  if (const auto interval = parse_interval(every)) return *interval;
  throw ConfigError(
      fmt::format("checkpoint.every is {}; expected a time such as 30s, 5m or 2h, a number of "
                  "steps such as '1000 steps', or of epochs such as '1 epoch', or never",
                  quote(every, 60)));
}

}  // namespace ultr
