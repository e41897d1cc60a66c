#include "data/columns/log_writer.h"

#include <string_view>
#include <utility>

#include <fmt/core.h>

#include "base/error.h"
#include "base/files/npy_cursor.h"
#include "data/log/pair_dictionary.h"

namespace ultr {
namespace {

void require_in_all_or_none(bool there, bool others, std::string_view name) {
  if (there != others)
    throw DataError(fmt::format("a list {} {} after lists {}; expected all or none",
                                there ? "with" : "without", name, there ? "without" : "with"));
}

}  // namespace

LogWriter::LogWriter(const std::filesystem::path& folder, Setting setting)
    : folder_(folder),
      check_(std::move(setting.check)),
      offsets_(folder / "offsets.npy"),
      queries_(folder / "queries.npy"),
      clicks_(folder / "clicks.npy") {
  offsets_.push_back(0);
  if (setting.documents) documents_.emplace(folder / "documents.npy");
  if (setting.pairs) pairs_.emplace(folder / pairs_file);
}

void LogWriter::require_same_columns(const RawList& list) const {
  require_same_columns(!list.labels.empty(), !list.propensities.empty());
}

void LogWriter::require_same_columns(bool labels, bool propensities) const {
  if (lists() == 0) return;
  require_in_all_or_none(labels, labels_.has_value(), "labels");
  require_in_all_or_none(propensities, propensities_.has_value(), "propensities");
}

void LogWriter::add(const RawList& list) {
  const bool gapless = list.positions.back() + std::size_t{1} == list.documents.size();
  start_columns(!list.labels.empty(), !list.propensities.empty(), gapless);
  clicks_.append(list.clicks);
  queries_.push_back(list.query);
  offsets_.push_back(static_cast<std::int64_t>(documents()));
  if (documents_) documents_->append(list.documents);
  if (positions_) positions_->append(list.positions);
  if (labels_)
    for (const int label : list.labels) labels_->push_back(label);
  if (propensities_) propensities_->append(list.propensities);
}

void LogWriter::add(const SessionLog& log) {
  if (log.sessions() == 0) return;
  start_columns(false, log.has_propensities(), log.gapless());
  const auto before = static_cast<std::int64_t>(documents());
  clicks_.append(log.clicks());
  for (std::size_t i = 0; i < log.sessions(); ++i) {
    const SessionView session = log[i];
    queries_.push_back(session.query);
    offsets_.push_back(before + log.offsets()[i + 1]);
    if (positions_) positions_->append(session.positions);
  }
  if (pairs_) pairs_->append(log.rows());
  if (documents_)
    for (const std::uint32_t row : log.rows()) documents_->push_back(row);
  if (propensities_) propensities_->append(log.propensities());
}

void LogWriter::start_columns(bool labels, bool propensities, bool gapless) {
  require_same_columns(labels, propensities);
  if (labels && !labels_) labels_.emplace(folder_ / "labels.npy");
  if (propensities && !propensities_) propensities_.emplace(folder_ / "propensities.npy");
  if (!gapless && !positions_) start_positions();
}

void LogWriter::start_positions() {
  positions_.emplace(folder_ / "positions.npy");
  // In all lists before this one, documents were displayed at their ranks.
  std::int64_t begin = 0;
  for_each_npy_block<std::int64_t>(offsets_, check_, [&](std::size_t, auto ends) {
    for (const std::int64_t end : ends)
      for (std::int64_t rank = 0; begin < end; ++begin, ++rank)
        positions_->push_back(static_cast<std::uint16_t>(rank));
  });
}

void LogWriter::finish() {
  if (pairs_ && pairs_->size() != documents())
    throw Error(
        fmt::format("LogWriter: rows of {} documents; expected {}", pairs_->size(), documents()));
  const auto finish_column = [](auto& column) {
    if (column) column->finish();
  };
  offsets_.finish();
  queries_.finish();
  clicks_.finish();
  finish_column(documents_);
  finish_column(pairs_);
  finish_column(positions_);
  finish_column(labels_);
  finish_column(propensities_);
}

}  // namespace ultr
