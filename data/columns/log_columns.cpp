#include "data/columns/log_columns.h"

#include <string_view>
#include <utility>

#include <fmt/core.h>

#include "base/error.h"
#include "base/npy_cursor.h"

namespace ultr {
namespace {

void expect_in_all_or_none(bool there, bool others, std::string_view name) {
  if (there != others)
    throw DataError(fmt::format("a list {} {} after lists {}; expected all or none",
                                there ? "with" : "without", name, there ? "without" : "with"));
}

}  // namespace

LogColumns::LogColumns(const std::filesystem::path& folder, bool ids, std::function<void()> check)
    : folder_(folder),
      check_(std::move(check)),
      offsets_(folder / "offsets.npy"),
      queries_(folder / "queries.npy"),
      clicks_(folder / "clicks.npy") {
  offsets_.push_back(0);
  if (ids) documents_.emplace(folder / "documents.npy");
}

void LogColumns::expect_like_others(const RawList& list) const {
  if (lists() == 0) return;
  expect_in_all_or_none(!list.labels.empty(), labels_.has_value(), "labels");
  expect_in_all_or_none(!list.propensities.empty(), propensities_.has_value(), "propensities");
}

void LogColumns::add(const RawList& list) {
  expect_like_others(list);
  if (lists() == 0) start_columns(list);
  const std::size_t length = list.documents.size();
  if (!positions_ && list.positions.back() + std::size_t{1} != length) start_positions();
  clicks_.append(list.clicks);
  queries_.push_back(list.query);
  offsets_.push_back(static_cast<std::int64_t>(documents()));
  if (documents_) documents_->append(list.documents);
  if (positions_) positions_->append(list.positions);
  if (labels_)
    for (const int label : list.labels) labels_->push_back(label);
  if (propensities_) propensities_->append(list.propensities);
}

void LogColumns::start_columns(const RawList& first) {
  if (!first.labels.empty()) labels_.emplace(folder_ / "labels.npy");
  if (!first.propensities.empty()) propensities_.emplace(folder_ / "propensities.npy");
}

void LogColumns::start_positions() {
  positions_.emplace(folder_ / "positions.npy");
  // In all lists before this one, documents were displayed at their ranks.
  std::int64_t begin = 0;
  for_each_npy_block<std::int64_t>(offsets_, check_, [&](std::size_t, auto ends) {
    for (const std::int64_t end : ends)
      for (std::int64_t rank = 0; begin < end; ++begin, ++rank)
        positions_->push_back(static_cast<std::uint16_t>(rank));
  });
}

void LogColumns::finish() {
  offsets_.finish();
  queries_.finish();
  clicks_.finish();
  if (documents_) documents_->finish();
  if (positions_) positions_->finish();
  if (labels_) labels_->finish();
  if (propensities_) propensities_->finish();
}

}  // namespace ultr
