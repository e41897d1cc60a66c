#include "data/shard.h"

#include <algorithm>
#include <numeric>

namespace ultr {
namespace {

/// Sessions ahead whose memory is asked for: they may lie anywhere in a log.
constexpr std::size_t prefetch_distance = 16;

/// Asks for the memory of entries first to first + count of a column.
template <class T>
void prefetch(std::span<const T> column, std::size_t first, std::size_t count) {
  constexpr std::size_t line = 64 / sizeof(T);
  for (std::size_t i = first; i < first + count; i += line) __builtin_prefetch(&column[i]);
  __builtin_prefetch(&column[first + count - 1]);
}

}  // namespace

void Shard::pack(const SessionLog& log, std::span<const std::uint32_t> sessions) {
  // A counting sort, which keeps the order of equally long lists and needs no new memory.
  std::size_t longest = 0;
  for (std::size_t i = 0; i < sessions.size(); ++i) {
    if (i + prefetch_distance < sessions.size())
      log.prefetch_place(sessions[i + prefetch_distance]);
    longest = std::max(longest, log.length(sessions[i]));
  }
  begin_.assign(longest + 1, 0);
  for (const std::uint32_t session : sessions) {
    const std::size_t length = log.length(session), first = log.first_document(session);
    ++begin_[length];
    prefetch(log.rows(), first, length);
    prefetch(log.clicks(), first, length);
  }
  for (std::size_t length = longest; length > 1; --length) begin_[length - 1] += begin_[length];
  // Now begin_[length] counts the lists of at least that length; they come before shorter ones.
  next_.assign(begin_.begin(), begin_.end());
  next_.push_back(0);
  order_.resize(sessions.size());
  for (const std::uint32_t session : sessions) order_[next_[log.length(session) + 1]++] = session;
  for (std::size_t k = 0; k < longest; ++k) begin_[k + 1] += begin_[k];

  const std::size_t documents = begin_.back();
  continues_.resize(documents);
  for (std::size_t k = 0; k < longest; ++k) {
    const auto rank = continues_.begin() + begin_[k];
    std::fill_n(rank, count(k + 1), std::uint8_t{1});
    std::fill(rank + count(k + 1), rank + count(k), std::uint8_t{0});
  }
  first_.clear();
  for (const std::uint32_t session : order_) first_.push_back(log.first_document(session));
  gather(log.rows(), rows_);
  gather(log.clicks(), clicks_);
  gather(log.propensities(), propensities_);
  gather(log.targets(), targets_);
  clicked_ = std::accumulate(clicks_.begin(), clicks_.end(), std::size_t{0});
  features_ = log.features();
  feature_rows_.resize(features_.empty() ? 0 : documents);
  if (!feature_rows_.empty())
    for (std::size_t k = 0; k < longest; ++k)
      for (std::size_t j = 0; j < count(k); ++j)
        feature_rows_[begin_[k] + j] = static_cast<std::uint32_t>(first_[j] + k + 1);
  place_positions(log);
}

template <class T>
void Shard::gather(std::span<const T> column, std::vector<T>& packed) const {
  packed.resize(column.empty() ? 0 : begin_.back());
  if (packed.empty()) return;
  for (std::size_t k = 0; k < longest(); ++k) {
    T* const rank = packed.data() + begin_[k];
    const T* const from = column.data() + k;
    for (std::size_t j = 0; j < count(k); ++j) rank[j] = from[first_[j]];
  }
}

void Shard::place_positions(const SessionLog& log) {
  positions_.resize(begin_.back());
  runs_.clear();
  bool gapless = log.gapless();
  if (!gapless) {
    gather(log.positions_shown(), shown_);
    std::copy(shown_.begin(), shown_.end(), positions_.begin());
    gapless = true;
    for (std::size_t k = 0; k < longest(); ++k)
      gapless &= std::all_of(positions_.begin() + begin_[k], positions_.begin() + begin_[k + 1],
                             [&](std::uint32_t position) { return position == k; });
  }
  if (!gapless) {
    positions_count_ = *std::max_element(positions_.begin(), positions_.end()) + 1;
    return;
  }
  positions_count_ = static_cast<std::uint32_t>(longest());
  for (std::size_t k = 0; k < longest(); ++k) {
    std::fill_n(positions_.begin() + begin_[k], count(k), static_cast<std::uint32_t>(k));
    runs_.push_back({static_cast<std::uint32_t>(k), count(k)});
  }
}

}  // namespace ultr
