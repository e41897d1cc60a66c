#include "data/shard.h"

#include <algorithm>

namespace ultr {

void Shard::pack(const SessionLog& log, std::span<const std::uint32_t> sessions) {
  // A counting sort, which keeps the order of equally long lists and needs no new memory.
  std::size_t longest = 0;
  for (const std::uint32_t session : sessions) longest = std::max(longest, log.length(session));
  begin_.assign(longest + 1, 0);
  for (const std::uint32_t session : sessions) ++begin_[log.length(session)];
  for (std::size_t length = longest; length > 1; --length) begin_[length - 1] += begin_[length];
  // Now begin_[length] counts the lists of at least that length; they come before shorter ones.
  next_.assign(begin_.begin(), begin_.end());
  next_.push_back(0);
  order_.resize(sessions.size());
  for (const std::uint32_t session : sessions) order_[next_[log.length(session) + 1]++] = session;
  for (std::size_t k = 0; k < longest; ++k) begin_[k + 1] += begin_[k];

  const std::size_t documents = begin_.back();
  rows_.resize(documents);
  positions_.resize(documents);
  clicks_.resize(documents);
  continues_.resize(documents);
  propensities_.resize(log.has_propensities() ? documents : 0);
  targets_.resize(log.has_targets() ? documents : 0);
  features_ = log.features();
  feature_rows_.resize(features_.empty() ? 0 : documents);

  bool gapless = true;
  clicked_ = 0;
  positions_count_ = 0;
  for (std::size_t j = 0; j < order_.size(); ++j) {
    const SessionView session = log[order_[j]];
    const std::size_t length = session.rows.size();
    for (std::size_t k = 0; k < length; ++k) {
      const std::size_t at = begin_[k] + j;
      rows_[at] = session.rows[k];
      positions_[at] = session.positions[k];
      clicks_[at] = session.clicks[k];
      continues_[at] = k + 1 < length ? 1 : 0;
      clicked_ += session.clicks[k];
      if (!propensities_.empty()) propensities_[at] = session.propensities[k];
      if (!targets_.empty()) targets_[at] = session.targets[k];
      if (!feature_rows_.empty())
        feature_rows_[at] = static_cast<std::uint32_t>(log.first_document(order_[j]) + k + 1);
    }
    const std::uint32_t deepest = session.positions.back() + std::uint32_t{1};
    positions_count_ = std::max(positions_count_, deepest);
    gapless &= deepest == length;
  }
  runs_.clear();
  if (gapless)
    for (std::size_t k = 0; k < longest; ++k)
      runs_.push_back({static_cast<std::uint32_t>(k), count(k)});
}

}  // namespace ultr
