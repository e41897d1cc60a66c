#include "data/session_log.h"

#include <algorithm>
#include <numeric>

#include <fmt/core.h>

#include "data/error.h"

namespace ultr {
namespace {

/// Throws DataError unless all lists have numbers for a column, or none.
void expect_all_or_none(const std::vector<float>& column, std::span<const float> numbers,
                        std::size_t length, bool first, const char* name) {
  if (!numbers.empty() && numbers.size() != length)
    throw DataError(fmt::format("a list needs as many {} as documents, or none", name));
  if (!first && numbers.empty() != column.empty())
    throw DataError(fmt::format("a list with {} beside one without; expected all or none", name));
}

}  // namespace

void SessionLog::add(const SessionView& session) {
  const std::size_t length = session.rows.size();
  if (length == 0 || session.positions.size() != length || session.clicks.size() != length)
    throw DataError("a list needs at least one document, and as many positions and clicks");
  expect_all_or_none(propensities_, session.propensities, length, rows_.empty(), "propensities");
  expect_all_or_none(targets_, session.targets, length, rows_.empty(), "targets");
  rows_.insert(rows_.end(), session.rows.begin(), session.rows.end());
  positions_.insert(positions_.end(), session.positions.begin(), session.positions.end());
  clicks_.insert(clicks_.end(), session.clicks.begin(), session.clicks.end());
  queries_.push_back(session.query);
  propensities_.insert(propensities_.end(), session.propensities.begin(),
                       session.propensities.end());
  targets_.insert(targets_.end(), session.targets.begin(), session.targets.end());
  begin_.push_back(rows_.size());
  longest_ = std::max(longest_, length);
  const std::size_t deepest = std::size_t{session.positions.back()} + 1;
  positions_count_ = std::max(positions_count_, deepest);
  gapless_ &= deepest == length;
}

SessionView SessionLog::operator[](std::size_t session) const {
  const std::size_t begin = begin_[session], n = length(session);
  const auto optional = [&](const std::vector<float>& column) {
    return column.empty() ? std::span<const float>() : std::span(column).subspan(begin, n);
  };
  return {.rows = std::span(rows_).subspan(begin, n),
          .positions = std::span(positions_).subspan(begin, n),
          .clicks = std::span(clicks_).subspan(begin, n),
          .query = queries_[session],
          .propensities = optional(propensities_),
          .targets = optional(targets_)};
}

void SessionLog::set_features(FeatureTable features) {
  if (features.rows() != static_cast<std::int64_t>(documents()) + 1)
    throw DataError(
        fmt::format("{} rows of features; expected {}, one for each document after row 0",
                    features.rows(), documents() + 1));
  features_ = std::move(features);
}

std::optional<float> SessionLog::target_above_one() const {
  const auto found =
      std::find_if(targets_.begin(), targets_.end(), [](float target) { return target > 1; });
  return found == targets_.end() ? std::nullopt : std::optional(*found);
}

std::size_t SessionLog::clicked() const {
  return std::accumulate(clicks_.begin(), clicks_.end(), std::size_t{0});
}

double SessionLog::click_rate() const {
  return documents() == 0 ? 0 : static_cast<double>(clicked()) / static_cast<double>(documents());
}

}  // namespace ultr
