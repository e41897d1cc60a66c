#include "data/log/session_log.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include <fmt/core.h>

#include "base/error.h"

namespace ultr {
namespace {

/// Throws DataError unless all lists have numbers in a column, or none has.
template <class T>
void expect_all_or_none(const std::vector<T>& column, std::span<const T> numbers,
                        std::size_t length, bool first, std::string_view name) {
  if (!numbers.empty() && numbers.size() != length)
    throw DataError(fmt::format("a list needs as many {} as documents, or none", name));
  if (!first && numbers.empty() != column.empty())
    throw DataError(fmt::format("a list with {} beside one without; expected all or none", name));
}

/// Throws DataError unless a column has `entries` entries, or is empty and may be.
template <class T>
void expect_entries(std::string_view name, const Column<T>& column, std::size_t entries,
                    bool may_be_empty) {
  if (column.size() != entries && !(may_be_empty && column.empty()))
    throw DataError(fmt::format("{}: {} entries; expected {}", name, column.size(), entries));
}

template <class T>
std::span<const T> part(std::span<const T> column, std::size_t begin, std::size_t count) {
  return column.empty() ? column : column.subspan(begin, count);
}

/// Throws DataError if an entry of a signal is above its largest value.
void expect_signal(Signal signal, std::span<const std::uint16_t> entries) {
  const auto& [name, plural, most] = type_of(signal);
  for (const std::uint16_t entry : entries)
    if (entry > most)
      throw DataError(fmt::format("{}: a list has {}; expected 0 to {}", name, entry, most));
}

/// Throws DataError if there are more lists than 32-bit session numbers.
void expect_countable(std::size_t lists) {
  constexpr std::size_t most = std::numeric_limits<std::uint32_t>::max();
  if (lists > most)
    throw DataError(fmt::format("offsets: {} lists; expected at most {}", lists, most));
}

/// Lists between two calls of SessionLog::release while the columns are checked.
constexpr std::size_t lists_at_a_time = std::size_t{1} << 20;

}  // namespace

SessionLog::SessionLog(SessionColumns columns) : columns_(std::move(columns)) {
  const auto offsets = columns_->offsets.values();
  if (offsets.empty() || offsets[0] != 0)
    throw DataError("offsets: does not start with 0; expected the first document of each list");
  const std::size_t lists = offsets.size() - 1;
  expect_countable(lists);
  const auto all = static_cast<std::size_t>(offsets[lists]);
  expect_entries("pairs", columns_->rows, all, false);
  expect_entries("clicks", columns_->clicks, all, false);
  expect_entries("queries", columns_->queries, lists, true);
  expect_entries("positions", columns_->positions, all, true);
  expect_entries("propensities", columns_->propensities, all, true);
  for (const Signal signal : all_signals)
    expect_entries(type_of(signal).name, columns_->signals[signal], all, true);
  const bool signals = has_any(columns_->signals);
  const auto clicks = columns_->clicks.values();
  const auto positions = columns_->positions.values();
  const auto propensities = columns_->propensities.values();
  for (std::size_t i = 0; i < lists; ++i) {
    if (offsets[i + 1] <= offsets[i] || offsets[i + 1] > offsets[lists])
      throw DataError(
          fmt::format("offsets: entry {} is {} after {}; expected more, since every list has a "
                      "document, up to {}",
                      i + 1, offsets[i + 1], offsets[i], all));
    const std::size_t begin = first_document(i), length = this->length(i);
    std::uint8_t either = 0;
    for (std::size_t d = begin; d < begin + length; ++d) {
      clicked_in_columns_ += clicks[d];
      either |= clicks[d];
    }
    if (either > 1)
      for (std::size_t d = begin;; ++d)
        if (clicks[d] > 1)
          throw DataError(fmt::format("clicks: entry {} is {}; expected 0 or 1", d, clicks[d]));
    for (const float p : part(propensities, begin, length))
      if (!(p > 0 && p <= 1))
        throw DataError(fmt::format(
            "propensities: list {} has {}; expected a number above 0 and at most 1", i, p));
    if (signals)
      for (const Signal signal : all_signals)
        expect_signal(signal, part(this->signal(signal), begin, length));
    if (positions.empty()) {
      note_list(length, length);
    } else {
      for (std::size_t d = begin + 1; d < begin + length; ++d)
        if (positions[d] <= positions[d - 1])
          throw DataError(
              fmt::format("positions: entry {} is {} after {}; expected positions that "
                          "rise within a list",
                          d, positions[d], positions[d - 1]));
      note_list(length, std::size_t{positions[begin + length - 1]} + 1);
    }
    if ((i + 1) % lists_at_a_time == 0) release(i + 1 - lists_at_a_time, lists_at_a_time);
  }
  if (positions.empty()) {
    ranks_.resize(longest_);
    std::iota(ranks_.begin(), ranks_.end(), std::uint16_t{0});
  }
  release();
}

void SessionLog::expect_in_memory() const {
  if (in_columns()) throw Error("SessionLog: a change of a log in columns; expected one in memory");
}

void SessionLog::add(const SessionView& session) {
  expect_in_memory();
  const std::size_t length = session.rows.size();
  if (!(session.weight > 0 && std::isfinite(session.weight)))
    throw DataError(
        fmt::format("a list has weight {}; expected a finite number above 0", session.weight));
  if (length == 0 || session.positions.size() != length || session.clicks.size() != length)
    throw DataError("a list needs at least one document, and as many positions and clicks");
  expect_all_or_none(propensities_, session.propensities, length, rows_.empty(), "propensities");
  expect_all_or_none(targets_, session.targets, length, rows_.empty(), "targets");
  for (const Signal signal : all_signals) {
    const std::span<const std::uint16_t> entries = session.signals[signal];
    expect_all_or_none(signals_[signal], entries, length, rows_.empty(), type_of(signal).plural);
    expect_signal(signal, entries);
  }
  rows_.insert(rows_.end(), session.rows.begin(), session.rows.end());
  positions_.insert(positions_.end(), session.positions.begin(), session.positions.end());
  clicks_.insert(clicks_.end(), session.clicks.begin(), session.clicks.end());
  queries_.push_back(session.query);
  propensities_.insert(propensities_.end(), session.propensities.begin(),
                       session.propensities.end());
  targets_.insert(targets_.end(), session.targets.begin(), session.targets.end());
  for (const Signal signal : all_signals)
    signals_[signal].insert(signals_[signal].end(), session.signals[signal].begin(),
                            session.signals[signal].end());
  if (weights_.empty() && session.weight != 1) weights_.assign(sessions(), 1.0);
  if (session.weight != 1 || !weights_.empty()) weights_.push_back(session.weight);
  offsets_.push_back(static_cast<std::int64_t>(rows_.size()));
  note_list(length, std::size_t{session.positions.back()} + 1);
}

void SessionLog::add_unclicked(std::span<const std::uint64_t> queries,
                               std::span<const std::uint32_t> rows) {
  expect_in_memory();
  if (has_propensities() || has_targets() || has_weights() || has_any(signals_))
    throw Error(
        "SessionLog: lists without propensities, targets, weights and signals after others");
  if (queries.empty() && rows.empty()) return;
  const std::size_t length = queries.empty() ? 0 : rows.size() / queries.size();
  if (length == 0 || length * queries.size() != rows.size())
    throw Error(fmt::format("SessionLog: {} documents for {} lists; expected equally long lists",
                            rows.size(), queries.size()));
  rows_.insert(rows_.end(), rows.begin(), rows.end());
  queries_.insert(queries_.end(), queries.begin(), queries.end());
  clicks_.resize(rows_.size());
  positions_.resize(rows_.size());
  for (auto list = positions_.end() - static_cast<std::ptrdiff_t>(rows.size());
       list != positions_.end(); list += static_cast<std::ptrdiff_t>(length))
    std::iota(list, list + static_cast<std::ptrdiff_t>(length), std::uint16_t{0});
  for (std::size_t i = 0; i < queries.size(); ++i)
    offsets_.push_back(offsets_.back() + static_cast<std::int64_t>(length));
  note_list(length, length);
}

void SessionLog::set_rows(std::size_t first, std::span<const std::uint32_t> rows) {
  expect_in_memory();
  if (first > documents() || rows.size() > documents() - first)
    throw Error(fmt::format("SessionLog: rows of documents {} to {}; expected at most {} documents",
                            first, first + rows.size(), documents()));
  std::copy(rows.begin(), rows.end(), rows_.begin() + static_cast<std::ptrdiff_t>(first));
}

void SessionLog::note_list(std::size_t length, std::size_t positions) {
  longest_ = std::max(longest_, length);
  positions_count_ = std::max(positions_count_, positions);
  gapless_ &= positions == length;
}

SessionView SessionLog::operator[](std::size_t session) const {
  const std::size_t begin = first_document(session), n = length(session);
  const auto shown = positions_shown();
  const auto queries = this->queries();
  return {.rows = rows().subspan(begin, n),
          .positions = shown.empty() ? std::span(ranks_).first(n) : shown.subspan(begin, n),
          .clicks = clicks().subspan(begin, n),
          .query = queries.empty() ? 0 : queries[session],
          .propensities = part(propensities(), begin, n),
          .targets = part(targets(), begin, n),
          .weight = weights_.empty() ? 1 : weights_[session],
          .signals = part(signals(), begin, n)};
}

double SessionLog::weighted_sessions() const {
  if (!has_weights()) return static_cast<double>(sessions());
  return std::accumulate(weights_.begin(), weights_.end(), 0.0);
}

double SessionLog::weighted_documents() const {
  if (!has_weights()) return static_cast<double>(documents());
  double sum = 0;
  for (std::size_t i = 0; i < sessions(); ++i) sum += weights_[i] * static_cast<double>(length(i));
  return sum;
}

SessionLog SessionLog::without_weights(std::string_view reason) const {
  SessionLog log;
  for (std::size_t i = 0; i < sessions(); ++i) {
    SessionView session = (*this)[i];
    if (session.weight != std::floor(session.weight))
      throw DataError(fmt::format("a list has weight {}; expected whole numbers, since {}",
                                  session.weight, reason));
    const auto times = static_cast<std::uint64_t>(session.weight);
    session.weight = 1;
    for (std::uint64_t time = 0; time < times; ++time) log.add(session);
  }
  return log;
}

std::span<std::uint8_t> SessionLog::clicks(std::size_t session) {
  expect_in_memory();
  return std::span(clicks_).subspan(first_document(session), length(session));
}

SessionLogView SessionLog::spans() const {
  const bool equally_long = longest_ * sessions() == documents();
  return {.offsets = equally_long ? std::span<const std::int64_t>() : offsets(),
          .equal_length = equally_long ? longest_ : 0,
          .rows = rows(),
          .clicks = clicks(),
          .positions = gapless_ ? std::span<const std::uint16_t>() : positions_shown(),
          .propensities = propensities(),
          .targets = targets(),
          .features = features_,
          .weights = weights_,
          .signals = signals()};
}

SignalSpans SessionLog::signals() const {
  if (!columns_) return spans_of(signals_);
  SignalSpans spans;
  for (const Signal signal : all_signals) spans[signal] = columns_->signals[signal].values();
  return spans;
}

template <class Visit>
void SessionLog::visit_columns(std::size_t first, std::size_t count, Visit visit) const {
  if (!columns_ || count == 0) return;
  const SessionLogView log = spans();  // avoids reading offsets if all lists have one length
  const std::size_t begin = log.first_document(first);
  const std::size_t documents = log.first_document(first + count) - begin;
  visit(columns_->rows, begin, documents);
  visit(columns_->clicks, begin, documents);
  visit(columns_->positions, begin, documents);
  visit(columns_->propensities, begin, documents);
  for (const Signal signal : all_signals) visit(columns_->signals[signal], begin, documents);
}

void SessionLog::release(std::size_t first, std::size_t count) const {
  if (columns_) {
    columns_->offsets.release(first, count + 1);
    columns_->queries.release(first, count);
  }
  visit_columns(first, count, [](const auto& column, std::size_t begin, std::size_t entries) {
    column.release(begin, entries);
  });
}

void SessionLog::read_ahead(std::size_t first, std::size_t count, Part part) const {
  if (!columns_) return;
  if (part == Part::all) columns_->queries.read_ahead(first, count);
  if (part == Part::all || !spans().offsets.empty()) columns_->offsets.read_ahead(first, count + 1);
  visit_columns(first, count, [](const auto& column, std::size_t begin, std::size_t entries) {
    column.read_ahead(begin, entries);
  });
}

void SessionLog::read_only_what_is_asked_for(bool on) const {
  if (columns_) {
    columns_->offsets.read_only_what_is_asked_for(on);
    columns_->queries.read_only_what_is_asked_for(on);
  }
  visit_columns(0, sessions(), [on](const auto& column, std::size_t, std::size_t) {
    column.read_only_what_is_asked_for(on);
  });
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
  if (columns_) return clicked_in_columns_;
  return std::accumulate(clicks_.begin(), clicks_.end(), std::size_t{0});
}

double SessionLog::click_rate() const {
  if (documents() == 0) return 0;
  if (!has_weights()) return static_cast<double>(clicked()) / static_cast<double>(documents());
  double clicks = 0;
  for (std::size_t i = 0; i < sessions(); ++i) {
    const auto its = (*this)[i].clicks;
    clicks += weights_[i] * std::accumulate(its.begin(), its.end(), 0.0);
  }
  return clicks / weighted_documents();
}

}  // namespace ultr
