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
      queries_(folder / "queries.npy") {
  offsets_.push_back(0);
  if (setting.documents) documents_.emplace(folder / "documents.npy");
  if (setting.pairs) pairs_.emplace(folder / pairs_file);
}

LogWriter::Columns LogWriter::columns_of(const RawList& list) {
  PerSignal<bool> signals;
  for (const Signal signal : all_signals) signals[signal] = !list.signals[signal].empty();
  return {.clicks = !list.clicks.empty(),
          .labels = !list.labels.empty(),
          .propensities = !list.propensities.empty(),
          .features = list.features.empty() ? 0 : list.features.size() / list.positions.size(),
          .signals = signals};
}

void LogWriter::require_same_columns(const RawList& list) const {
  if (lists() > 0 && !has_same_columns(list)) require_same_columns(columns_of(list));
}

void LogWriter::require_same_columns(const Columns& list) const {
  if (lists() == 0 || list == columns_) return;
  require_in_all_or_none(list.clicks, columns_.clicks, "clicks");
  require_in_all_or_none(list.labels, columns_.labels, "labels");
  require_in_all_or_none(list.propensities, columns_.propensities, "propensities");
  for (const Signal signal : all_signals)
    require_in_all_or_none(list.signals[signal], columns_.signals[signal], type_of(signal).plural);
  throw DataError(fmt::format("a list with {} features after lists with {}; expected as many",
                              list.features, columns_.features));
}

void LogWriter::add(const RawList& list) {
  const std::size_t length = list.positions.size();
  const bool gapless = list.positions.back() + std::size_t{1} == length;
  require_same_columns(list);
  if (lists() == 0) start_columns(columns_of(list));
  if (!gapless && !positions_) start_positions();
  documents_so_far_ += length;
  queries_.push_back(list.query);
  offsets_.push_back(static_cast<std::int64_t>(documents()));
  if (clicks_) clicks_->append(list.clicks);
  if (documents_) documents_->append(list.documents);
  if (positions_) positions_->append(list.positions);
  if (labels_)
    for (const int label : list.labels) labels_->push_back(label);
  if (propensities_) propensities_->append(list.propensities);
  if (features_) features_->append(list.features);
  for (const Signal signal : all_signals)
    if (has(signal)) signals_[signal]->append(list.signals[signal]);
}

void LogWriter::add(const SessionLog& log) {
  if (log.sessions() == 0) return;
  Columns columns{.propensities = log.has_propensities()};
  for (const Signal signal : all_signals) columns.signals[signal] = log.has(signal);
  require_same_columns(columns);
  if (lists() == 0) start_columns(columns);
  if (!log.gapless() && !positions_) start_positions();
  const auto before = static_cast<std::int64_t>(documents());
  documents_so_far_ += log.documents();
  clicks_->append(log.clicks());
  const std::vector<std::uint64_t> zeros(log.queries().empty() ? log.sessions() : 0);
  queries_.append(log.queries().empty() ? zeros : log.queries());
  for (const std::int64_t end : log.offsets().subspan(1)) offsets_.push_back(before + end);
  if (positions_ && !log.positions_shown().empty()) {
    positions_->append(log.positions_shown());
  } else if (positions_) {
    for (std::size_t i = 0; i < log.sessions(); ++i) positions_->append(log[i].positions);
  }
  if (pairs_) pairs_->append(log.rows());
  if (documents_)
    for (const std::uint32_t row : log.rows()) documents_->push_back(row);
  if (propensities_) propensities_->append(log.propensities());
  for (const Signal signal : all_signals)
    if (has(signal)) signals_[signal]->append(log.signal(signal));
}

void LogWriter::start_columns(const Columns& list) {
  if (list.clicks) clicks_.emplace(folder_ / "clicks.npy");
  if (list.labels) labels_.emplace(folder_ / "labels.npy");
  if (list.propensities) propensities_.emplace(folder_ / "propensities.npy");
  if (list.features > 0) features_.emplace(folder_ / "features.npy", std::nullopt, list.features);
  for (const Signal signal : all_signals)
    if (list.signals[signal])
      signals_[signal].emplace(folder_ / fmt::format("{}.npy", type_of(signal).name));
  columns_ = list;
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
  finish_column(clicks_);
  finish_column(documents_);
  finish_column(pairs_);
  finish_column(positions_);
  finish_column(labels_);
  finish_column(propensities_);
  finish_column(features_);
  for (const Signal signal : all_signals) finish_column(signals_[signal]);
}

}  // namespace ultr
