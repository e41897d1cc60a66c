#include "training/shards/epoch_order.h"

#include <algorithm>
#include <limits>
#include <numeric>

#include "base/random.h"

namespace ultr {
namespace {

/// Number of the random stream that shuffles blocks. Windows use their own numbers.
constexpr std::uint64_t stream_of_blocks = std::numeric_limits<std::uint32_t>::max();

}  // namespace

EpochOrder::EpochOrder(std::size_t sessions, std::uint64_t seed, std::int64_t epoch, bool shuffle)
    : sessions_(sessions),
      seed_(seed),
      epoch_(static_cast<std::uint32_t>(epoch)),
      shuffle_(shuffle) {
  if (!shuffle || sessions <= window) return;
  blocks_.resize((sessions + block() - 1) / block());
  std::iota(blocks_.begin(), blocks_.end(), 0u);
  RandomStream(seed, RandomPurpose::shuffle, epoch_, stream_of_blocks).shuffle(blocks_);
  const auto last = std::find(blocks_.begin(), blocks_.end(), blocks_.size() - 1);
  shorter_at_ = static_cast<std::size_t>(last - blocks_.begin()) * block();
  shorter_by_ = blocks_.size() * block() - sessions;
}

std::size_t EpochOrder::size(std::size_t number) const {
  return std::min(window, sessions_ - number * window);
}

std::vector<NumberRange> EpochOrder::ranges(std::size_t number) const {
  const std::size_t begin = number * window, block = this->block();
  if (blocks_.empty()) return {{begin, begin + size(number)}};
  std::vector<NumberRange> ranges;
  for (std::size_t done = 0; done < size(number);) {
    // Compute the place as if the last block of the log, which may be shorter, were whole.
    std::size_t place = begin + done;
    if (place >= shorter_at_ + block - shorter_by_) place += shorter_by_;
    const std::size_t first = std::size_t{blocks_[place / block]} * block + place % block;
    const std::size_t left_of_block = std::min(block - place % block, sessions_ - first);
    const std::size_t count = std::min(left_of_block, size(number) - done);
    ranges.push_back({first, first + count});
    done += count;
  }
  return ranges;
}

void EpochOrder::places(std::size_t number, std::vector<std::uint32_t>& places) const {
  places.resize(size(number));
  std::iota(places.begin(), places.end(), 0u);
  if (shuffle_) RandomStream(seed_, RandomPurpose::shuffle, epoch_, number).shuffle(places);
}

}  // namespace ultr
