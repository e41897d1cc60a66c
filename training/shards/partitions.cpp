#include "training/shards/partitions.h"

#include <algorithm>
#include <ranges>

#include <fmt/core.h>

#include "base/error.h"
#include "data/log/shard.h"

namespace ultr {

Partitions::Partitions(std::size_t sessions, std::size_t batch_size, std::size_t count)
    : sessions_(sessions), batch_size_(batch_size), count_(count) {
  if (batch_size < count)
    throw ConfigError(fmt::format(
        "train.batch_size is {}; expected at least {}, one session for each of train.partitions",
        batch_size, count));
  for (std::size_t part = 0; part < count; ++part) {
    const std::size_t each = part_of(batch_size_, part, count_).size();
    steps_ = std::max(steps_, (this->sessions(part).size() + each - 1) / each);
  }
}

NumberRange Partitions::sessions(std::size_t part) const {
  const NumberRange shards = part_of(shards_of(sessions_), part, count_);
  return {std::min(shards.first * shard_sessions, sessions_),
          std::min(shards.last * shard_sessions, sessions_)};
}

NumberRange Partitions::places(std::size_t part, std::size_t step) const {
  const std::size_t each = part_of(batch_size_, part, count_).size(), all = sessions(part).size();
  return {std::min(step * each, all), std::min((step + 1) * each, all)};
}

std::size_t Partitions::sessions_before(std::size_t step) const {
  std::size_t before = 0;
  for (std::size_t part = 0; part < count_; ++part) before += places(part, step).first;
  return before;
}

std::size_t Partitions::step_after(std::size_t sessions) const {
  const auto steps = std::views::iota(std::size_t{0}, steps_);
  const auto comes_before = [&](std::size_t step) { return sessions_before(step) < sessions; };
  const auto step =
      static_cast<std::size_t>(std::ranges::partition_point(steps, comes_before) - steps.begin());
  if (sessions_before(step) != sessions)
    throw Error(fmt::format("no step begins after {} sessions of an epoch", sessions));
  return step;
}

}  // namespace ultr
