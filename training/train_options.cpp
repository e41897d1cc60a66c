#include "training/train_options.h"

#include <charconv>
#include <cmath>
#include <optional>
#include <string_view>

#include <fmt/core.h>

#include "base/error.h"
#include "base/text/quote.h"

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
  constexpr double largest = 1e15;  // a double holds it exactly
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

void TrainOptions::fields(Fields& f) {
  f.integer("epochs", epochs, "Maximum number of passes over the training sessions.",
            between(1, 1e9));
  f.integer("batch_size", batch_size, "Sessions per step.", between(1, 1e9));
  f.integer("early_stopping", early_stopping,
            "Stop after this many epochs without a better validation loss; 0: never. The best "
            "parameters are always restored. Ignored by em with a tolerance.",
            between(0, 1e9));
  f.word("loss_mean", loss_mean,
         "Average the loss of a batch over its documents, or over each session's documents and "
         "then over sessions.",
         {"documents", "sessions"});
  f.boolean("shuffle", shuffle, "Draw a new order of sessions for every epoch.");
  f.integer("partitions", partitions,
            "Parts of the training log from which each step takes equally many sessions; 0: one "
            "per process (mpirun). Results depend on it, not on the number of processes. Ignored "
            "by em and counting.",
            between(0, 1e6));
}

void CheckpointOptions::fields(Fields& f) {
  f.text("every", every,
         "Interval between checkpoints: a time (30s, 5m, 2h), '1000 steps' (em, counting: passes), "
         "'1 epoch' or never. A run that is stopped by SIGINT or SIGTERM always writes one.");
  f.integer("keep", keep, "Number of checkpoints to keep during training; older ones are deleted.",
            between(1, 1e6));
}

CheckpointInterval CheckpointOptions::interval() const {
  if (const auto interval = parse_interval(every)) return *interval;
  throw ConfigError(
      fmt::format("checkpoint.every is {}; expected a time such as 30s, 5m or 2h, a number of "
                  "steps such as '1000 steps', a number of epochs such as '1 epoch', or never",
                  quote(every, 60)));
}

}  // namespace ultr
