#include "data/session_log.h"

#include <algorithm>
#include <numeric>

#include "data/error.h"

namespace ultr {

void SessionLog::add(const SessionView& session) {
  const std::size_t length = session.rows.size();
  if (length == 0 || session.positions.size() != length || session.clicks.size() != length)
    throw DataError("a list needs at least one document, and as many positions and clicks");
  const bool first = rows_.empty(), known = !session.propensities.empty();
  if (known && session.propensities.size() != length)
    throw DataError("a list needs as many propensities as documents, or none");
  if (!first && known == propensities_.empty())
    throw DataError("a list with propensities beside one without; expected all or none");
  rows_.insert(rows_.end(), session.rows.begin(), session.rows.end());
  positions_.insert(positions_.end(), session.positions.begin(), session.positions.end());
  clicks_.insert(clicks_.end(), session.clicks.begin(), session.clicks.end());
  queries_.push_back(session.query);
  propensities_.insert(propensities_.end(), session.propensities.begin(),
                       session.propensities.end());
  begin_.push_back(rows_.size());
  longest_ = std::max(longest_, length);
  positions_count_ = std::max(positions_count_, std::size_t{session.positions.back()} + 1);
}

SessionView SessionLog::operator[](std::size_t session) const {
  const std::size_t begin = begin_[session], n = length(session);
  return {std::span(rows_).subspan(begin, n), std::span(positions_).subspan(begin, n),
          std::span(clicks_).subspan(begin, n), queries_[session],
          propensities_.empty() ? std::span<const float>()
                                : std::span(propensities_).subspan(begin, n)};
}

std::size_t SessionLog::clicked() const {
  return std::accumulate(clicks_.begin(), clicks_.end(), std::size_t{0});
}

double SessionLog::click_rate() const {
  return documents() == 0 ? 0 : static_cast<double>(clicked()) / static_cast<double>(documents());
}

}  // namespace ultr
