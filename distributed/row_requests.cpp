#include "distributed/row_requests.h"

#include <algorithm>
#include <numeric>

#include "kernels/bits.h"

namespace ultr {
namespace {

/// Documents that are dealt at once.
constexpr std::size_t documents_per_mask = 64;
/// Number of processes up to which each holds many of these documents.
constexpr std::size_t few_processes = 6;

}  // namespace

void RowRequests::set(std::span<const Shard> shards) {
  pairs_.clear();
  first_.assign(1, 0);
  for (const Shard& shard : shards) {
    pairs_.insert(pairs_.end(), shard.rows().begin(), shard.rows().end());
    first_.push_back(pairs_.size());
  }
  // Room to read and write many documents at once.
  const std::size_t room = pairs_.size() + documents_per_mask;
  if (numbers_.size() < room) {
    for (auto* list : {&numbers_, &documents_, &held_pairs_, &pair_numbers_}) list->resize(room);
    owners_.resize(room);
    std::iota(numbers_.begin(), numbers_.end(), 0u);
  }

  // The quotient is exact: that of half a pair more differs from the next whole number by far more
  // than rounding does.
  const auto count = static_cast<std::uint32_t>(processes_);
  const double inverse = 1.0 / static_cast<double>(count);
  for (std::size_t i = 0; i < pairs_.size(); ++i) {
    const auto quotient = static_cast<std::uint32_t>((pairs_[i] + 0.5) * inverse);
    pair_numbers_[i] = quotient;
    owners_[i] = static_cast<std::uint8_t>(pairs_[i] - quotient * count);
  }

  // A process's documents are found by comparing many at once: the processor cannot foresee which
  // process holds the next.
  begin_.clear();
  std::size_t dealt = 0;
  for (std::size_t process = 0; process < processes_; ++process)
    for (std::size_t shard = 0; shard < shards.size(); ++shard) {
      begin_.push_back(dealt);
      for (std::size_t i = first_[shard]; i < first_[shard + 1]; i += documents_per_mask) {
        std::uint64_t own = bits_equal_to(static_cast<std::uint8_t>(process), &owners_[i]);
        if (const std::size_t left = first_[shard + 1] - i; left < documents_per_mask)
          own &= ~std::uint64_t{0} >> (documents_per_mask - left);
        if (processes_ <= few_processes) {
          copy_chosen(own, &pair_numbers_[i], &held_pairs_[dealt]);
          dealt += copy_chosen(own, &numbers_[i], &documents_[dealt]);
          continue;
        }
        for_each_bit(own, [&](std::size_t bit) {
          if (place_of(i + bit).process != process) return;
          held_pairs_[dealt] = pair_numbers_[i + bit];
          documents_[dealt++] = numbers_[i + bit];
        });
      }
    }
  begin_.push_back(dealt);
}

}  // namespace ultr
