#include "data/log/shard.h"

#include <algorithm>
#include <numeric>
#include <type_traits>

#include "data/log/known_length.h"

namespace ultr {
namespace {

/// Prefetch distance in sessions: they may be anywhere in the log.
constexpr std::size_t sessions_prefetched = 24;

/// Sums zeros and ones. Partial sums over 255 entries fit into a byte, so that one instruction adds
/// as many entries as a register has bytes.
std::size_t count_clicked(std::span<const std::uint8_t> clicks) {
  std::size_t clicked = 0;
  constexpr std::size_t most = 255;
  for (; !clicks.empty(); clicks = clicks.subspan(std::min(most, clicks.size()))) {
    std::uint8_t some = 0;
    for (const std::uint8_t click : clicks.first(std::min(most, clicks.size())))
      some = static_cast<std::uint8_t>(some + click);
    clicked += some;
  }
  return clicked;
}

/// Prefetches entries first to first + count - 1 of a column. count: at least 1.
template <class T>
void prefetch(const T* column, std::size_t first, std::size_t count) {
  constexpr std::size_t line = 64 / sizeof(T);
  for (std::size_t i = first; i < first + count; i += line) __builtin_prefetch(column + i);
  __builtin_prefetch(column + first + count - 1);
}

}  // namespace

void Shard::order_by_length(const SessionLogView& log, std::span<const std::uint32_t> sessions) {
  begin_before_.swap(begin_);
  if (log.offsets.empty()) {
    order_.assign(sessions.begin(), sessions.end());
    begin_.resize(sessions.empty() ? 1 : log.equal_length + 1);
    for (std::size_t k = 0; k < begin_.size(); ++k)
      begin_[k] = static_cast<std::uint32_t>(k * sessions.size());
    return;
  }
  // A counting sort: it is stable and needs no new memory.
  std::size_t longest = 0;
  for (std::size_t i = 0; i < sessions.size(); ++i) {
    if (i + sessions_prefetched < sessions.size())
      __builtin_prefetch(&log.offsets[sessions[i + sessions_prefetched]]);
    longest = std::max(longest, log.length(sessions[i]));
  }
  begin_.assign(longest + 1, 0);
  for (const std::uint32_t session : sessions) ++begin_[log.length(session)];
  for (std::size_t length = longest; length > 1; --length) begin_[length - 1] += begin_[length];
  // Now begin_[length] counts the lists of at least that length, which precede shorter ones.
  next_.assign(begin_.begin(), begin_.end());
  next_.push_back(0);
  order_.resize(sessions.size());
  for (const std::uint32_t session : sessions) order_[next_[log.length(session) + 1]++] = session;
  for (std::size_t k = 0; k < longest; ++k) begin_[k + 1] += begin_[k];
}

void Shard::pack(const SessionLogView& log, std::span<const std::uint32_t> sessions) {
  order_by_length(log, sessions);
  const bool as_before = begin_ == begin_before_;
  if (!as_before) {
    continues_.resize(begin_.back());
    for (std::size_t k = 0; k < longest(); ++k) {
      const auto rank = continues_.begin() + begin_[k];
      std::fill_n(rank, count(k + 1), std::uint8_t{1});
      std::fill(rank + count(k + 1), rank + count(k), std::uint8_t{0});
    }
  }
  // If all lists have one length and only rows and clicks, places are computed on the fly.
  if (!log.offsets.empty() || !log.propensities.empty() || !log.targets.empty() ||
      !log.positions.empty() || !log.features.empty() || has_any(log.signals))
    find_lists(log);
  gather_rows_and_clicks(log);
  gather(log.propensities, propensities_);
  gather(log.targets, targets_);
  for (const Signal signal : all_signals) gather(log.signals[signal], signals_[signal]);
  weights_.clear();
  if (!log.weights.empty())
    for (const std::uint32_t session : order_)
      weights_.push_back(static_cast<float>(log.weights[session]));
  features_ = log.features;
  feature_rows_.resize(features_.empty() ? 0 : documents());
  if (!feature_rows_.empty())
    for (std::size_t k = 0; k < longest(); ++k)
      for (std::size_t j = 0; j < count(k); ++j)
        feature_rows_[begin_[k] + j] = static_cast<std::uint32_t>(first_[j] + k + 1);
  place_positions(log, as_before);
}

double Shard::weighted_sessions() const {
  if (weights_.empty()) return static_cast<double>(sessions());
  return std::accumulate(weights_.begin(), weights_.end(), 0.0);
}

double Shard::weighted_documents() const {
  if (weights_.empty()) return static_cast<double>(documents());
  double sum = 0;
  for (std::size_t k = 0; k < longest(); ++k)
    sum = std::accumulate(weights_.begin(), weights_.begin() + count(k), sum);
  return sum;
}

void Shard::find_lists(const SessionLogView& log) {
  first_.clear();
  length_.clear();
  for (const std::uint32_t session : order_) {
    first_.push_back(log.first_document(session));
    length_.push_back(static_cast<std::uint32_t>(log.length(session)));
  }
}

void Shard::gather_rows_and_clicks(const SessionLogView& log) {
  rows_.resize(begin_.back());
  clicks_.resize(begin_.back());
  if (!log.offsets.empty())
    gather_rank_by_rank(log);
  else
    with_known_length(log.equal_length, [&](auto length) {
      // In a full shard, the stride between ranks is a compile-time constant.
      if (order_.size() == shard_sessions)
        gather_lists(log, std::integral_constant<std::size_t, shard_sessions>{}, length);
      else
        gather_lists(log, order_.size(), length);
    });
  clicked_ = count_clicked(clicks_);
}

template <class Count, class Length>
void Shard::gather_lists(const SessionLogView& log, Count sessions, Length length) {
  // Raw pointers and local numbers, since a written click may alias anything: the compiler would
  // reload the members of vectors and spans.
  const std::uint32_t *const order = order_.data(), *const rows_of_log = log.rows.data();
  const std::uint8_t* const clicks_of_log = log.clicks.data();
  const bool together = log.row_stride != 0;  // a session's rows and clicks are one record
  const std::size_t row_stride = together ? log.row_stride : length;
  const std::size_t click_stride = together ? log.click_stride : length;
  std::uint32_t* const rows = rows_.data();
  std::uint8_t* const clicks = clicks_.data();
  for (std::size_t j = 0; j < sessions; ++j) {
    if (const std::size_t ahead = j + sessions_prefetched; ahead < sessions) {
      prefetch(rows_of_log, order[ahead] * row_stride, length);
      if (!together) prefetch(clicks_of_log, order[ahead] * click_stride, length);
    }
    const std::uint32_t* const its_rows = rows_of_log + order[j] * row_stride;
    const std::uint8_t* const its_clicks = clicks_of_log + order[j] * click_stride;
    for (std::size_t k = 0; k < length; ++k) {
      rows[k * sessions + j] = its_rows[k];
      clicks[k * sessions + j] = its_clicks[k];
    }
  }
}

void Shard::gather_rank_by_rank(const SessionLogView& log) {
  const std::uint32_t* const rows_of_log = log.rows.data();
  const std::uint8_t* const clicks_of_log = log.clicks.data();
  const std::uint32_t* const begin = begin_.data();
  std::uint32_t* const rows = rows_.data();
  std::uint8_t* const clicks = clicks_.data();
  const std::size_t sessions = order_.size();
  for (std::size_t j = 0; j < sessions; ++j) {
    if (const std::size_t ahead = j + sessions_prefetched; ahead < sessions) {
      prefetch(rows_of_log, first_[ahead], length_[ahead]);
      prefetch(clicks_of_log, first_[ahead], length_[ahead]);
    }
    const std::uint32_t* const its_rows = rows_of_log + first_[j];
    const std::uint8_t* const its_clicks = clicks_of_log + first_[j];
    for (std::size_t k = 0; k < length_[j]; ++k) {
      const std::size_t place = begin[k] + j;
      rows[place] = its_rows[k];
      clicks[place] = its_clicks[k];
    }
  }
}

template <class T>
void Shard::gather(std::span<const T> column, std::vector<T>& packed) const {
  packed.resize(column.empty() ? 0 : begin_.back());
  if (packed.empty()) return;
  for (std::size_t j = 0; j < order_.size(); ++j)
    for (std::size_t k = 0; k < length_[j]; ++k) packed[begin_[k] + j] = column[first_[j] + k];
}

void Shard::place_positions(const SessionLogView& log, bool as_before) {
  bool gapless = log.positions.empty();
  if (gapless && as_before && !runs_.empty()) return;
  positions_.resize(begin_.back());
  runs_.clear();
  if (!gapless) {
    gather(log.positions, shown_);
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
