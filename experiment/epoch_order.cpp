#include "experiment/epoch_order.h"

#include <algorithm>
#include <limits>
#include <numeric>

#include "autograd/random.h"

namespace ultr {
namespace {

/// Number of the stream that shuffles blocks; windows have their own number.
constexpr std::uint64_t stream_of_blocks = std::numeric_limits<std::uint32_t>::max();

void shuffle(std::vector<std::uint32_t>& numbers, RandomStream random) {
  for (std::size_t i = numbers.size(); i > 1; --i)
    std::swap(numbers[i - 1], numbers[random.below(i)]);
}

}  // namespace

EpochOrder::EpochOrder(std::size_t sessions, std::uint64_t seed, std::int64_t epoch, bool shuffle)
    : sessions_(sessions),
      seed_(seed),
      epoch_(static_cast<std::uint32_t>(epoch)),
      shuffle_(shuffle) {
  if (!shuffle || sessions <= window) return;
  blocks_.resize((sessions + block - 1) / block);
  std::iota(blocks_.begin(), blocks_.end(), 0u);
  ultr::shuffle(blocks_, RandomStream(seed, RandomPurpose::shuffle, epoch_, stream_of_blocks));
  const auto last = std::find(blocks_.begin(), blocks_.end(), blocks_.size() - 1);
  shorter_at_ = static_cast<std::size_t>(last - blocks_.begin()) * block;
  shorter_by_ = blocks_.size() * block - sessions;
}

void EpochOrder::fill(std::size_t number) {
  const std::size_t begin = number * window, end = std::min(begin + window, sessions_);
  window_.resize(end - begin);
  for (std::size_t i = 0; i < window_.size(); ++i) {
    std::size_t place = begin + i;
    if (!blocks_.empty()) {
      // As if the last block of the log, which may be shorter, were whole.
      if (place >= shorter_at_ + block - shorter_by_) place += shorter_by_;
      place = std::size_t{blocks_[place / block]} * block + place % block;
    }
    window_[i] = static_cast<std::uint32_t>(place);
  }
  if (shuffle_) shuffle(window_, RandomStream(seed_, RandomPurpose::shuffle, epoch_, number));
  filled_ = number;
}

std::span<const std::uint32_t> EpochOrder::at(std::size_t begin, std::size_t count) {
  part_.clear();
  while (count > 0) {
    if (filled_ != begin / window) fill(begin / window);
    const std::size_t from = begin % window, some = std::min(count, window - from);
    const auto sessions = std::span<const std::uint32_t>(window_).subspan(from, some);
    if (some == count && part_.empty()) return sessions;
    part_.insert(part_.end(), sessions.begin(), sessions.end());
    begin += some;
    count -= some;
  }
  return part_;
}

}  // namespace ultr
